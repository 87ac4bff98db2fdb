import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError, RequestCache } from '../../../../kernel/index.ts'
import type { User } from '../../../../plugins/people/users/index.ts'
import { addPosts } from '../../../helpers/content.ts'
import { brokenInvariants } from '../../../helpers/invariants.ts'
import { as } from '../../../helpers/site.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

const LIST = '/svc/v2/users'

// oxlint-disable-next-line typescript/no-explicit-any -- the tests check it
type Body = any
const bodyOf = async (response: Response): Promise<Body> => response.json()

let number = 0
/** Returns a new user; logins and email addresses differ from call to call. */
const newcomer = (more: object = {}) => {
  number += 1
  return { username: `new.${number}`, email: `new${number}@mail.example`, password: 'a long pass phrase', ...more }
}

/** Calls of another plugin's taps. */
const seen: string[] = []
const mottos = new Map<number, string>()
const extras = definePlugin({
  name: 'test-extras',
  needs: ['users', 'roles', 'meta', 'extra-fields'],
  apply({ hooks, services }) {
    const { extraFields: fields, meta, roles } = services
    roles.register('manager', 'Manager', [
      'read',
      'list_users',
      'create_users',
      'edit_users',
      'promote_users',
      'delete_users',
    ])
    meta.register('user', 'city', { type: 'string', single: true, show_in_rest: true })
    meta.register('user', 'age', { type: 'integer', single: true, show_in_rest: { schema: { minimum: 0 } } })
    meta.register('user', 'likes', { type: 'string', show_in_rest: true })
    meta.register('user', '_vault', { type: 'string', single: true, show_in_rest: true })
    fields.register('user', 'motto', {
      get_callback: (data) => mottos.get(data['id'] as number) ?? '',
      update_callback(value, user: User) {
        if (value === 'reject') return new RestError('motto_rejected', 'No.', { status: 400 })
        mottos.set(user.id, String(value))
      },
      schema: { type: 'string', context: ['view', 'edit'] },
    })
    hooks.rest_pre_insert_user.tap('test-extras', (change) => {
      if (change.nickname === 'refused') throw new RestError('nickname_refused', 'Not this one.', { status: 400 })
      return change
    })
    hooks.rest_insert
      .for('user')
      .tap('test-extras', (user, _, creating) => void seen.push(`insert ${user.login} ${creating}`))
    hooks.rest_after_insert
      .for('user')
      .tap('test-extras', (user, _, creating) => void seen.push(`after ${user.login} ${creating}`))
    hooks.delete_user.tap('test-extras', (user, heir) => void seen.push(`delete ${user.login} ${heir}`))
    hooks.rest_delete.for('user').tap('test-extras', (user) => void seen.push(`deleted ${user.login}`))
    hooks.illegal_user_logins.tap('test-extras', (logins) => [...logins, 'root'])
  },
})

for (const { name, place } of databases) {
  const writing = suite<{ site: SiteWithUsers }>(`writing users on ${name}`)

  writing.before(async (context) => {
    context.site = await serveWithUsers(place, { add: [extras] })
  })
  writing.after(async ({ site }) => site?.[Symbol.asyncDispose]())

  const make = async (site: SiteWithUsers, more: object = {}): Promise<Body> =>
    bodyOf(await site.send('POST', LIST, newcomer(more), 'admin'))
  const codeOf = async (response: Response) => [response.status, (await bodyOf(response)).code]

  writing('stores all fields of a new user', async ({ site }) => {
    const body = newcomer({
      name: 'New <b>Bie</b>',
      first_name: 'New',
      last_name: 'Bie',
      url: 'https://bie.example',
      description: 'Bio <b>b</b>',
      nickname: 'nb',
      slug: 'New Bie!',
      roles: ['author', 'contributor'],
      meta: { city: 'Oslo', age: '30', likes: ['tea', 'rain'] },
      motto: 'On!',
    })
    const response = await site.send('POST', LIST, body, 'admin')
    const user = await bodyOf(response)
    assert.is(response.status, 201)
    assert.is(response.headers.get('location'), `${site.home}/svc-json${LIST}/${user.id}`)
    assert.is(user.name, 'New Bie')
    assert.is(user.slug, 'new-bie')
    assert.is(user.description, 'Bio <b>b</b>')
    assert.equal(user.roles, ['author', 'contributor'])
    assert.is(user.motto, 'On!')
    assert.equal(user.meta, { persisted_preferences: [], city: 'Oslo', age: 30, likes: ['tea', 'rain'], _vault: '' })
    const { users, passwords } = site.kernel.services
    assert.ok(await passwords.verify(body.password, (await users.passwordHash(user.id))!))
  })

  writing('gives new users the default role and a unique slug', async ({ site }) => {
    const first = await make(site, { slug: 'Zoë Ångström' })
    const second = await make(site, { slug: 'Zoë Ångström' })
    assert.equal(first.roles, ['subscriber'])
    assert.is(first.slug, 'zoe-angstrom')
    assert.is(second.slug, 'zoe-angstrom-2')
  })

  writing('truncates a long slug between letters, also between encoded ones', async ({ site }) => {
    const { slug } = await make(site, { slug: '日本語日本語' })
    assert.is(decodeURIComponent(slug as string), '日本語日本')
  })

  writing('derives a missing display name and slug from the login', async ({ site }) => {
    const { id, username, ...created } = await make(site, { nickname: '' })
    assert.equal([created.name, created.nickname, created.slug], [username, username, username.replace('.', '-')])
    const named = await make(site, { name: 'Zoë Ångström' })
    assert.equal([named.name, named.slug], ['Zoë Ångström', named.username.replace('.', '-')])
    const half = await make(site, { last_name: 'Bie' })
    assert.equal([half.name, half.slug], ['Bie', half.username.replace('.', '-')])
    const change = async (fields: object) => bodyOf(await site.send('PUT', `${LIST}/${id}`, fields, 'admin'))
    assert.is((await change({ name: 'Bea' })).name, 'Bea')
    assert.is((await change({ name: '' })).name, username)
    assert.is((await change({ name: '', nickname: 'bee' })).name, 'bee')
    assert.is((await change({ name: '', nickname: '' })).nickname, username)
    assert.is((await change({ name: '', last_name: 'Bie' })).name, 'Bie')
  })

  writing('rejects a login and an email address of another user, in any case', async ({ site }) => {
    const login = await site.send('POST', LIST, newcomer({ username: 'ANN' }), 'admin')
    assert.equal(await codeOf(login), [400, 'existing_user_login'])
    const email = await site.send('POST', LIST, newcomer({ email: 'Ann@Mail.example' }), 'admin')
    assert.equal(await codeOf(email), [400, 'existing_user_email'])
  })

  writing('rejects an invalid login, email address and password in one response', async ({ site }) => {
    const response = await site.send('POST', LIST, { username: '¯\\_(ツ)_/¯', email: 'nope', password: '' }, 'admin')
    const { code, data } = await bodyOf(response)
    assert.is(code, 'rest_invalid_param')
    assert.is(data.params.email, 'Invalid email address.')
    const badLogin = await site.send(
      'POST',
      LIST,
      newcomer({ username: 'two  spaces', password: 'back\\slash' }),
      'admin',
    )
    assert.equal(Object.keys((await bodyOf(badLogin)).data.params).sort(), ['password', 'username'])
  })

  writing('rejects a login that the filter excludes', async ({ site }) => {
    const response = await site.send('POST', LIST, newcomer({ username: 'Root' }), 'admin')
    assert.equal(await codeOf(response), [400, 'rest_user_invalid_username'])
  })

  writing('rejects unregistered roles, and an ID', async ({ site }) => {
    const role = await site.send('POST', LIST, newcomer({ roles: ['emperor'] }), 'admin')
    assert.equal(await codeOf(role), [400, 'rest_user_invalid_role'])
    const id = await site.send('POST', LIST, newcomer({ id: 3 }), 'admin')
    assert.equal(await codeOf(id), [400, 'rest_user_exists'])
    const none = await site.send('POST', LIST, newcomer({ id: 0 }), 'admin')
    assert.is(none.status, 201)
  })

  writing('stores no user whose meta or fields are rejected', async ({ site }) => {
    for (const [more, code] of [
      [{ meta: { city: 'Oslo', age: 'old' } }, 'rest_invalid_type'],
      [{ meta: { city: 'Oslo', _vault: 'mine' } }, 'rest_cannot_update'],
      [{ meta: { city: 'Oslo' }, motto: 'reject' }, 'motto_rejected'],
      [{ nickname: 'refused' }, 'nickname_refused'],
    ] as const) {
      const body = newcomer(more)
      const response = await site.send('POST', LIST, body, 'admin')
      assert.is((await bodyOf(response)).code, code)
      assert.is(await site.kernel.services.users.idOf(body.username), undefined)
    }
  })

  writing('changes only the given fields', async ({ site }) => {
    const before = await make(site, { first_name: 'A', url: 'https://a.example', meta: { city: 'Oslo', age: 3 } })
    const response = await site.send('PATCH', `${LIST}/${before.id}`, { first_name: 'B', meta: { age: null } }, 'admin')
    assert.is(response.status, 200)
    assert.equal(await bodyOf(response), { ...before, first_name: 'B', meta: { ...before.meta, age: 0 } })
  })

  writing('removes all values of a key with null, and replaces them with a list', async ({ site }) => {
    const { id } = await make(site, { meta: { likes: ['a', 'b'] } })
    const changed = await bodyOf(
      await site.send('PUT', `${LIST}/${id}`, { meta: { likes: ['b', 'c'], unknown: 1 } }, 'admin'),
    )
    assert.equal(changed.meta.likes, ['b', 'c'])
    const removed = await bodyOf(await site.send('PUT', `${LIST}/${id}`, { meta: { likes: null } }, 'admin'))
    assert.equal(removed.meta.likes, [])
  })

  writing('stores editor preferences unchanged', async ({ site }) => {
    const persisted_preferences = {
      _modified: '2025-01-05T10:00:00.000Z',
      'core/edit-post': { open: [1, { x: null }] },
    }
    const me = await bodyOf(await site.send('POST', `${LIST}/me`, { meta: { persisted_preferences } }, 'sub'))
    assert.equal(me.meta.persisted_preferences, persisted_preferences)
  })

  writing('accepts a form-encoded change', async ({ site }) => {
    const { id } = await make(site)
    const response = await site.request(`${LIST}/${id}`, {
      method: 'POST',
      headers: site.by('admin'),
      body: new URLSearchParams({ first_name: 'Form', 'meta[age]': '7', 'roles[]': 'editor' }),
    })
    const user = await bodyOf(response)
    assert.equal([user.first_name, user.meta.age, user.roles], ['Form', 7, ['editor']])
  })

  writing('S31: filters the HTML of a biography like that of comments', async ({ site }) => {
    const description =
      '<i>Hi</i>\n<a href="https://a.example" rel="me" onclick="x()">& more</a><p><script>x</script></p>'
    for (const login of ['admin', 'ed', 'sub'] as const) {
      const me = await bodyOf(await site.send('PUT', `${LIST}/me`, { description }, login))
      assert.is(me.description, '<i>Hi</i>\n<a href="https://a.example" rel="me">&amp; more</a>x', login)
    }
  })

  writing('does not let users change others, nor visitors change any user', async ({ site }) => {
    const { ann, sub } = site.users
    assert.equal(await codeOf(await site.send('PUT', `${LIST}/${ann}`, { name: 'x' }, 'ed')), [403, 'rest_cannot_edit'])
    assert.equal(await codeOf(await site.send('PUT', `${LIST}/${sub}`, { name: 'x' })), [401, 'rest_cannot_edit'])
    for (const [method, path] of [
      ['PUT', `${LIST}/me`],
      ['PATCH', `${LIST}/me`],
      ['DELETE', `${LIST}/me?force=true&reassign=${ann}`],
    ] as const)
      assert.equal(await codeOf(await site.send(method, path, { name: 'x' })), [404, 'rest_user_invalid_id'], method)
    assert.equal(await codeOf(await site.request(`${LIST}/me`)), [401, 'rest_not_logged_in'])
    assert.equal(await codeOf(await site.send('POST', LIST, newcomer())), [401, 'rest_cannot_create_user'])
    assert.equal(await codeOf(await site.send('DELETE', `${LIST}/${sub}?force=true&reassign=${ann}`, {}, 'ed')), [
      403,
      'rest_user_cannot_delete',
    ])
    assert.equal(await codeOf(await site.send('PUT', `${LIST}/9999`, { name: 'x' }, 'admin')), [
      404,
      'rest_user_invalid_id',
    ])
  })

  writing('changes no login, and accepts no email address or slug of another user', async ({ site }) => {
    const { id, username } = await make(site)
    const update = (change: object) => site.send('PUT', `${LIST}/${id}`, change, 'admin').then(codeOf)
    assert.equal(await update({ username: 'other' }), [400, 'rest_user_invalid_argument'])
    assert.equal(await update({ email: 'ANN@mail.example' }), [400, 'rest_user_invalid_email'])
    assert.equal(await update({ slug: 'ann-w' }), [400, 'rest_user_invalid_slug'])
    assert.equal(await update({ slug: '!!!' }), [400, 'rest_user_invalid_slug'])
    assert.equal(await update({ username }), [200, undefined])
  })

  writing('does not let users give or edit more powers than they have', async ({ site }) => {
    const { admin, sub } = site.users
    const manager = { ...as('manager', 700), 'content-type': 'application/json' }
    const update = (id: number, body: object) =>
      site.request(`${LIST}/${id}`, { method: 'PUT', headers: manager, body: JSON.stringify(body) }).then(codeOf)
    assert.equal(await update(sub, { roles: ['administrator'] }), [403, 'rest_user_invalid_role'])
    assert.equal(await update(admin, { password: 'mine now' }), [403, 'rest_cannot_edit'])
    assert.equal(await update(admin, { roles: ['subscriber'] }), [403, 'rest_cannot_edit_roles'])
    assert.equal(await update(sub, { roles: ['subscriber', 'editor'] }), [200, undefined])
    assert.equal(await update(sub, { roles: ['subscriber'] }), [200, undefined])
    const deletion = await site.request(`${LIST}/${admin}?force=true&reassign=false`, {
      method: 'DELETE',
      headers: manager,
    })
    assert.equal(await codeOf(deletion), [403, 'rest_user_cannot_delete'])
    const password = (id: number) =>
      site
        .request(`${LIST}/${id}/application-passwords`, { method: 'POST', headers: manager, body: '{"name":"key"}' })
        .then(codeOf)
    assert.equal(await password(admin), [403, 'rest_cannot_create_application_passwords'])
    assert.equal(await password(sub), [201, undefined])
  })

  writing('does not let administrators remove their own capabilities', async ({ site }) => {
    const response = await site.send('PUT', `${LIST}/me`, { roles: ['editor'] }, 'admin')
    assert.equal(await codeOf(response), [403, 'rest_user_invalid_role'])
  })

  writing('ends the sessions of a user when the password changes', async ({ site }) => {
    const { store } = site
    const { id } = await make(site)
    for (const user_id of [id, site.users.ed]) {
      await store.run(store.db.insertInto('sessions').values({ id: `s${user_id}`, user_id, expires: 9e9, created: 1 }))
    }
    await site.send('PUT', `${LIST}/${id}`, { password: 'another pass phrase' }, 'admin')
    const left = await store.all<{ user_id: number }>(store.db.selectFrom('sessions').select('user_id'))
    assert.equal(left, [{ user_id: site.users.ed }])
    const { users, passwords } = site.kernel.services
    assert.ok(await passwords.verify('another pass phrase', (await users.passwordHash(id))!))
  })

  writing('deletes a user with all their data, and reassigns their posts', async ({ site }) => {
    const { store } = site
    const { id } = await make(site, { meta: { city: 'Oslo' } })
    const post = (await store.first<{ id: number }>(
      store.db.insertInto('posts').values({ status: 'publish', author_id: id }).returning('id'),
    ))!
    await store.run(store.db.insertInto('comments').values({ post_id: post.id, author_id: id, author_name: 'Me' }))
    const heir = site.users.ed
    const response = await site.send('DELETE', `${LIST}/${id}`, { force: true, reassign: heir }, 'admin')
    const { deleted, previous } = await bodyOf(response)
    assert.equal([response.status, deleted, previous.id, previous.meta.city], [200, true, id, 'Oslo'])
    assert.equal(await store.first(store.db.selectFrom('posts').select('author_id').where('id', '=', post.id)), {
      author_id: heir,
    })
    const comments = store.db.selectFrom('comments').select(['author_id', 'author_name']).where('post_id', '=', post.id)
    assert.equal(await store.first(comments), { author_id: 0, author_name: 'Me' })
    assert.equal(await store.all(store.db.selectFrom('user_meta').select('key').where('user_id', '=', id)), [])
    assert.equal(await codeOf(await site.send('GET', `${LIST}/${id}`, undefined, 'admin')), [
      404,
      'rest_user_invalid_id',
    ])
  })

  writing('returns the deleted user with any requested fields', async ({ site }) => {
    const { id } = await make(site)
    const path = `${LIST}/${id}?force=true&reassign=${site.users.ed}&_fields=deleted,previous`
    assert.equal(await bodyOf(await site.send('DELETE', path, undefined, 'admin')), { deleted: true, previous: { id } })
  })

  writing('makes the restoring user the author of a restored post whose author was deleted', async ({ site }) => {
    const { store, users } = site
    const { id } = await make(site)
    const ids = await addPosts(
      store,
      { author_id: id },
      { author_id: id, type: 'page' },
      { author_id: id, slug: 'given' },
    )
    const [post, page, reassigned] = ids as [number, number, number]
    const [trashed] = (await addPosts(store, { author_id: users.ann, status: 'trash' })) as [number]
    await site.send('DELETE', `${LIST}/${id}?force=true&reassign=`, {}, 'admin')
    const back = async (path: string, body: object) => {
      const response = await site.send('POST', `/svc/v2/${path}`, { status: 'publish', ...body }, 'ed')
      return [response.status, (await bodyOf(response)).author]
    }
    assert.equal(await back(`posts/${post}`, { status: 'trash', title: 'Still there' }), [200, id])
    assert.equal(await back(`posts/${post}`, {}), [200, users.ed])
    assert.equal(await back(`pages/${page}`, { status: 'draft', author: id }), [200, users.ed])
    assert.equal(await back(`posts/${reassigned}`, { author: users.ann }), [200, users.ann])
    assert.equal(await back(`posts/${trashed}`, {}), [200, users.ann])
    const broken = await brokenInvariants(store)
    assert.equal(
      broken.filter((one) => one.includes('author')),
      [],
    )
  })

  writing('moves posts without a new author to the trash, and updates the counts of their terms', async ({ site }) => {
    const { store } = site
    const { db } = store
    const { id } = await make(site)
    const row = { author_id: id, title: 'Mine' }
    const published = (await store.first<{ id: number }>(
      db
        .insertInto('posts')
        .values({ ...row, status: 'publish' })
        .returning('id'),
    ))!
    await store.run(db.insertInto('posts').values({ ...row, status: 'draft' }))
    await store.run(
      db.insertInto('posts').values({ ...row, type: 'revision', status: 'inherit', parent_id: published.id }),
    )
    const term = (await store.first<{ id: number }>(
      db
        .insertInto('terms')
        .values({ taxonomy: 'category', name: 'C', slug: `c${id}`, count: 1 })
        .returning('id'),
    ))!
    await store.run(db.insertInto('term_relationships').values({ post_id: published.id, term_id: term.id }))
    await site.send('DELETE', `${LIST}/${id}?force=true&reassign=false`, {}, 'admin')
    const posts = await store.all<{ status: string }>(
      db.selectFrom('posts').select('status').where('author_id', '=', id).orderBy('id'),
    )
    assert.equal(
      posts.map(({ status }) => status),
      ['trash', 'trash', 'inherit'],
    )
    assert.equal(await store.first(db.selectFrom('terms').select('count').where('id', '=', term.id)), { count: 0 })
    assert.is(
      await site.kernel.services.meta.single('post', published.id, '_trash_meta_status', new RequestCache()),
      'publish',
    )
  })

  writing('leaves the posts of a deleted user without an author if reassign is 0', async ({ site }) => {
    const { id } = await make(site)
    const [post] = (await addPosts(site.store, { author_id: id })) as [number]
    const deletion = await site.send('DELETE', `${LIST}/${id}`, { force: true, reassign: 0 }, 'admin')
    assert.is(deletion.status, 200)
    const left = await site.json(`/svc/v2/posts/${post}`)
    assert.equal([left.status, left.author], ['publish', 0])
  })

  writing('deletes no user without force, or with an unknown user in reassign', async ({ site }) => {
    const { id } = await make(site)
    const remove = (query: string) => site.send('DELETE', `${LIST}/${id}?${query}`, {}, 'admin').then(codeOf)
    assert.equal(await remove('reassign=false'), [501, 'rest_trash_not_supported'])
    assert.equal(await remove('force=true'), [400, 'rest_missing_callback_param'])
    assert.equal(await remove('force=true&reassign=9999'), [400, 'rest_user_invalid_reassign'])
    assert.equal(await remove(`force=true&reassign=${id}`), [400, 'rest_user_invalid_reassign'])
    assert.equal(await remove('force=true&reassign=maybe'), [400, 'rest_invalid_param'])
    assert.equal(await remove('force=true&reassign='), [200, undefined])
  })

  writing('lets users who can delete users delete themselves', async ({ site }) => {
    const { id } = await make(site, { roles: ['administrator'] })
    const response = await site.request(`${LIST}/me?force=true&reassign=${site.users.ed}`, {
      method: 'DELETE',
      headers: as('administrator', id),
    })
    assert.is((await bodyOf(response)).previous.id, id)
  })

  writing('runs the hooks in order', async ({ site }) => {
    seen.length = 0
    const { id, username } = await make(site)
    await site.send('PUT', `${LIST}/${id}`, { name: 'Other' }, 'admin')
    await site.send('DELETE', `${LIST}/${id}?force=true&reassign=0`, {}, 'admin')
    assert.equal(seen, [
      `insert ${username} true`,
      `after ${username} true`,
      `insert ${username} false`,
      `after ${username} false`,
      `delete ${username} 0`,
      `deleted ${username}`,
    ])
  })

  writing('gives an email address to only one of many concurrent requests', async ({ site }) => {
    const bodies = Array.from({ length: 8 }, () =>
      newcomer({ email: `wanted-${name}@mail.example`, name: 'Wanted One' }),
    )
    const answers = await Promise.all(bodies.map((one) => site.send('POST', LIST, one, 'admin')))
    assert.equal(
      answers.map(({ status }) => status).sort((one, other) => one - other),
      [201, 400, 400, 400, 400, 400, 400, 400],
    )
  })

  writing('responds with 429 and Retry-After if too many passwords are set at the same time', async () => {
    await using site = await serveWithUsers(place, { plugins: { passwords: { concurrency: 1, waiting: 2 } } })
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, at) => {
        const body = { username: `many${at}`, email: `many${at}@mail.example`, password: 'a pass phrase' }
        return site.send('POST', '/svc/v2/users', body, 'admin')
      }),
    )
    const refused = responses.filter(({ status }) => status === 429)
    assert.ok(refused.length > 0 && refused.every(({ headers }) => Number(headers.get('retry-after')) > 0))
    const stored = await site.json('/svc/v2/users?search=many&context=edit&per_page=100', site.by('admin'))
    assert.is((stored as unknown[]).length, responses.filter(({ status }) => status === 201).length)
  })

  writing.run()
}
