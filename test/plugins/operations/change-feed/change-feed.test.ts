import { RequestCache } from '../../../../kernel/index.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { EventClient } from '../../../helpers/event-source.ts'
import { databases, serveWithUsers, type SiteWithUsers, type UserIds } from '../../../helpers/site-with-users.ts'
import { until } from '../../../helpers/until.ts'
import { removePlugin } from '../../../helpers/remove-plugin.ts'

const CHANGES = '/svc/v2/changes'
const streamUrl = (site: SiteWithUsers, query = '') => `${site.home}/svc-json${CHANGES}${query}`

const listen = (site: SiteWithUsers, query = '', login?: keyof UserIds, headers: Record<string, string> = {}) =>
  new EventClient(() => streamUrl(site, query), { headers: { ...(login && site.by(login)), ...headers } })

const publish = async (site: SiteWithUsers, title: string, more: object = {}) => {
  const response = await site.send('POST', '/svc/v2/posts', { title, status: 'publish', ...more }, 'ann')
  return ((await response.json()) as { id: number }).id
}

const ready = (client: EventClient) => until(() => client.of('ready').length + client.of('reset').length > 0)

for (const { name, place } of databases) {
  const feed = suite(`change-feed on ${name}`)
  let site: SiteWithUsers

  feed.before(async () => {
    site = await serveWithUsers(place, { plugins: { 'change-feed': { heartbeat: 0.05 } } })
  })
  feed.after(async () => site[Symbol.asyncDispose]())

  feed('lists changes in pages, after the ID that the client has', async () => {
    const begin = await site.json(CHANGES)
    assert.equal([begin.changes, begin.more], [[], false])
    const id = await publish(site, 'One')
    const response = await site.get(`${CHANGES}?since=${begin.last}`)
    assert.is(response.headers.get('cache-control'), 'private, no-store')
    assert.match(response.headers.get('vary') ?? '', /accept/i)
    // oxlint-disable-next-line typescript/no-explicit-any -- what is expected is said by looking at it
    const { changes, last } = (await response.json()) as any
    const post = changes.find((one: { kind: string; object: number }) => one.kind === 'post' && one.object === id)
    assert.equal([post.change, post.type, post.status, post.slug], ['create', 'post', 'publish', 'one'])
    assert.not.ok('previous_status' in post)
    assert.is(new Date(post.time).toISOString(), post.time)
    assert.ok(post.tags.includes(`post:${id}`) && post.tags.includes('posts'))
    assert.equal((await site.json(`${CHANGES}?since=${last}`)).changes, [])
    // The position advances on each page, even if all its changes are hidden from the user.
    for (const title of ['Draft', 'Another draft']) await site.send('POST', '/svc/v2/posts', { title }, 'ann')
    let at = last as number
    let pages = 0
    for (let more = true; more; pages += 1) {
      const page = await site.json(`${CHANGES}?since=${at}&per_page=1`)
      assert.ok(page.last > at || !page.more)
      assert.not.ok(JSON.stringify(page.changes).includes('unpublished'))
      ;({ last: at, more } = page)
    }
    assert.ok(pages > 1)
    assert.equal(Object.keys(await site.json(`${CHANGES}?since=${last}&_fields=last`)), ['last'])
    const enveloped = await site.json(`${CHANGES}?_envelope`, { accept: 'text/event-stream' })
    assert.is(enveloped.status, 200)
  })

  feed(
    'S17: hides changes of hidden objects from users who may not read them, and reports when such an object appears or disappears',
    async () => {
      const { last } = await site.json(CHANGES)
      const id = await publish(site, 'Secret plan', { status: 'draft' })
      await site.send('POST', `/svc/v2/posts/${id}`, { status: 'publish' }, 'ann')
      await site.send('POST', `/svc/v2/posts/${id}`, { status: 'private', slug: 'hidden-now' }, 'ann')
      const changesSeenBy = async (login?: keyof UserIds) => {
        const { changes } = await site.json(`${CHANGES}?since=${last}&kinds=post&types=post`, login && site.by(login))
        return changes
          .filter(({ object }: { object: number }) => object === id)
          .map((one: Record<string, string>) => [one['change'], one['status'], one['previous_status'], one['slug']])
      }
      const slug = 'secret-plan'
      const seen = await changesSeenBy()
      assert.equal(seen, [
        ['create', 'publish', undefined, slug],
        ['delete', undefined, 'publish', slug],
      ])
      assert.equal(await changesSeenBy('sub'), seen)
      assert.equal(
        (await changesSeenBy('ann')).map(([change]: string[]) => change),
        ['create', 'update', 'update'],
      )
      assert.equal(
        (await changesSeenBy('ed')).map(([change]: string[]) => change),
        ['create', 'update', 'update'],
      )
      const all = await site.json(`${CHANGES}?since=${last}&per_page=1000`)
      assert.not.ok(JSON.stringify(all).includes('hidden-now'))
      assert.not.ok(JSON.stringify(all).includes('unpublished:'))
    },
  )

  feed(
    'S17: reports visible settings to every user, other settings to managers only, and never sessions or passwords',
    async () => {
      const { services } = site.kernel
      const { last } = await site.json(CHANGES)
      await services.options.set('title', 'Two')
      await services.options.set('email', 'owner@mail.example')
      await services.options.set('gate_code', '1234')
      await services.changes.touch(['stock:7', 'jobs'])
      await services.changes.touch(['jobs'])
      await services.sessions.create(site.users.ann, { ip: '', agent: '' })
      await services.applicationPasswords.create(site.users.ann, { name: 'x' })
      const changesSeenBy = async (login?: keyof UserIds) =>
        (await site.json(`${CHANGES}?since=${last}`, login && site.by(login))).changes.map(
          ({ kind, object, tags }: { kind: string; object: string; tags: string[] }) =>
            kind === 'tag' ? tags.join() : `${kind} ${object}`,
        )
      assert.equal(await changesSeenBy('admin'), ['option title', 'option email', 'option gate_code', 'stock:7'])
      for (const login of [undefined, 'sub', 'con', 'ann', 'ed'] as const)
        assert.equal(await changesSeenBy(login), ['option title'])
    },
  )

  feed('rejects invalid IDs and IDs whose changes have been deleted', async () => {
    const { store } = site
    await publish(site, 'One')
    const { last } = await site.json(CHANGES)
    for (const since of ['x', '-1', '1.5', '99999999999999999999', '1e400']) {
      const response = await site.get(`${CHANGES}?since=${since}`)
      assert.is(response.status, 400, since)
    }
    const newer = await site.get(`${CHANGES}?since=${last + 1}`)
    assert.is(newer.status, 400)
    assert.is(((await newer.json()) as { data: { last: number } }).data.last, last)
    for (const id of ['x', '-1', '1.5', '1e3', '99999999999999999999'])
      assert.is((await site.get(CHANGES, { accept: 'text/event-stream', 'last-event-id': id })).status, 400, id)
    assert.is((await site.get(`${CHANGES}?kinds=session`)).status, 400)
    assert.is((await site.get(`${CHANGES}?per_page=100000`)).status, 400)
    await store.run(store.db.deleteFrom('changes').where('id', '<', last))
    const response = await site.get(`${CHANGES}?since=1`)
    assert.is(response.status, 410)
    assert.is(response.headers.get('cache-control'), 'private, no-store')
    const body = (await response.json()) as { code: string; data: { last: number } }
    assert.equal([body.code, body.data.last], ['rest_changes_gone', last])
    assert.is((await site.get(`${CHANGES}?since=${last - 1}`)).status, 200)
    for (const query of ['?since=1', `?since=${last + 5}`]) {
      using client = listen(site, query)
      await ready(client)
      assert.equal(
        client.of('reset').map(({ id, data }) => [id, JSON.parse(data)]),
        [[String(last), { last }]],
      )
    }
  })

  feed('streams to each user the changes they may read', async () => {
    using visitor = listen(site)
    using editor = listen(site, '', 'ed')
    using pages = listen(site, '?types=page')
    await Promise.all([visitor, editor, pages].map(ready))
    const { headers } = visitor.response!
    assert.match(headers['content-type']!, /^text\/event-stream/)
    assert.match(headers['cache-control']!, /no-store/)
    assert.is(headers['x-accel-buffering'], 'no')
    assert.is(headers['content-encoding'], undefined)
    const draft = await publish(site, 'Draft', { status: 'draft' })
    const id = await publish(site, 'One')
    const has = (client: EventClient, object: number) =>
      client.changes.some((one) => one.kind === 'post' && one.object === object)
    await until(() => has(visitor, id) && has(editor, id) && has(editor, draft))
    assert.not.ok(has(visitor, draft))
    assert.ok(pages.changes.every(({ type }) => type === 'page'))
    // Changes that were not sent are not requested again.
    const { last } = await site.json(CHANGES)
    await until(() => [visitor, editor, pages].every(({ lastEventId }) => lastEventId === String(last)))
    assert.ok(visitor.comments.includes('beat'))
    const head = await site.request(CHANGES, { method: 'HEAD', headers: { accept: 'text/event-stream' } })
    assert.equal([head.status, await head.text()], [200, ''])
    assert.match(head.headers.get('content-type') ?? '', /event-stream/)
  })

  feed('continues where a client was without gaps or duplicates', async () => {
    const { last } = await site.json(CHANGES)
    const ids: number[] = []
    for (let at = 0; at < 5; at += 1) ids.push(await publish(site, `Post ${at}`))
    using first = listen(site, `?since=${last}&kinds=post`)
    const posts = (client: EventClient) => [...new Set(client.changes.map(({ object }) => object))]
    await until(() => posts(first).length === 5)
    first.close()
    const writing = (async () => {
      for (let at = 5; at < 15; at += 1) ids.push(await publish(site, `Post ${at}`))
    })()
    // The header takes precedence over the URL, which holds the initial position.
    using second = listen(site, `?since=${last}&kinds=post`, undefined, { 'last-event-id': first.lastEventId })
    await writing
    await until(() => posts(second).length === 10)
    const receivedIds = [...first.changes, ...second.changes].map((one) => one.id)
    const { changes } = await site.json(`${CHANGES}?since=${last}&per_page=1000&kinds=post`)
    assert.equal(
      receivedIds,
      changes.map((one: { id: number }) => one.id),
    )
    assert.equal([...new Set([...posts(first), ...posts(second)])], ids)
  })

  feed('ends when its user loses access, the server stops or the plugin is removed', async () => {
    // Webhooks need the plugin that is removed.
    await using site = await serveWithUsers(place, { plugins: { webhooks: false } })
    const { services } = site.kernel
    const { ann, ed } = site.users
    const withPassword = async (login: string, id: number) => {
      const { password } = await services.applicationPasswords.create(id, { name: 'reader' })
      const authorization = `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
      return listen(site, '', undefined, { authorization })
    }
    using author = await withPassword('ann', ann)
    using editor = await withPassword('ed', ed)
    using visitor = listen(site)
    await Promise.all([author, editor, visitor].map(ready))
    const draft = await publish(site, 'Draft', { status: 'draft' })
    await until(() => [author, editor].every(({ changes }) => changes.some((one) => one.object === draft)))
    await services.applicationPasswords.revokeAll(ann)
    await until(() => !author.isOpen)
    await services.users.update(ed, { roles: ['subscriber'] })
    await until(() => editor.of('reset').length === 1)
    await site.send('POST', `/svc/v2/posts/${draft}`, { title: 'Hidden' }, 'ann')
    const id = await publish(site, 'One')
    await until(() => [editor, visitor].every(({ changes }) => changes.some((one) => one.object === id)))
    assert.is(editor.changes.filter((one) => one.object === draft).length, 1)
    assert.ok(visitor.isOpen)
    using late = listen(site)
    await ready(late)
    await removePlugin(site.kernel, 'change-feed')
    await until(() => !visitor.isOpen && !late.isOpen)
    assert.is((await site.get(CHANGES)).status, 404)
  })

  feed('is a stream only for clients that prefer one', async () => {
    const accepts: Record<string, boolean> = {
      'text/event-stream': true,
      'TEXT/Event-Stream; charset=utf-8': true,
      'text/html, text/event-stream;q=0.5': true,
      'text/event-stream, application/json;q=0.9': true,
      'text/event-stream;q=0': false,
      'text/event-stream; q=0.000': false,
      'text/event-stream;q=0.5, application/json': false,
      'application/json': false,
      '*/*': false,
      'text/*': false,
      'text/event-streams': false,
    }
    for (const [accept, isStream] of Object.entries(accepts)) {
      using client = listen(site, '', undefined, { accept })
      await until(() => client.response !== null)
      const type = client.response!.headers['content-type']!
      assert.is(type.startsWith('text/event-stream'), isStream, `${accept}: ${type}`)
    }
  })

  feed('is JSON for envelopes, nested requests and OPTIONS, and has no body for an overridden HEAD', async () => {
    const accept = 'text/event-stream'
    for (const query of ['?_envelope', '?_jsonp=call']) {
      const response = await site.get(`${CHANGES}${query}`, { accept })
      assert.not.match(response.headers.get('content-type') ?? '', /event-stream/, query)
      // `_jsonp` may respond with an error: most sites disable it.
      assert.ok((await response.text()).length > 0, query)
    }
    const inside = await site.kernel.server.dispatch(CHANGES)
    assert.type((inside.data as { last: number }).last, 'number')
    const head = await site.request(`${CHANGES}?_method=HEAD`, { method: 'POST', headers: { accept } })
    assert.is(await head.text(), '')
    const options = await site.request(CHANGES, { method: 'OPTIONS', headers: { accept } })
    assert.match(options.headers.get('content-type') ?? '', /json/)
  })

  feed('ends a stream when its session ends: on logout, expiry, a new password or deletion of the user', async () => {
    const { services } = site.kernel
    const { store } = site
    const cookies = async (id: number) => {
      const user = (await services.users.current(id))!
      const session = await services.sessions.create(id, { ip: '', agent: '' })
      const cookie = services.sessionCookie.set(session, false).split(';')[0]!
      const nonce = services.nonces.create(site.kernel.branding.nonceAction, { ...user, session: session.id })
      const client = listen(site, `?_svcnonce=${nonce}`, undefined, { cookie })
      await ready(client)
      return { client, session }
    }
    const { ann, con, shy, sub } = site.users
    const draft = (await cookies(ann)).client
    const id = await publish(site, 'Draft of mine', { status: 'draft' })
    // The stream belongs to the user. A visitor's stream would not end.
    await until(() => draft.changes.some(({ object }) => object === id))
    using other = listen(site)
    await ready(other)
    const [loggedOut, expired, changed, deleted] = [
      await cookies(ann),
      await cookies(con),
      await cookies(sub),
      await cookies(shy),
    ]
    await services.sessions.destroy(loggedOut.session.token)
    await until(() => !loggedOut.client.isOpen)
    // No event announces that a session expired: the next heartbeat detects it.
    await store.run(store.db.updateTable('sessions').set({ expires: 1 }).where('id', '=', expired.session.id))
    await services.users.update(sub, await services.users.secured({ password: 'another pass phrase' }))
    await services.users.delete(shy, ann)
    for (const { client } of [expired, changed, deleted]) await until(() => !client.isOpen)
    assert.ok(other.isOpen && draft.isOpen)
    draft.close()
  })

  feed('runs the same number of statements for few and for many changes', async () => {
    const { last } = await site.json(CHANGES)
    const write = async (count: number) => {
      for (let at = 0; at < count; at += 1) {
        const id = await publish(site, `Post ${at}`)
        await site.send('POST', '/svc/v2/comments', { post: id, content: `Yes ${at}` }, 'admin')
        const media = { type: 'attachment', status: 'inherit', title: 'x', parent_id: id, mime_type: 'image/png' }
        await site.kernel.services.posts.create(media, { user: { id: 1 }, scope: new RequestCache() })
        await site.kernel.services.users.update(site.users.ann, { name: `Ann ${at}` })
      }
    }
    await write(2)
    const readChanges = async () => void (await site.json(`${CHANGES}?since=${last}&per_page=1000`))
    await readChanges()
    const statementCount = (await site.statements(readChanges)).length
    await write(6)
    assert.is((await site.statements(readChanges)).length, statementCount)
    assert.ok(statementCount <= 14, String(statementCount))
  })

  feed.run()
}
