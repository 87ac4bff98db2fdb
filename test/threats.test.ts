import { request as httpRequest } from 'node:http'
import { Parser } from 'htmlparser2'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../kernel/index.ts'
import { addPosts, type TestPost } from './content.ts'
import { databases, servePeople, type People, type PeopleSite } from './plugins/users/people.ts'
import { as } from './site.ts'

// What holds for all routes together (S of the list of threats). What one plugin alone is about stands with its tests.

const V2 = '/svc/v2'
const POSTS = `${V2}/posts`

type Who = keyof People | 'visitor'
const EVERYBODY: readonly Who[] = ['visitor', 'sub', 'con', 'ann', 'ed', 'admin']

// oxlint-disable-next-line typescript/no-explicit-any -- tests say what they expect by looking at it
type Json = any

for (const { name, place } of databases) {
  const all = suite(`security of all routes: ${name}`)

  const ask = async (site: PeopleSite, who: Who, method: string, path: string, body?: unknown) => {
    const response = await site.request(path, {
      method,
      headers: { 'content-type': 'application/json', ...(who === 'visitor' ? {} : site.by(who)) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text || 'null') }
  }
  const add = async (site: PeopleSite, post: TestPost) => (await addPosts(site.store, post))[0]!
  const stored = async (site: PeopleSite, id: number) =>
    (await site.store.first(site.store.db.selectFrom('posts').selectAll().where('id', '=', id)))!
  /** Texts and values of a database that no request may change. */
  const dump = async (site: PeopleSite) => {
    const { store } = site
    const [posts, users, terms] = [
      await store.all(
        store.db.selectFrom('posts').select(['id', 'status', 'title', 'author_id', 'slug']).orderBy('id'),
      ),
      await store.all(store.db.selectFrom('users').select(['id', 'login', 'email', 'password_hash']).orderBy('id')),
      await store.all(store.db.selectFrom('terms').select(['id', 'name', 'slug']).orderBy('id')),
    ]
    return JSON.stringify([posts, users, terms])
  }

  // S8

  const STATES = ['publish', 'locked', 'private', 'draft', 'pending', 'future', 'auto-draft', 'trash'] as const
  type State = (typeof STATES)[number]
  const OWNERS = ['ed', 'ann', 'con'] as const
  type Owner = (typeof OWNERS)[number]

  /** Who may read a post of somebody in a state, beside editors and administrators. */
  const readers = (state: State, owner: Owner): readonly Who[] => {
    if (state === 'publish' || state === 'locked') return EVERYBODY
    return [owner]
  }
  /** Who may change it, beside those. */
  const writers = (state: State, owner: Owner): readonly Who[] => {
    if (owner !== 'con') return [owner]
    return ['private', 'draft', 'pending', 'auto-draft', 'trash'].includes(state) ? ['con'] : []
  }
  const make = (site: PeopleSite, state: State, owner: Owner) =>
    add(site, {
      title: 'Title',
      content: 'the text',
      author_id: site.people[owner],
      status: state === 'locked' ? 'publish' : state,
      ...(state === 'locked' && { password: 'word' }),
      ...(state === 'future' && { date: '2190-01-01 00:00:00' }),
      ...(state === 'trash' && { meta: { _trash_meta_status: 'draft' } }),
    })

  all('S8, S9: a post is read by those alone who may, for editing by those who may change it', async () => {
    await using site = await servePeople(place)
    for (const state of STATES) {
      for (const owner of OWNERS) {
        const id = await make(site, state, owner)
        const expected = {
          read: new Set<Who>([...readers(state, owner), 'ed', 'admin']),
          write: new Set<Who>([...writers(state, owner), 'ed', 'admin']),
        }
        for (const who of EVERYBODY) {
          const about = `${who} and the ${state} of ${owner}`
          const denied = who === 'visitor' ? 401 : 403
          const seen = await ask(site, who, 'GET', `${POSTS}/${id}`)
          assert.is(seen.status, expected.read.has(who) ? 200 : denied, `GET by ${about}`)
          if (seen.status !== 200) assert.not.match(seen.text, /Title|the text/)
          if (state === 'locked') assert.is(seen.body.content.rendered, '', about)
          const edited = await ask(site, who, 'GET', `${POSTS}/${id}?context=edit`)
          assert.is(edited.status, expected.write.has(who) ? 200 : denied, `edit by ${about}`)
          for (const below of ['revisions', 'autosaves']) {
            const versions = await ask(site, who, 'GET', `${POSTS}/${id}/${below}`)
            assert.is(versions.status, expected.write.has(who) ? 200 : denied, `${below} by ${about}`)
          }
          const status = state === 'locked' ? 'publish' : state
          for (const context of ['view', 'edit']) {
            const list = await ask(site, who, 'GET', `${POSTS}?include=${id}&status=${status}&context=${context}`)
            const may = context === 'edit' ? expected.write.has(who) : expected.read.has(who)
            const ids = list.status === 200 ? list.body.map((item: Json) => item.id) : []
            assert.ok(may || ids.length === 0, `list ${context} by ${about}`)
            for (const item of ids.length === 0 ? [] : list.body) assert.is('raw' in item.title, context === 'edit')
          }
          const found = await ask(site, who, 'GET', `${V2}/search?search=the+text&include=${id}`)
          const findable = state === 'publish' || (state === 'locked' && (expected.write.has(who) || who === owner))
          if (!findable) assert.equal(found.body, [], `search by ${about}`)
          const told = await ask(site, who, 'OPTIONS', `${POSTS}/${id}`)
          const allowed = (told.headers.get('allow') ?? '').split(', ')
          assert.is(allowed.includes('PUT'), expected.write.has(who), `Allow for ${about}`)
        }
      }
    }
  })

  all('S8: a post is changed, saved aside and deleted by those alone who may', async () => {
    await using site = await servePeople(place)
    const acts: [method: string, below: string, body?: object][] = [
      ['PUT', '', { title: 'Other' }],
      ['PATCH', '', { excerpt: 'Other' }],
      ['POST', '', { meta: {} }],
      ['POST', '/autosaves', { title: 'Other', content: 'Other' }],
      ['DELETE', '?force=true'],
    ]
    for (const state of STATES) {
      for (const owner of OWNERS) {
        const may = new Set<Who>([...writers(state, owner), 'ed', 'admin'])
        for (const [method, below, body] of acts) {
          let id = await make(site, state, owner)
          for (const who of EVERYBODY) {
            const about = `${method} ${below} by ${who} of the ${state} of ${owner}`
            const before = await dump(site)
            const { status } = await ask(site, who, method, `${POSTS}/${id}${below}`, body)
            if (may.has(who)) {
              assert.ok(status < 300, `${status} for ${about}`)
              if (method === 'DELETE') id = await make(site, state, owner)
            } else {
              assert.is(status, who === 'visitor' ? 401 : 403, about)
              assert.is(await dump(site), before, about)
            }
          }
        }
      }
    }
  })

  all('S1: the path decides which post is read, judged and changed', async () => {
    await using site = await servePeople(place)
    const own = await add(site, { author_id: site.people.con, status: 'draft', title: 'own' })
    const other = await add(site, { author_id: site.people.ed, status: 'draft', title: 'other' })
    for (const id of [other, String(other), `${other}x`, [other], { 0: other }]) {
      const { status } = await ask(site, 'con', 'POST', `${POSTS}/${own}`, { id, title: 'changed' })
      assert.ok([200, 400].includes(status), JSON.stringify(id))
    }
    for (const query of [`id=${other}`, `id[]=${other}`, `ID=${other}`, `id=${own}&id=${other}`]) {
      const { body } = await ask(site, 'con', 'POST', `${POSTS}/${own}?${query}`, { title: 'changed' })
      assert.ok(body.id === undefined || body.id === own, query)
      const read = await ask(site, 'con', 'GET', `${POSTS}/${own}?${query}&context=edit`)
      assert.ok(read.status === 400 || read.body.id === own, query)
      assert.is((await ask(site, 'con', 'DELETE', `${POSTS}/${other}?id=${own}`)).status, 403)
    }
    assert.equal([(await stored(site, own)).title, (await stored(site, other)).title], ['changed', 'other'])
  })

  const HOSTILE = [
    "'", '"', "1' or '1'='1", '1;drop table posts', '%', '_', '\\', '٣', '１', '1e3', '0x10', '-0', 'NaN', 'a,b', '1,2', ' ', '',
    'x'.repeat(10_000), '\u0000', '\ud800', 'publish', 'title', 'slug', 'AND', 'true', '2024-01-01T00:00:00',
  ] // prettier-ignore

  all('S2, S3, S7: no value is more than a value, however and wherever it comes', async () => {
    await using site = await servePeople(place)
    await addPosts(site.store, { title: "It's" }, { title: 'b' })
    const described = await ask(site, 'visitor', 'OPTIONS', POSTS)
    const args = Object.keys(described.body.endpoints[0].args)
    assert.ok(args.length > 20)
    const before = await dump(site)
    /** What is between the words of a statement: values have no place there. */
    const texts = new Set<string>()
    let refused = 0
    let answered = 0
    for (const arg of args) {
      for (const value of HOSTILE) {
        const text = encodeURIComponent(value.toWellFormed())
        for (const form of [`${arg}=${text}`, `${arg}[]=${text}`, `${arg}[${text}]=1`, `${arg}[a][b]=${text}`]) {
          const statements = await site.statements(async () => {
            const { status, text: told } = await ask(site, 'visitor', 'GET', `${POSTS}?${form}&_fields=id`)
            assert.ok([200, 400, 401].includes(status), `${status} for ${form.slice(0, 60)}: ${told.slice(0, 200)}`)
            if (status === 200) answered += 1
            else refused += 1
          })
          for (const statement of statements) texts.add(statement)
        }
      }
    }
    assert.ok(refused > 1000 && answered > 100, `${refused} and ${answered}`)
    for (const text of texts) assert.not.match(text, /drop table|or '1'|x{9}|٣|１/)
    assert.is(await dump(site), before)
    const paths = HOSTILE.map((value) => `${POSTS}?search=${encodeURIComponent(value.toWellFormed())}`)
    const requests = paths.slice(0, 25).map((path) => ({ method: 'POST', path, body: { status: "'", author: "'" } }))
    const { body } = await ask(site, 'ed', 'POST', '/batch/v1', { requests })
    for (const answer of body.responses) assert.is(answer.status, 400)
    assert.is(await dump(site), before)
  })

  all('S14: nobody reaches what belongs to others, nor by an address that names another', async () => {
    await using site = await servePeople(place)
    const { people } = site
    const mine = await add(site, { author_id: people.con, status: 'draft', title: 'mine', content: 'one' })
    const theirs = await add(site, { author_id: people.ed, status: 'draft', title: 'theirs', content: 'one' })
    await ask(site, 'ed', 'PUT', `${POSTS}/${theirs}`, { content: 'two' })
    await ask(site, 'admin', 'POST', `${POSTS}/${theirs}/autosaves`, { content: 'three' })
    const [revision] = (await ask(site, 'ed', 'GET', `${POSTS}/${theirs}/revisions`)).body
    const [autosave] = (await ask(site, 'ed', 'GET', `${POSTS}/${theirs}/autosaves`)).body
    assert.type(revision.id, 'number')
    assert.type(autosave.id, 'number')
    const before = await dump(site)
    const requests: [method: string, path: string, body?: object][] = [
      ['GET', `${POSTS}/${theirs}/revisions`],
      ['GET', `${POSTS}/${theirs}/revisions/${revision.id}`],
      ['DELETE', `${POSTS}/${theirs}/revisions/${revision.id}?force=true`],
      ['GET', `${POSTS}/${theirs}/autosaves/${autosave.id}`],
      ['POST', `${POSTS}/${theirs}/autosaves`, { content: 'x' }],
      // Of what the person may see they are no versions.
      ['GET', `${POSTS}/${mine}/revisions/${revision.id}`],
      ['DELETE', `${POSTS}/${mine}/revisions/${revision.id}?force=true`],
      ['GET', `${POSTS}/${mine}/autosaves/${autosave.id}`],
      ['GET', `${POSTS}/${revision.id}`],
      ['PUT', `${POSTS}/${revision.id}`, { content: 'x' }],
      ['GET', `${V2}/pages/${theirs}?context=edit`],
      ['GET', `${V2}/media/${theirs}`],
      ['GET', `${V2}/settings`],
      ['PUT', `${V2}/settings`, { title: 'x' }],
      ['GET', `${V2}/users/${people.admin}?context=edit`],
      ['PUT', `${V2}/users/${people.admin}`, { password: 'x' }],
      ['DELETE', `${V2}/users/${people.sub}?force=true&reassign=${people.con}`],
      ['GET', `${V2}/users/${people.admin}/application-passwords`],
      ['POST', `${V2}/users/${people.admin}/application-passwords`, { name: 'x' }],
      ['DELETE', `${V2}/users/${people.admin}/application-passwords`],
      ['GET', `${V2}/themes`],
      ['GET', `${V2}/types?context=edit`],
      ['POST', `${V2}/categories`, { name: 'x' }],
      ['POST', `${V2}/media`, { title: 'x' }],
    ]
    for (const [method, path, body] of requests) {
      for (const who of ['visitor', 'sub', 'con'] as const) {
        const { status, text } = await ask(site, who, method, path, body)
        // The editor's kinds of content are told to who writes.
        if (who === 'con' && path.startsWith(`${V2}/t`)) continue
        assert.ok([401, 403, 404].includes(status), `${status} for ${method} ${path} by ${who}`)
        assert.not.match(text, /theirs|mail\.example/)
      }
    }
    assert.is(await dump(site), before)
    for (const path of [`revisions/${revision.id}`, `autosaves/${autosave.id}`])
      assert.is((await ask(site, 'admin', 'GET', `${POSTS}/${mine}/${path}`)).status, 404, path)
  })

  all('S15: a post takes no field that is not the writer’s to give', async () => {
    await using site = await servePeople(place)
    const id = await add(site, { author_id: site.people.con, status: 'draft', title: 'a', guid: 'urn:a' })
    const before = await stored(site, id)
    const fields = {
      id: 9999, ID: 9999, guid: 'x', modified: '2020-01-01T00:00:00', modified_gmt: '2020-01-01T00:00:00', type: 'page',
      post_type: 'page', post_author: 1, author_id: 1, parent: 1, parent_id: 1, comment_count: 5, mime_type: 'text/html',
      post_status: 'publish', post_content: 'x', filter: 'raw', link: 'x', generated_slug: 'x', content_filtered: 'x',
      meta: { _private: 'x', _thumbnail_id: 7, _trash_meta_status: 'publish', _attached_file: '../../etc/passwd' },
      _private: 'x', meta_input: { _x: 'y' }, roles: ['administrator'], capabilities: { manage_options: true },
    } // prettier-ignore
    for (const [field, value] of Object.entries(fields)) {
      const { status } = await ask(site, 'con', 'PUT', `${POSTS}/${id}`, { [field]: value })
      assert.ok([200, 400, 403].includes(status), `${status} for ${field}`)
    }
    const { modified: _, modified_gmt: __, ...after } = await stored(site, id)
    const { modified: ___, modified_gmt: ____, ...same } = before
    assert.equal(after, same)
    const meta = await site.store.all(site.store.db.selectFrom('post_meta').selectAll().where('post_id', '=', id))
    assert.equal(
      meta.filter(({ key }) => /^_(?:private|thumb|trash|attached|x)/.test(key)),
      [],
    )
  })

  all('S16: who may not publish does so in no way', async () => {
    await using site = await servePeople(place)
    const { con, ed } = site.people
    const draft = () => add(site, { author_id: con, status: 'draft', title: 'own', content: 'x', slug: '' })
    const asked: [method: string, below: string, body: object, header?: Record<string, string>][] = []
    for (const status of ['publish', 'future', 'private']) {
      asked.push(
        ['PUT', '', { status }],
        ['POST', '', { status: [status] }],
        ['POST', `?status=${status}`, {}],
        ['POST', '?_method=PUT', { status, title: 'y' }],
        ['POST', '/autosaves', { status, title: 'y' }],
        ['POST', `/autosaves?status=${status}`, { title: 'y', id: 1 }],
      )
    }
    asked.push(
      ['PUT', '', { sticky: true }],
      ['PUT', '', { author: ed }],
      ['PUT', '', { author: String(ed) }],
      ['POST', `?author=${ed}`, {}],
      ['PUT', '', { status: 'publish', date: '2190-01-01T00:00:00' }],
      ['PUT', '', { status: 'inherit' }],
      ['PUT', '', { status: 'trash', author: ed }],
    )
    for (const [method, below, body] of asked) {
      const id = await draft()
      await ask(site, 'con', method, `${POSTS}/${id}${below}`, body)
      const { status, author_id } = await stored(site, id)
      assert.ok(
        ['draft', 'pending', 'auto-draft'].includes(status) && author_id === con,
        `${method} ${below}: ${status}`,
      )
      const requests = [{ method, path: `${POSTS}/${id}${below}`, body }]
      await ask(site, 'con', 'POST', '/batch/v1', { requests })
      const again = await stored(site, id)
      assert.ok(['draft', 'pending', 'auto-draft'].includes(again.status) && again.author_id === con, `batch: ${below}`)
    }
    assert.equal(await site.kernel.services.posts.sticky(), [])
    // What was published, and is in the trash, comes back by nobody else's hand.
    const trashed = await add(site, { author_id: con, status: 'trash', meta: { _trash_meta_status: 'publish' } })
    for (const status of ['publish', 'draft', 'pending'])
      assert.is((await ask(site, 'con', 'PUT', `${POSTS}/${trashed}`, { status })).status, 403)
    for (const status of ['publish', 'future', 'private'])
      assert.is((await ask(site, 'con', 'POST', POSTS, { title: 'x', status })).status, 403)
    // Once it is published it is out of the hands of who wrote it.
    const out = await add(site, { author_id: con, status: 'publish', title: 'out' })
    assert.is((await ask(site, 'con', 'PUT', `${POSTS}/${out}`, { status: 'draft' })).status, 403)
    assert.is((await ask(site, 'con', 'POST', `${POSTS}/${out}/autosaves`, { title: 'x' })).status, 403)
    assert.is((await stored(site, out)).title, 'out')
  })

  all('S16: what stays at the top of lists is for those who edit what others publish', async () => {
    const halves = definePlugin({
      name: 'halves',
      needs: ['roles'],
      apply({ services: { roles } }) {
        roles.register('publisher', 'Publisher', ['read', 'edit_posts', 'edit_published_posts', 'publish_posts'])
        roles.register('corrector', 'Corrector', ['read', 'edit_posts', 'edit_others_posts', 'edit_published_posts'])
      },
    })
    await using site = await servePeople(place, { add: [halves] })
    const { people } = site
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
      const told = (await answer.json()) as { code?: string; responses?: { body: { code?: string } }[] }
      return told.responses?.[0]?.body.code ?? told.code ?? answer.status
    }
    for (const [who, headers] of Object.entries(by)) {
      const author_id = Number(headers['x-test-user']!.split(':')[0])
      const status = who === 'con' ? 'draft' : 'publish'
      for (const was of [false, true]) {
        const id = await add(site, { author_id, status, title: 'own' })
        const path = `${POSTS}/${id}`
        if (was) assert.is((await ask(site, 'ed', 'PUT', path, { sticky: true })).status, 200)
        const about = `${who}, ${was}`
        for (const sticky of [!was, String(!was), Number(!was)]) {
          const no = 'rest_cannot_assign_sticky'
          assert.is(await send(headers, 'PUT', path, { sticky }), no, about)
          assert.is(await send(headers, 'POST', path, { sticky, title: 'new' }), no, about)
          assert.is(await send(headers, 'PATCH', `${path}?sticky=${sticky}`, { title: 'new' }), no, about)
          assert.is(await send(headers, 'POST', `${path}/autosaves`, { sticky, title: 'new' }), no, about)
          assert.is(await send(headers, 'POST', '/batch/v1', { requests: [{ method: 'PUT', path, body: { sticky } }] }), no, about) // prettier-ignore
        }
        assert.is((await stored(site, id)).title, 'own', about)
        // Editors send whole items: what is as it was needs no right.
        assert.is(await send(headers, 'PUT', path, { sticky: was, title: 'corrected' }), 200, about)
        assert.is(await isSticky(id), was, about)
      }
      const made = { title: 'x', status: 'draft' }
      assert.is(await send(headers, 'POST', POSTS, { ...made, sticky: true }), 'rest_cannot_assign_sticky', who)
      assert.is(await send(headers, 'POST', POSTS, { ...made, sticky: false }), 201, who)
    }
    const id = await add(site, { author_id: people.ann })
    for (const sticky of [true, false, true])
      assert.is((await ask(site, 'ed', 'PUT', `${POSTS}/${id}`, { sticky })).status, 200)
    assert.ok(await isSticky(id))
  })

  all('S16: roles are given and taken, all of them too, by those alone who may', async () => {
    const keeper = definePlugin({
      name: 'keeper',
      needs: ['roles'],
      apply({ services: { roles } }) {
        const editor = Object.keys(roles.get('editor')!.capabilities)
        roles.register('keeper', 'Keeper of profiles', [...editor, 'list_users', 'edit_users', 'create_users'])
      },
    })
    await using site = await servePeople(place, { add: [keeper] })
    const { people } = site
    const rolesOf = async (id: number) => (await site.json(`${V2}/users/${id}?context=edit`, site.by('admin'))).roles
    const headers = { ...as('keeper', 903), 'content-type': 'application/json' }
    for (const roles of [[], '', ['author'], 'author', ['editor', 'author']]) {
      for (const more of [{}, { first_name: 'x' }]) {
        const body = JSON.stringify({ roles, ...more })
        const { status } = await site.request(`${V2}/users/${people.con}`, { method: 'PUT', headers, body })
        assert.is(status, 403, body)
      }
    }
    assert.equal(await rolesOf(people.con), ['contributor'])
    const profile = await site.request(`${V2}/users/${people.con}`, {
      method: 'PUT',
      headers,
      body: '{"first_name":"x"}',
    })
    assert.is(profile.status, 200)
    for (const who of ['sub', 'con', 'ann', 'ed'] as const) {
      for (const roles of [['administrator'], [], ['editor', 'administrator']]) {
        const { status } = await ask(site, who, 'POST', `${V2}/users/me`, { roles })
        assert.is(status, 403, `${who} ${String(roles)}`)
      }
    }
    // Nobody has more, and nobody has less.
    assert.equal(await rolesOf(people.ed), ['editor'])
  })

  all('S24: names of built-in properties are names, wherever they come', async () => {
    await using site = await servePeople(place)
    const id = await add(site, { title: 'a', author_id: site.people.ed })
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']
    for (const key of names) {
      const json = `{"${key}":{"polluted":1,"prototype":{"polluted":1}},"meta":{"${key}":{"polluted":1}},"title":{"${key}":"x"}}`
      const bodies: [type: string, body: string][] = [
        ['application/json', json],
        ['application/json', `{"meta":${json},"content":"<!-- svc:paragraph ${json} --><p>x</p><!-- /svc:paragraph -->"}`],
        ['application/x-www-form-urlencoded', `${key}[polluted]=1&meta[${key}][polluted]=1&a[${key}]=1`],
        ['multipart/form-data; boundary=x', `--x\r\ncontent-disposition: form-data; name="${key}[polluted]"\r\n\r\n1\r\n--x--\r\n`],
      ] // prettier-ignore
      for (const [type, body] of bodies) {
        for (const path of [`${POSTS}/${id}`, `${V2}/users/me`, `${V2}/tags`, '/batch/v1']) {
          const headers = { ...site.by('admin'), 'content-type': type }
          const { status } = await site.request(path, { method: 'POST', headers, body })
          assert.ok(status < 500, `${status} for ${path} with ${body}`)
        }
      }
      for (const query of [
        `${key}[polluted]=1`,
        `_fields=${key}.polluted,title.${key}`,
        `_embed=${key}`,
        `status[${key}]=1`,
        `orderby=${key}`,
        `search_columns[]=${key}`,
        `context=${key}`,
      ]) {
        assert.ok((await ask(site, 'ed', 'GET', `${POSTS}?${query}`)).status < 500, query)
      }
      for (const path of ['types', 'taxonomies', 'statuses', 'themes', 'block-types/svc'])
        assert.is((await ask(site, 'admin', 'GET', `${V2}/${path}/${key}`)).status, 404, `${path}/${key}`)
      assert.is(({} as Json).polluted, undefined)
      assert.is((Object as Json).polluted, undefined)
    }
  })

  all('S25: texts that are none are stored as text, or refused', async () => {
    await using site = await servePeople(place)
    const post = await add(site, { title: 'a', author_id: site.people.ed, comment_status: 'open' })
    const texts = [
      'a\u0000b',
      '\u0000',
      'a\ud800b',
      '\udfff\ud800',
      '\ufeffa',
      'a\u202eb',
      '\u0001\u001f\u007f',
      'x'.repeat(70_000),
    ]
    const fields: [path: string, names: readonly string[], more?: object][] = [
      [POSTS, ['title', 'content', 'excerpt', 'slug', 'password'], { title: 'x' }],
      [`${POSTS}/${post}`, ['title', 'content', 'excerpt', 'slug', 'password', 'template', 'format', 'status']],
      [`${POSTS}/${post}/autosaves`, ['title', 'content', 'excerpt']],
      [`${V2}/pages`, ['title', 'content', 'excerpt', 'slug'], { title: 'x' }],
      [`${V2}/categories`, ['name', 'slug', 'description'], { name: 'x' }],
      [`${V2}/tags`, ['name', 'slug', 'description'], { name: 'x' }],
      [`${V2}/users/me`, ['name', 'first_name', 'last_name', 'nickname', 'description', 'slug', 'url', 'email', 'locale', 'password']],
      [`${V2}/users`, ['username', 'email', 'name'], { username: 'new', email: 'new@mail.example', password: 'pass phrase' }],
      [`${V2}/users/me/application-passwords`, ['name', 'app_id'], { name: 'x' }],
      [`${V2}/comments`, ['content', 'author_name', 'author_url', 'author_user_agent'], { post, content: 'x' }],
      [`${V2}/settings`, ['title', 'description', 'email', 'timezone', 'date_format', 'language']],
      ['/batch/v1', ['requests', 'validation']],
    ] // prettier-ignore
    for (const [path, names, more = {}] of fields) {
      for (const field of names) {
        for (const text of texts) {
          for (const value of [text, { raw: text }, [text], { [text]: text }]) {
            const json = JSON.stringify({ ...more, [field]: value })
            const headers = { ...site.by('admin'), 'content-type': 'application/json' }
            const { status } = await site.request(path, { method: 'POST', headers, body: json })
            assert.ok(status < 500, `${status} for ${path} with ${json.slice(0, 100)}`)
          }
        }
      }
    }
    for (const path of [POSTS, `${V2}/pages`, `${V2}/tags`, `${V2}/users`, `${V2}/comments`])
      assert.is((await ask(site, 'admin', 'GET', `${path}?context=edit&per_page=100`)).status, 200, path)
    for (const query of [
      'search=%00',
      'slug=%00',
      'slug[]=a%00b',
      'after=%00',
      '_fields=%00',
      '_embed=%00',
      'orderby=%00',
      '%00=a',
      'a%00[b%00]=1',
    ])
      for (const path of [POSTS, `${V2}/tags`, `${V2}/users`, `${V2}/comments`, `${V2}/search`, `${V2}/media`])
        assert.ok((await ask(site, 'admin', 'GET', `${path}?${query}`)).status < 500, `${path}?${query}`)
  })

  all('S26: a body of whatever type is checked, or not looked at', async () => {
    await using site = await servePeople(place)
    const types = [
      'application/json', 'APPLICATION/JSON', 'application/json\t', 'application/json ; charset=utf-8', 'application/json;;',
      'application/json; charset=x; charset=y', 'application/json,text/plain', 'application/json-patch+json', 'text/json',
      'application/ld+json', 'application/jsonx', 'text/plain', 'text/plain; application/json', 'application/x-www-form-urlencoded',
      'multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary=x', 'application/', '/', 'json', '*/*',
      'application/xml', ' application/json', '',
    ] // prettier-ignore
    const bad = { title: 'bad', status: 'nonsense', author: "1' or 1", sticky: 'maybe' }
    const bodies = [JSON.stringify(bad), new URLSearchParams(bad).toString()]
    const before = await dump(site)
    const { port } = new URL(site.listening)
    const send = (path: string, type: string, body: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { ...site.by('admin'), ...(type !== '' && { 'content-type': type }) }
        const asked = httpRequest(
          { port, path: `/svc-json${path}`, method: 'POST', headers, agent: false },
          (answer) => {
            answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
          },
        )
        asked.on('error', reject).end(body)
      })
    for (const type of types) {
      for (const body of bodies) {
        assert.is(await send(POSTS, type, body), 400, `posts, ${type}`)
        assert.ok((await send(`${V2}/users`, type, body)) === 400, `users, ${type}`)
      }
    }
    assert.is(await dump(site), before)
  })

  all('S28: a path means the same to who finds the route and to who judges', async () => {
    await using site = await servePeople(place)
    const { port } = new URL(site.listening)
    const raw = (path: string) =>
      new Promise<[status: number, text: string]>((resolve, reject) => {
        const asked = httpRequest({ port, path, agent: false }, (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (part: string) => (text += part))
          answer.on('end', () => resolve([answer.statusCode ?? 0, text]))
        })
        asked.on('error', reject).end()
      })
    const settings = [
      '/svc-json/svc/v2/settings', '/svc-json/svc/v2/settings/', '/svc-json/SVC/V2/SETTINGS', '/svc-json/svc/v2/%73ettings',
      '/svc-json/svc%2fv2%2fsettings', '/svc-json/svc/v2/settings%2f', '/index.php/svc-json/svc/v2/settings',
      '/?rest_route=/svc/v2/settings', '/?rest_route=svc/v2/settings', '/?rest_route=/svc/v2/settings/',
      '/index.php?rest_route=%2Fsvc%2Fv2%2Fsettings', '/?rest_route=/svc/v2/posts&rest_route=/svc/v2/settings', '/?rest_route=//svc/v2/settings',
    ] // prettier-ignore
    for (const path of settings) assert.is((await raw(path))[0], 401, path)
    const nothing = [
      '/svc-json/svc/v2//settings', '/svc-json//svc/v2/settings', '/svc-json/svc/v2/./settings', '/svc-json/svc/v2/posts/../settings',
      '/svc-json/svc/v2/posts/%2e%2e/settings', '/svc-json/svc/v2/posts/..%2fsettings', '/svc-json/svc/v2/settings;a', '/svc-json/svc/v2/settings%3b',
      '/svc-json/svc/v2/settings%20', '/svc-json/svc/v2/settings%0a', '/svc-json/svc/v2/settings.', '/svc-json/svc/v2/settings%3fa=1',
      '/svc-json/svc/v2/settings%23', '/svc-json/svc/v2/settings%5c', '/svc-json/svc\\v2\\settings', '/svc-json/svc/v2/%2573ettings',
      '/svc-json/svc/v2/posts/%EF%BC%91', '/svc-json/svc/v2/posts/%D9%A1', '/svc-json/svc/v2/posts/1%0a', '/svc-json/svc/v2/posts/1%0d%0a',
      '/svc-json/svc/v2/posts/-1', '/svc-json/svc/v2/posts/1e0', '/svc-json/svc/v2/posts/0x1', '/?rest_route=/svc/v2/posts/..%2fsettings',
    ] // prettier-ignore
    for (const path of nothing) {
      const [status, text] = await raw(path)
      assert.equal([status, JSON.parse(text).code], [404, 'rest_no_route'], path)
    }
    for (const path of ['%00', '%c0%af', '%ff', '%u002e', '%', '%e0%80%af'])
      assert.is((await raw(`/svc-json/svc/v2/settings${path}`))[0], 400, path)
  })

  const SCRIPTS = [
    '<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '<svg/onload=alert(1)>', '<svg><script>alert(1)</script></svg>',
    '<math><mi xlink:href="javascript:alert(1)">x</mi></math>', '<a href="javascript:alert(1)">x</a>', '<a href="jav&#x09;ascript:alert(1)">x</a>',
    '<a href="&#106;avascript:alert(1)">x</a>', '<iframe src="https://evil.test"></iframe>', '<object data="x"></object>', '<embed src="x">',
    '<form action="https://evil.test"><button formaction="javascript:alert(1)">x</button></form>', '<style>@import "https://evil.test"</style>',
    '<p style="background:url(javascript:alert(1))">x</p>', '<div data-svc-bind--onclick="x" data-wp-bind--href="javascript:alert(1)">x</div>',
    '<link rel=stylesheet href=//evil.test>', '<meta http-equiv=refresh content=0>', '<base href=//evil.test>', '<!--><script>alert(1)</script>-->',
    '<p onclick\n=alert(1)>x</p>', '<<script>alert(1)//<</script>', '<scr<script>ipt>alert(1)</scr</script>ipt>', '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<textarea></textarea><script>alert(1)</script>', '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
    '<!-- svc:html {"content":"\\u003cscript\\u003ealert(1)\\u003c/script\\u003e"} --><script>alert(1)</script><!-- /svc:html -->',
    '<!-- svc:paragraph {"onclick":"alert(1)","style":"\\u003cimg src=x onerror=alert(1)\\u003e"} --><p onclick="alert(1)">x</p><!-- /svc:paragraph -->',
    '<!-- svc:image {"url":"javascript:alert(1)","href":"javascript:alert(1)"} --><figure><img src="javascript:alert(1)"/></figure><!-- /svc:image -->',
    '[caption]<script>alert(1)</script>[/caption]', '[caption id="x" width="1" caption="<img src=x onerror=alert(1)>"]<img src="a">[/caption]',
    '[audio src="javascript:alert(1)"]', '[gallery ids="1" link="file\' onclick=\'alert(1)"]', '[gallery columns="1\' onclick=\'alert(1)" size="\' onclick=\'x"]',
  ] // prettier-ignore
  /** Elements that run something, bring something in or send something off. */
  const RUNNING = new Set(
    'script iframe frame object embed style link meta base form input svg math noscript template portal'.split(' '),
  )
  /** What of HTML a browser would run. */
  const runs = (html: string): string[] => {
    const found: string[] = []
    const parser = new Parser({
      onopentag(tag, attributes) {
        if (RUNNING.has(tag)) found.push(`<${tag}>`)
        for (const [attribute, value] of Object.entries(attributes)) {
          // oxlint-disable-next-line no-control-regex -- browsers leave these out of addresses
          const bare = value.replace(/[\0-\x20]/g, '')
          if (
            /^(?:javascript|vbscript|data):/i.test(bare) ||
            /url\(|expression\(/i.test(bare) ||
            /^on|^data-(?:svc|wp)-|srcdoc/i.test(attribute)
          )
            found.push(`${attribute}="${value}"`)
        }
      },
    })
    parser.end(html)
    return found
  }

  all('S31: nobody without the right to all HTML stores what runs, in whatever field and by whatever way', async () => {
    await using site = await servePeople(place)
    const check = async (id: number, about: string) => {
      const view = await ask(site, 'admin', 'GET', `${POSTS}/${id}?context=edit`)
      const { title, content, excerpt } = view.body
      for (const html of [content.rendered, excerpt.rendered, title.rendered, content.raw, excerpt.raw, title.raw])
        assert.equal(runs(html as string), [], `${about}: ${html}`)
      // Attributes of blocks are read by editors and by what renders.
      assert.not.match(content.raw, /\\u003cscript|\\u003cimg src=x/i, content.raw)
    }
    const { blockMark } = site.kernel.vocabulary
    for (const script of SCRIPTS) {
      const html = script.replaceAll('svc:', `${blockMark}:`)
      const texts = { title: `a ${html}`, content: `a ${html}`, excerpt: `a ${html}` }
      for (const who of ['con', 'ann'] as const) {
        const made = await ask(site, who, 'POST', POSTS, texts)
        assert.is(made.status, 201, html)
        await check(made.body.id, `post of ${who}: ${html}`)
        const changed = await ask(site, who, 'PUT', `${POSTS}/${made.body.id}`, { content: { raw: `${html}!` } })
        assert.is(changed.status, 200)
        await check(made.body.id, `change of ${who}: ${html}`)
        const saved = await ask(site, who, 'POST', `${POSTS}/${made.body.id}/autosaves`, {
          ...texts,
          content: `${html}?`,
        })
        assert.is(saved.status, 200)
        for (const part of ['title', 'content', 'excerpt'])
          assert.equal(runs(`${saved.body[part].rendered} ${saved.body[part].raw}`), [], `autosave: ${html}`)
        const requests = [{ method: 'PUT', path: `${POSTS}/${made.body.id}`, body: { excerpt: `${html}#` } }]
        await ask(site, who, 'POST', '/batch/v1', { requests })
        await check(made.body.id, `batch of ${who}: ${html}`)
      }
    }
  })

  all('S35: no cache keeps what was made for somebody', async () => {
    await using site = await servePeople(place)
    const draft = await add(site, { status: 'draft' })
    for (const [method, path] of [
      ['GET', POSTS],
      ['HEAD', POSTS],
      ['GET', `${POSTS}/${draft}`],
      ['GET', `${POSTS}/99999`],
      ['GET', '/nope'],
      ['OPTIONS', POSTS],
      ['GET', '/'],
      ['GET', `${V2}/users/me`],
      ['GET', `${V2}/settings`],
      ['POST', '/batch/v1'],
      ['GET', `${POSTS}?per_page=x`],
      ['GET', `${POSTS}?_envelope`],
    ] as const) {
      for (const headers of [site.by('ed'), { authorization: 'Basic eDp5' }]) {
        const answer = await site.request(path, { method, headers })
        const control = answer.headers.get('cache-control') ?? ''
        assert.ok(control.includes('private') && control.includes('no-store'), `${method} ${path}: ${control}`)
        await answer.text()
      }
    }
  })

  all.run()
}
