import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../kernel/index.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../helpers/site-with-users.ts'
import { as } from '../helpers/site.ts'
import { add, requestAs, dump, LOGINS, POSTS, stored, V2, type Json, type Login } from './request-as.ts'

for (const { name, place } of databases) {
  const all = suite(`authorization on ${name}`)

  // S8

  const STATES = ['publish', 'locked', 'private', 'draft', 'pending', 'future', 'auto-draft', 'trash'] as const
  type State = (typeof STATES)[number]
  const OWNERS = ['ed', 'ann', 'con'] as const
  type Owner = (typeof OWNERS)[number]

  /** Users other than editors and administrators who are allowed to read a post in a status. */
  const readers = (state: State, owner: Owner): readonly Login[] => {
    if (state === 'publish' || state === 'locked') return LOGINS
    return [owner]
  }
  /** Users other than editors and administrators who are allowed to change it. */
  const writers = (state: State, owner: Owner): readonly Login[] => {
    if (owner !== 'con') return [owner]
    return ['private', 'draft', 'pending', 'auto-draft', 'trash'].includes(state) ? ['con'] : []
  }
  const make = (site: SiteWithUsers, state: State, owner: Owner) =>
    add(site, {
      title: 'Title',
      content: 'the text',
      author_id: site.users[owner],
      status: state === 'locked' ? 'publish' : state,
      ...(state === 'locked' && { password: 'word' }),
      ...(state === 'future' && { date: '2190-01-01 00:00:00' }),
      ...(state === 'trash' && { meta: { _trash_meta_status: 'draft' } }),
    })

  all(
    'S8, S9: shows a post only to users with the capability, and in the context edit only to users who can change it',
    async () => {
      await using site = await serveWithUsers(place)
      for (const state of STATES) {
        for (const owner of OWNERS) {
          const id = await make(site, state, owner)
          const expected = {
            read: new Set<Login>([...readers(state, owner), 'ed', 'admin']),
            write: new Set<Login>([...writers(state, owner), 'ed', 'admin']),
          }
          for (const login of LOGINS) {
            const about = `${login} and the ${state} of ${owner}`
            const denied = login === 'visitor' ? 401 : 403
            const seen = await requestAs(site, login, 'GET', `${POSTS}/${id}`)
            assert.is(seen.status, expected.read.has(login) ? 200 : denied, `GET by ${about}`)
            if (seen.status !== 200) assert.not.match(seen.text, /Title|the text/)
            if (state === 'locked') assert.is(seen.body.content.rendered, '', about)
            const edited = await requestAs(site, login, 'GET', `${POSTS}/${id}?context=edit`)
            assert.is(edited.status, expected.write.has(login) ? 200 : denied, `edit by ${about}`)
            for (const below of ['revisions', 'autosaves']) {
              const versions = await requestAs(site, login, 'GET', `${POSTS}/${id}/${below}`)
              assert.is(versions.status, expected.write.has(login) ? 200 : denied, `${below} by ${about}`)
            }
            const status = state === 'locked' ? 'publish' : state
            for (const context of ['view', 'edit']) {
              const list = await requestAs(
                site,
                login,
                'GET',
                `${POSTS}?include=${id}&status=${status}&context=${context}`,
              )
              const may = context === 'edit' ? expected.write.has(login) : expected.read.has(login)
              const ids = list.status === 200 ? list.body.map((item: Json) => item.id) : []
              assert.ok(may || ids.length === 0, `list ${context} by ${about}`)
              for (const item of ids.length === 0 ? [] : list.body) assert.is('raw' in item.title, context === 'edit')
            }
            const found = await requestAs(site, login, 'GET', `${V2}/search?search=the+text&include=${id}`)
            const findable =
              state === 'publish' || (state === 'locked' && (expected.write.has(login) || login === owner))
            if (!findable) assert.equal(found.body, [], `search by ${about}`)
            const options = await requestAs(site, login, 'OPTIONS', `${POSTS}/${id}`)
            const allowed = (options.headers.get('allow') ?? '').split(', ')
            assert.is(allowed.includes('PUT'), expected.write.has(login), `Allow for ${about}`)
          }
        }
      }
    },
  )

  all('S8: lets only users with the capability change, autosave and delete a post', async () => {
    await using site = await serveWithUsers(place)
    const acts: [method: string, below: string, body?: object][] = [
      ['PUT', '', { title: 'Other' }],
      ['PATCH', '', { excerpt: 'Other' }],
      ['POST', '', { meta: {} }],
      ['POST', '/autosaves', { title: 'Other', content: 'Other' }],
      ['DELETE', '?force=true'],
    ]
    for (const state of STATES) {
      for (const owner of OWNERS) {
        const may = new Set<Login>([...writers(state, owner), 'ed', 'admin'])
        for (const [method, below, body] of acts) {
          let id = await make(site, state, owner)
          for (const login of LOGINS) {
            const about = `${method} ${below} by ${login} of the ${state} of ${owner}`
            const before = await dump(site)
            const { status } = await requestAs(site, login, method, `${POSTS}/${id}${below}`, body)
            if (may.has(login)) {
              assert.ok(status < 300, `${status} for ${about}`)
              if (method === 'DELETE') id = await make(site, state, owner)
            } else {
              assert.is(status, login === 'visitor' ? 401 : 403, about)
              assert.is(await dump(site), before, about)
            }
          }
        }
      }
    }
  })

  all('S14: denies access to objects of other users, also through a URL of another object', async () => {
    await using site = await serveWithUsers(place)
    const { users } = site
    const mine = await add(site, { author_id: users.con, status: 'draft', title: 'mine', content: 'one' })
    const theirs = await add(site, { author_id: users.ed, status: 'draft', title: 'theirs', content: 'one' })
    await requestAs(site, 'ed', 'PUT', `${POSTS}/${theirs}`, { content: 'two' })
    await requestAs(site, 'admin', 'POST', `${POSTS}/${theirs}/autosaves`, { content: 'three' })
    const [revision] = (await requestAs(site, 'ed', 'GET', `${POSTS}/${theirs}/revisions`)).body
    const [autosave] = (await requestAs(site, 'ed', 'GET', `${POSTS}/${theirs}/autosaves`)).body
    assert.type(revision.id, 'number')
    assert.type(autosave.id, 'number')
    const before = await dump(site)
    const requests: [method: string, path: string, body?: object][] = [
      ['GET', `${POSTS}/${theirs}/revisions`],
      ['GET', `${POSTS}/${theirs}/revisions/${revision.id}`],
      ['DELETE', `${POSTS}/${theirs}/revisions/${revision.id}?force=true`],
      ['GET', `${POSTS}/${theirs}/autosaves/${autosave.id}`],
      ['POST', `${POSTS}/${theirs}/autosaves`, { content: 'x' }],
      // Of what the user may see they are no versions.
      ['GET', `${POSTS}/${mine}/revisions/${revision.id}`],
      ['DELETE', `${POSTS}/${mine}/revisions/${revision.id}?force=true`],
      ['GET', `${POSTS}/${mine}/autosaves/${autosave.id}`],
      ['GET', `${POSTS}/${revision.id}`],
      ['PUT', `${POSTS}/${revision.id}`, { content: 'x' }],
      ['GET', `${V2}/pages/${theirs}?context=edit`],
      ['GET', `${V2}/media/${theirs}`],
      ['GET', `${V2}/settings`],
      ['PUT', `${V2}/settings`, { title: 'x' }],
      ['GET', `${V2}/users/${users.admin}?context=edit`],
      ['PUT', `${V2}/users/${users.admin}`, { password: 'x' }],
      ['DELETE', `${V2}/users/${users.sub}?force=true&reassign=${users.con}`],
      ['GET', `${V2}/users/${users.admin}/application-passwords`],
      ['POST', `${V2}/users/${users.admin}/application-passwords`, { name: 'x' }],
      ['DELETE', `${V2}/users/${users.admin}/application-passwords`],
      ['GET', `${V2}/themes`],
      ['GET', `${V2}/types?context=edit`],
      ['POST', `${V2}/categories`, { name: 'x' }],
      ['POST', `${V2}/media`, { title: 'x' }],
    ]
    for (const [method, path, body] of requests) {
      for (const login of ['visitor', 'sub', 'con'] as const) {
        const { status, text } = await requestAs(site, login, method, path, body)
        // Users who write can read the content types of the editor.
        if (login === 'con' && path.startsWith(`${V2}/t`)) continue
        assert.ok([401, 403, 404].includes(status), `${status} for ${method} ${path} by ${login}`)
        assert.not.match(text, /theirs|mail\.example/)
      }
    }
    assert.is(await dump(site), before)
    for (const path of [`revisions/${revision.id}`, `autosaves/${autosave.id}`])
      assert.is((await requestAs(site, 'admin', 'GET', `${POSTS}/${mine}/${path}`)).status, 404, path)
  })

  all('S16: prevents users without the capability from publishing in any way', async () => {
    await using site = await serveWithUsers(place)
    const { con, ed } = site.users
    const draft = () => add(site, { author_id: con, status: 'draft', title: 'own', content: 'x', slug: '' })
    const attempts: [method: string, below: string, body: object, header?: Record<string, string>][] = []
    for (const status of ['publish', 'future', 'private']) {
      attempts.push(
        ['PUT', '', { status }],
        ['POST', '', { status: [status] }],
        ['POST', `?status=${status}`, {}],
        ['POST', '?_method=PUT', { status, title: 'y' }],
        ['POST', '/autosaves', { status, title: 'y' }],
        ['POST', `/autosaves?status=${status}`, { title: 'y', id: 1 }],
      )
    }
    attempts.push(
      ['PUT', '', { sticky: true }],
      ['PUT', '', { author: ed }],
      ['PUT', '', { author: String(ed) }],
      ['POST', `?author=${ed}`, {}],
      ['PUT', '', { status: 'publish', date: '2190-01-01T00:00:00' }],
      ['PUT', '', { status: 'inherit' }],
      ['PUT', '', { status: 'trash', author: ed }],
    )
    for (const [method, below, body] of attempts) {
      const id = await draft()
      await requestAs(site, 'con', method, `${POSTS}/${id}${below}`, body)
      const { status, author_id } = await stored(site, id)
      assert.ok(
        ['draft', 'pending', 'auto-draft'].includes(status) && author_id === con,
        `${method} ${below}: ${status}`,
      )
      const requests = [{ method, path: `${POSTS}/${id}${below}`, body }]
      await requestAs(site, 'con', 'POST', '/batch/v1', { requests })
      const again = await stored(site, id)
      assert.ok(['draft', 'pending', 'auto-draft'].includes(again.status) && again.author_id === con, `batch: ${below}`)
    }
    assert.equal(await site.kernel.services.posts.sticky(), [])
    // Only users who can publish restore a published post from the trash.
    const trashed = await add(site, { author_id: con, status: 'trash', meta: { _trash_meta_status: 'publish' } })
    for (const status of ['publish', 'draft', 'pending'])
      assert.is((await requestAs(site, 'con', 'PUT', `${POSTS}/${trashed}`, { status })).status, 403)
    for (const status of ['publish', 'future', 'private'])
      assert.is((await requestAs(site, 'con', 'POST', POSTS, { title: 'x', status })).status, 403)
    // The author cannot change the post once it is published.
    const out = await add(site, { author_id: con, status: 'publish', title: 'out' })
    assert.is((await requestAs(site, 'con', 'PUT', `${POSTS}/${out}`, { status: 'draft' })).status, 403)
    assert.is((await requestAs(site, 'con', 'POST', `${POSTS}/${out}/autosaves`, { title: 'x' })).status, 403)
    assert.is((await stored(site, out)).title, 'out')
  })

  all('S16: lets only users who can edit posts of others make posts sticky', async () => {
    const halves = definePlugin({
      name: 'halves',
      needs: ['roles'],
      apply({ services: { roles } }) {
        roles.register('publisher', 'Publisher', ['read', 'edit_posts', 'edit_published_posts', 'publish_posts'])
        roles.register('corrector', 'Corrector', ['read', 'edit_posts', 'edit_others_posts', 'edit_published_posts'])
      },
    })
    await using site = await serveWithUsers(place, { add: [halves] })
    const { users } = site
    const { posts } = site.kernel.services
    const isSticky = async (id: number) => (await posts.sticky()).includes(id)
    const by = {
      publisher: as('publisher', 901),
      corrector: as('corrector', 902),
      ann: site.by('ann'),
      con: site.by('con'),
    }
    const send = async (headers: Record<string, string>, method: string, path: string, body: unknown) => {
      const json = { 'content-type': 'application/json' }
      const answer = await site.request(path, { method, headers: { ...headers, ...json }, body: JSON.stringify(body) })
      const result = (await answer.json()) as { code?: string; responses?: { body: { code?: string } }[] }
      return result.responses?.[0]?.body.code ?? result.code ?? answer.status
    }
    for (const [login, headers] of Object.entries(by)) {
      const author_id = Number(headers['x-test-user']!.split(':')[0])
      const status = login === 'con' ? 'draft' : 'publish'
      for (const was of [false, true]) {
        const id = await add(site, { author_id, status, title: 'own' })
        const path = `${POSTS}/${id}`
        if (was) assert.is((await requestAs(site, 'ed', 'PUT', path, { sticky: true })).status, 200)
        const about = `${login}, ${was}`
        for (const sticky of [!was, String(!was), Number(!was)]) {
          const no = 'rest_cannot_assign_sticky'
          assert.is(await send(headers, 'PUT', path, { sticky }), no, about)
          assert.is(await send(headers, 'POST', path, { sticky, title: 'new' }), no, about)
          assert.is(await send(headers, 'PATCH', `${path}?sticky=${sticky}`, { title: 'new' }), no, about)
          assert.is(await send(headers, 'POST', `${path}/autosaves`, { sticky, title: 'new' }), no, about)
          assert.is(
            await send(headers, 'POST', '/batch/v1', { requests: [{ method: 'PUT', path, body: { sticky } }] }),
            no,
            about,
          )
        }
        assert.is((await stored(site, id)).title, 'own', about)
        // Editors send whole items: unchanged fields require no capability.
        assert.is(await send(headers, 'PUT', path, { sticky: was, title: 'corrected' }), 200, about)
        assert.is(await isSticky(id), was, about)
      }
      const draft = { title: 'x', status: 'draft' }
      assert.is(await send(headers, 'POST', POSTS, { ...draft, sticky: true }), 'rest_cannot_assign_sticky', login)
      assert.is(await send(headers, 'POST', POSTS, { ...draft, sticky: false }), 201, login)
    }
    const id = await add(site, { author_id: users.ann })
    for (const sticky of [true, false, true])
      assert.is((await requestAs(site, 'ed', 'PUT', `${POSTS}/${id}`, { sticky })).status, 200)
    assert.ok(await isSticky(id))
  })

  all('S9: hides the content from users who delete or change objects that they cannot read', async () => {
    const odd = definePlugin({
      name: 'odd',
      needs: ['roles'],
      apply({ services: { roles } }) {
        const posts = ['', 'others_', 'private_', 'published_'].map((of) => `delete_${of}posts`)
        roles.register('deleter', 'Deletes', ['read', ...posts])
        roles.register('promoter', 'Promotes', ['read', 'promote_users'])
        roles.register('remover', 'Removes', ['read', 'delete_users'])
      },
    })
    await using site = await serveWithUsers(place, { add: [odd] })
    const { users } = site
    const send = async (role: string, method: string, path: string, body?: object): Promise<Json> => {
      const headers = { ...as(role, 930), 'content-type': 'application/json' }
      const json = body && JSON.stringify(body)
      const response = await site.request(path, { method, headers, ...(json !== undefined && { body: json }) })
      assert.is(response.status, 200, `${method} ${path}`)
      return response.json()
    }
    for (const state of ['publish', 'locked', 'private', 'draft', 'pending', 'future', 'auto-draft'] as const) {
      for (const force of [true, false]) {
        const id = await make(site, state, 'ann')
        const answer = await send('deleter', 'DELETE', `${POSTS}/${id}?force=${force}`)
        const shown = force ? answer.previous : answer
        const text = JSON.stringify(shown)
        if (state === 'publish' || state === 'locked') {
          assert.equal([shown.title, shown.password], [{ rendered: 'Title' }, undefined], state)
          assert.is(shown.content.raw, undefined)
          assert.is(text.includes('the text'), state === 'publish')
        } else assert.equal(shown, { id }, state)
      }
    }
    const promoted = await send('promoter', 'POST', `${V2}/users/${users.sub}`, { roles: ['subscriber'] })
    assert.equal(promoted, { id: users.sub })
    const removed = await send('remover', 'DELETE', `${V2}/users/${users.sub}?force=true&reassign=`)
    assert.equal(removed, { deleted: true, previous: { id: users.sub } })
    const writer = await send('remover', 'DELETE', `${V2}/users/${users.ann}?force=true&reassign=${users.ed}`)
    assert.equal([writer.previous.slug, writer.previous.email], ['ann-w', undefined])
  })

  all('S16: lets only users who can publish change the date of a scheduled post', async () => {
    const fixer = definePlugin({
      name: 'fixer',
      needs: ['roles'],
      apply({ services: { roles } }) {
        roles.register('fixer', 'Corrects', ['read', 'edit_posts', 'edit_published_posts'])
      },
    })
    await using site = await serveWithUsers(place, { add: [fixer] })
    const headers = { ...as('fixer', 940), 'content-type': 'application/json' }
    const date = '2190-01-01T00:00:00'
    const row = { author_id: 940, status: 'future', date: '2190-01-01 00:00:00', date_gmt: '2190-01-01 00:00:00' }
    const id = await add(site, row)
    const update = async (body: object) => {
      const response = await site.request(`${POSTS}/${id}`, { method: 'PUT', headers, body: JSON.stringify(body) })
      return response.ok ? response.status : ((await response.json()) as Json).code
    }
    for (const change of [
      { date: '2020-01-01T00:00:00' },
      { date_gmt: '2020-01-01T00:00:00' },
      { date: '2020-01-01T00:00:00', status: 'future' },
      { date: '2191-01-01T00:00:00' },
      { date: null },
    ])
      assert.is(await update(change), 'rest_cannot_publish', JSON.stringify(change))
    assert.is(await update({ title: 'Corrected', date, status: 'future' }), 200)
    assert.is((await stored(site, id)).status, 'future')
    assert.is(await update({ status: 'draft', date: '2020-01-01T00:00:00' }), 200)
  })

  all('S16: lets only users with the capability add and remove roles, also all roles', async () => {
    const profileManager = definePlugin({
      name: 'keeper',
      needs: ['roles'],
      apply({ services: { roles } }) {
        const editor = Object.keys(roles.get('editor')!.capabilities)
        roles.register('keeper', 'Keeper of profiles', [...editor, 'list_users', 'edit_users', 'create_users'])
      },
    })
    await using site = await serveWithUsers(place, { add: [profileManager] })
    const { users } = site
    const rolesOf = async (id: number) => (await site.json(`${V2}/users/${id}?context=edit`, site.by('admin'))).roles
    const headers = { ...as('keeper', 903), 'content-type': 'application/json' }
    for (const roles of [[], '', ['author'], 'author', ['editor', 'author']]) {
      for (const more of [{}, { first_name: 'x' }]) {
        const body = JSON.stringify({ roles, ...more })
        const { status } = await site.request(`${V2}/users/${users.con}`, { method: 'PUT', headers, body })
        assert.is(status, 403, body)
      }
    }
    assert.equal(await rolesOf(users.con), ['contributor'])
    const profile = await site.request(`${V2}/users/${users.con}`, {
      method: 'PUT',
      headers,
      body: '{"first_name":"x"}',
    })
    assert.is(profile.status, 200)
    for (const login of ['sub', 'con', 'ann', 'ed'] as const) {
      for (const roles of [['administrator'], [], ['editor', 'administrator']]) {
        const { status } = await requestAs(site, login, 'POST', `${V2}/users/me`, { roles })
        assert.is(status, 403, `${login} ${String(roles)}`)
      }
    }
    // The roles of all users are unchanged.
    assert.equal(await rolesOf(users.ed), ['editor'])
  })

  all.run()
}
