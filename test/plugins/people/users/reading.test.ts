import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestRequest } from '../../../../kernel/index.ts'
import { stopClockFor } from '../../../helpers/clock.ts'
import { as } from '../../../helpers/site.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

const LIST = '/svc/v2/users'
const ids = (list: { id: number }[]) => list.map(({ id }) => id)

/** Extensions by another plugin: user meta, and a field of users. */
const extras = definePlugin({
  name: 'test-extras',
  needs: ['users', 'meta', 'extra-fields'],
  apply({ hooks, services }) {
    services.meta.register('user', 'city', { type: 'string', single: true, show_in_rest: true })
    services.meta.register('user', 'salary', { type: 'integer', single: true })
    services.extraFields.register('user', 'shout', {
      get_callback: (data) => String(data['name']).toUpperCase(),
      schema: { type: 'string', context: ['view', 'embed', 'edit'] },
    })
    hooks.rest_avatar_sizes.tap('test-extras', (sizes) => [...sizes, 512])
    hooks.get_avatar_url.tap('test-extras', (url, email, size) =>
      size === 512 ? `https://faces.example/${email === '' ? 'nobody' : 'somebody'}.png` : url,
    )
  },
})

for (const { name, place } of databases) {
  const reading = suite<{ site: SiteWithUsers }>(`reading users on ${name}`)
  stopClockFor(reading)

  reading.before(async (context) => {
    context.site = await serveWithUsers(place, { add: [extras] })
  })
  reading.after(async ({ site }) => site?.[Symbol.asyncDispose]())

  reading('lists authors of public content for visitors', async ({ site }) => {
    const response = await site.get(LIST)
    assert.equal(ids((await response.json()) as { id: number }[]), [site.users.ann])
    assert.is(response.headers.get('x-svc-total'), '1')
  })

  reading('lists all users by name for users with the capability', async ({ site }) => {
    const { admin, ed, ann, con, sub, shy } = site.users
    assert.equal(ids(await site.json(LIST, site.by('admin'))), [admin, ann, con, ed, shy, sub])
  })

  reading('shows links to the user and to the list', async ({ site }) => {
    const user = await site.json(`${LIST}/${site.users.ann}`)
    assert.equal(user._links, {
      self: [{ href: `${site.home}/svc-json${LIST}/${site.users.ann}`, targetHints: { allow: ['GET'] } }],
      collection: [{ href: `${site.home}/svc-json${LIST}` }],
    })
  })

  reading('shows all fields in the context edit', async ({ site }) => {
    const user = await site.json(`${LIST}/${site.users.con}?context=edit`, site.by('admin'))
    assert.is(user.username, 'con')
    assert.is(user.email, 'con@mail.example')
    assert.is(user.first_name, 'First-con')
    assert.is(user.nickname, 'con')
    assert.is(user.locale, 'en_US')
    assert.match(user.registered_date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)
    assert.equal(user.roles, ['contributor'])
    assert.equal(user.extra_capabilities, { contributor: true })
    assert.is(user.capabilities.edit_posts, true)
    assert.is(user.capabilities.publish_posts, undefined)
    assert.equal(user.meta.persisted_preferences, [])
    assert.not('password' in user)
  })

  reading('returns the requesting user, and an error for visitors', async ({ site }) => {
    assert.is((await site.json(`${LIST}/me?context=edit`, site.by('sub'))).username, 'sub')
    const visitor = await site.get(`${LIST}/me`)
    assert.is(visitor.status, 401)
    assert.is(((await visitor.json()) as { code: string }).code, 'rest_not_logged_in')
  })

  reading('returns no deleted user', async ({ site }) => {
    assert.is((await site.get(`${LIST}/me`, as('subscriber', 9999))).status, 401)
  })

  reading('distinguishes unknown IDs from hidden users', async ({ site }) => {
    assert.is((await site.json(`${LIST}/9999`)).code, 'rest_user_invalid_id')
    assert.is((await site.json(`${LIST}/${site.users.shy}`)).code, 'rest_user_cannot_view')
    assert.is((await site.get(`${LIST}/${site.users.shy}`)).status, 401)
    assert.is((await site.get(`${LIST}/${site.users.shy}`, site.by('sub'))).status, 403)
  })

  reading('shows users themselves, even without published content', async ({ site }) => {
    assert.is((await site.json(`${LIST}/${site.users.shy}?context=edit`, site.by('shy'))).username, 'shy')
  })

  reading('sorts by the order of requested IDs and slugs', async ({ site }) => {
    const { ann, ed, sub } = site.users
    const admin = site.by('admin')
    const byIds = `${LIST}?include=${sub},${ann},${ed}&orderby=include`
    assert.equal(ids(await site.json(byIds, admin)), [sub, ann, ed])
    assert.equal(ids(await site.json(`${byIds}&order=desc&per_page=2`, admin)), [ed, ann])
    assert.equal(ids(await site.json(`${LIST}?slug=sub-w,ann-w&orderby=include_slugs`, admin)), [sub, ann])
    assert.equal(ids(await site.json(`${LIST}?include=${ed},${ann}&orderby=id&order=desc`, admin)), [ann, ed])
  })

  reading('sorts by slug if the list of IDs or slugs is missing', async ({ site }) => {
    const { admin, ann, con, ed, shy, sub } = site.users
    for (const order of ['include', 'include_slugs']) {
      const sorted = await site.json(`${LIST}?orderby=${order}&order=desc`, site.by('admin'))
      assert.equal(ids(sorted), [sub, shy, ed, con, ann, admin], order)
    }
  })

  reading('finds users by slug, in any case', async ({ site }) => {
    assert.equal(ids(await site.json(`${LIST}?slug=ANN-W`)), [site.users.ann])
  })

  reading('searches the columns that match the form of the text', async ({ site }) => {
    const { ann, con } = site.users
    const found = async (text: string) =>
      ids(await site.json(`${LIST}?search=${encodeURIComponent(text)}`, site.by('admin')))
    assert.equal(await found(String(con)), [con])
    assert.equal(await found('con@mail'), [con])
    assert.equal(await found('@'), ids(await site.json(LIST, site.by('admin'))))
    assert.equal(await found('https://ann.example'), [ann])
    assert.equal(await found('http://ann.example'), [])
    assert.equal(await found('con'), [con])
    for (const text of ['con*', '*con', '**con@mail*']) assert.equal(await found(text), [con], text)
    assert.equal(await found('c*n'), [])
    assert.equal(await found('*'), ids(await site.json(LIST, site.by('admin'))))
    // A search by visitors reveals no hidden column.
    assert.equal(ids(await site.json(`${LIST}?search=${ann}`)), [ann])
    assert.equal(ids(await site.json(`${LIST}?search=${con}`)), [])
    assert.equal(ids(await site.json(`${LIST}?search=ann.example`)), [])
  })

  reading('finds users by role and capability', async ({ site }) => {
    const { admin, ed, ann, con, shy } = site.users
    const idsFor = async (query: string) => ids(await site.json(`${LIST}?orderby=id&${query}`, site.by('admin')))
    assert.equal(await idsFor('roles=author,editor'), [ed, ann, shy])
    assert.equal(await idsFor('capabilities=moderate_comments'), [admin, ed])
    assert.equal(await idsFor('capabilities=fly'), [])
    assert.equal(await idsFor('who=authors'), [admin, ed, ann, con, shy])
    assert.equal(await idsFor('has_published_posts=true'), [ann])
    assert.equal(await idsFor('has_published_posts=page'), [])
    assert.equal(await idsFor('has_published_posts='), await idsFor(''))
    assert.equal(await idsFor('exclude=' + [admin, ed, ann].join()), [con, site.users.sub, shy])
    assert.equal(await idsFor(`include=${admin},${ed}&exclude=${ed}`), [admin, ed])
  })

  reading('lists all possible authors for users who can assign them', async ({ site }) => {
    const { admin, ed, ann, con, shy } = site.users
    const authors = async (login: 'ed' | 'ann', query = '') =>
      ids(await site.json(`${LIST}?orderby=id&who=authors${query}`, site.by(login)))
    assert.equal(await authors('ed'), [admin, ed, ann, con, shy])
    assert.equal(await authors('ed', '&has_published_posts=true'), [ann])
    assert.equal(await authors('ann'), [ann])
    assert.equal(ids(await site.json(LIST, site.by('ed'))), [ann])
  })

  reading('rejects a content type that the REST API does not serve', async ({ site }) => {
    const refused = await site.json(`${LIST}?has_published_posts[]=revision`, site.by('admin'))
    assert.equal(Object.keys(refused.data.params), ['has_published_posts'])
  })

  reading('pages through the list, also beyond its end', async ({ site }) => {
    const admin = site.by('admin')
    const second = await site.get(`${LIST}?per_page=2&page=2`, admin)
    assert.is(second.headers.get('x-svc-totalpages'), '3')
    assert.match(second.headers.get('link') ?? '', /page=1>; rel="prev", .*page=3>; rel="next"/)
    assert.equal(await site.json(`${LIST}?per_page=2&page=9`, admin), [])
    assert.is((await site.json(`${LIST}?offset=4`, admin)).length, 2)
  })

  reading('builds avatar URLs from the hash of the lower-case email address, with filters', async ({ site }) => {
    const { avatars } = site.kernel.services
    const one = avatars.urls(' Ann@Mail.Example')
    assert.equal(one, avatars.urls('ann@mail.example'))
    assert.is(
      one['24'],
      'https://secure.gravatar.com/avatar/e153509271c7c6a06a11823fce8a8da6fb95cc3da0e2edc78707af9e2fdb7ba4?s=24&d=mm&r=g',
    )
    assert.equal(Object.keys(one), ['24', '48', '96', '512'])
    assert.is(avatars.urls('')['48'], 'https://secure.gravatar.com/avatar/?s=48&d=mm&r=g')
    assert.is(avatars.urls('')['512'], 'https://faces.example/nobody.png')
    const user = await site.json(`${LIST}/${site.users.ann}`)
    assert.equal(user.avatar_urls, one)
  })

  reading('shows fields and meta of other plugins', async ({ site }) => {
    const user = await site.json(`${LIST}/${site.users.ann}`)
    assert.is(user.shout, 'ANN WRITER')
    assert.equal(user.meta, { city: '' })
  })

  reading('reads a list of any size with the same number of statements', async ({ site }) => {
    const admin = site.by('admin')
    await site.get(`${LIST}?context=edit`, admin)
    const one = await site.statements(() => site.get(`${LIST}?context=edit&per_page=1`, admin))
    const all = await site.statements(() => site.get(`${LIST}?context=edit`, admin))
    assert.is(one.length, all.length)
    assert.ok(all.length <= 4, all.join('\n'))
  })

  reading('reads one user with two statements, and only the requested fields', async ({ site }) => {
    await site.get(`${LIST}/${site.users.ann}`)
    const whole = await site.statements(() => site.get(`${LIST}/${site.users.ann}`))
    assert.ok(whole.length <= 3, whole.join('\n'))
    const named = await site.statements(() => site.get(`${LIST}/${site.users.ann}?_fields=id,name`))
    assert.ok(!named.some((sql) => sql.includes('user_meta')), named.join('\n'))
  })

  reading('embeds the authors of a whole list with two statements', async ({ site }) => {
    const { server, services } = site.kernel
    const parent = new RestRequest('GET', '/')
    parent.user = (await services.users.current(site.users.admin))!
    await services.options.get('language')
    const requests = Object.values(site.users).map((id) => RestRequest.fromPath(`${LIST}/${id}?context=embed`, parent))
    const found = await site.statements(async () => {
      const answers = await Promise.all(requests.map((request) => server.dispatch(request)))
      assert.equal(
        answers.map(({ status }) => status),
        requests.map(() => 200),
      )
      assert.equal(Object.keys(answers[0]!.data as object).sort(), EMBEDDED)
    })
    assert.is(found.length, 2, found.join('\n'))
  })

  reading('reads a user as the requesting user', async ({ site }) => {
    const { users, capabilities } = site.kernel.services
    const ed = (await users.current(site.users.ed))!
    assert.is(ed.login, 'ed')
    assert.equal(ed.roles, ['editor'])
    assert.ok(capabilities.can(ed, 'edit_others_posts'))
    assert.not(capabilities.can(ed, 'manage_options'))
    assert.is(await users.current(9999), undefined)
  })

  reading('finds users by login or email address, in any case', async ({ site }) => {
    const { users } = site.kernel.services
    assert.is(await users.idOf('ANN'), site.users.ann)
    assert.is(await users.idOf('Ann@mail.EXAMPLE'), site.users.ann)
    assert.is(await users.idOf('nobody'), undefined)
    assert.is(await users.idOf(''), undefined)
  })

  reading.run()
}

const EMBEDDED = ['avatar_urls', 'description', 'id', 'link', 'name', 'shout', 'slug', 'url']
