import { RequestCache } from '../../../../kernel/index.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { EventClient } from '../../../helpers/event-source.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'
import { serve } from '../../../helpers/site.ts'
import { run } from '../../../helpers/svc-serve.ts'
import { until } from '../../../helpers/until.ts'
import { connectToEach, runWorkers } from '../../../helpers/workers.ts'

/** A plugin that makes the user of a request an administrator if a header says so. */
const PROBE = `export default { name: 'probe', needs: ['roles', 'posts'], apply({ hooks, services }) {
  hooks.determine_current_user.tap({ name: 'probe', stage: 100 }, (user, { headers }) =>
    headers.get('x-admin') === null ? user
      : { ...user, id: 1, roles: ['administrator'], capabilities: services.roles.capabilitiesOf(['administrator']) })
} }`

/** Scale of the test: `SVC_TEST_FEED=10` kills ten servers, and has a thousand subscribers. */
const TIMES = Number(process.env['SVC_TEST_FEED'] ?? 1)

const ROUTE = '/svc-json/svc/v2/changes'

interface Page {
  changes: { id: number; kind: string; object: number }[]
  last: number
}

/** Polls the changes, and retries if the server does not respond. */
async function poll(url: () => string, since: number, isOver: (last: number) => boolean): Promise<Page['changes']> {
  const changes: Page['changes'] = []
  let last = since
  while (!isOver(last)) {
    const response = await fetch(`${url()}?since=${last}&per_page=3`).catch(() => null)
    const page = response?.ok === true ? ((await response.json().catch(() => null)) as Page | null) : null
    if (page !== null) {
      changes.push(...page.changes)
      last = page.last
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return changes
}

for (const { name, place: make } of databases) {
  const processes = suite(`change-feed with several processes on ${name}`)

  const start = async (database: string) => {
    const plugins = { './probe.mjs': true, 'first-run': false, 'change-feed': { heartbeat: 0.5 } }
    const config = { database, port: 0, log: 'error', plugins }
    const child = await run([], { 'probe.mjs': PROBE, 'svc.config.json': JSON.stringify(config) })
    return { child, home: await child.home() }
  }
  const publish = async (home: string, title: string): Promise<number | null> => {
    const headers = { 'content-type': 'application/json', 'x-admin': '1' }
    const body = JSON.stringify({ title, status: 'publish' })
    const response = await fetch(`${home}/svc-json/svc/v2/posts`, { method: 'POST', headers, body }).catch(() => null)
    if (response?.status !== 201) return null
    return ((await response.json()) as { id: number }).id
  }

  processes('sends two subscribers every change once although the server is killed repeatedly', async () => {
    await using place = await make()
    let serving = await start(place.url)
    const url = () => `${serving.home}${ROUTE}`
    const { last: since } = (await (await fetch(url())).json()) as Page
    using client = new EventClient(() => `${url()}?since=${since}`, { reconnects: true })
    let end = Infinity
    const polled = poll(url, since, (last) => last >= end)
    const acknowledged: number[] = []
    for (let round = 0; round < TIMES; round += 1) {
      const writing = Promise.all(
        Array.from({ length: 12 }, async (_, at) => {
          const id = await publish(serving.home, `Post ${round} ${at}`)
          if (id !== null) acknowledged.push(id)
        }),
      )
      await until(() => acknowledged.length > round * 3)
      serving.child.kill('SIGKILL')
      await writing
      await serving.child[Symbol.asyncDispose]()
      serving = await start(place.url)
    }
    const final = await publish(serving.home, 'The last')
    acknowledged.push(final!)
    const whole: Page['changes'] = []
    let at = since
    for (let more = true; more;) {
      const page = (await (await fetch(`${url()}?since=${at}`)).json()) as Page & { more: boolean }
      whole.push(...page.changes)
      at = page.last
      ;({ more } = page)
    }
    await until(() => client.changes.some(({ kind, object }) => kind === 'post' && object === final))
    await until(() => client.lastEventId === String(at))
    end = at
    const ids = whole.map(({ id }) => id)
    assert.equal(
      client.changes.map(({ id }) => id),
      ids,
    )
    assert.equal(
      (await polled).map(({ id }) => id),
      ids,
    )
    const posts = new Set(whole.flatMap(({ kind, object }) => (kind === 'post' ? [object] : [])))
    for (const id of acknowledged) assert.ok(posts.has(id), `post ${id} was acknowledged but not reported`)
    assert.ok(client.connections > TIMES)
    await serving.child[Symbol.asyncDispose]()
  })

  processes('reports changes by other workers and by another process', async () => {
    await using place = await make()
    await using site = await runWorkers(place.url)
    using clients = await connectToEach(site.home)
    using subscriber = new EventClient(() => `${site.home}${ROUTE}?kinds=post`)
    await until(() => subscriber.of('ready').length === 1)
    const posts: number[] = []
    for (const client of clients)
      posts.push((await client.send('POST', '/svc/v2/posts', { title: 'One', status: 'publish' })).body.id)
    // This process acts as the other process.
    await using other = await serve({ database: place.url })
    const { posts: writer } = other.kernel.services
    const written = { type: 'post', title: 'Other', status: 'publish' }
    posts.push((await writer.create(written, { user: { id: 1 }, scope: new RequestCache() })).id)
    const receivedObjects = () => [...new Set(subscriber.changes.map(({ object }) => object))]
    await until(() => receivedObjects().length === posts.length)
    assert.equal(receivedObjects(), posts)
    assert.is(new Set(subscriber.changes.map(({ id }) => id)).size, subscriber.changes.length)
  })

  processes(
    'reads changes once for many subscribers, occupies no place in the request queue, and stops immediately',
    async () => {
      const limits = { connections: 10_000, atOnce: 2, requestTimeout: 60_000 }
      const count = 100 * TIMES
      const plugins = { 'change-feed': { streams: count, streams_per_network: count } }
      const site = await serveWithUsers(make, { limits, plugins })
      const url = `${site.home}${ROUTE}`
      const clients = Array.from({ length: count }, () => new EventClient(() => url))
      await until(() => clients.every((client) => client.of('ready').length === 1))
      const refused = await fetch(url, { headers: { accept: 'text/event-stream' } })
      assert.is(refused.status, 503)
      assert.ok(Number(refused.headers.get('retry-after')) > 0)
      assert.is(((await refused.json()) as { code: string }).code, 'rest_changes_busy')
      const statements = await site.statements(async () => {
        assert.is((await site.send('POST', '/svc/v2/posts', { title: 'One', status: 'publish' }, 'ann')).status, 201)
        await until(() => clients.every(({ changes }) => changes.some(({ kind }) => kind === 'post')))
      })
      assert.ok(statements.filter((text) => /from "?changes"?/.test(text)).length < 10, statements.join('\n'))
      const { response } = clients[0]!
      assert.is(response!.headers['content-encoding'], undefined)
      for (const client of clients.slice(count / 2)) client.close()
      await until(async () => {
        const again = new EventClient(() => url)
        await until(() => again.response !== null)
        again.close()
        return again.response!.statusCode === 200
      })
      await site[Symbol.asyncDispose]()
      await until(() => clients.every((client) => !client.isOpen))
    },
  )

  processes('disconnects a subscriber that does not read, which continues where it was', async () => {
    // The limit admits a second client only after the first one is gone.
    const options = { limits: { connectionTimeout: 500 }, plugins: { 'change-feed': { streams: 1 } } }
    await using site = await serveWithUsers(make, options)
    const { changes } = site.kernel.services
    const url = `${site.home}${ROUTE}`
    using slow = new EventClient(() => url, { headers: site.by('admin') })
    await until(() => slow.of('ready').length === 1)
    slow.pause()
    const startId = Number(slow.lastEventId)
    // The buffers of the operating system hold several megabytes.
    const many = Array.from({ length: 4000 }, (_, at) => `a-rather-long-tag-of-stock-and-more:${at}`)
    let [last, again] = [0, null as EventClient | null]
    await until(async () => {
      await changes.touch([...many, `last:${(last += 1)}`])
      const next = new EventClient(() => `${url}?since=${startId}`, { headers: site.by('admin') })
      await until(() => next.response !== null)
      if (next.isOpen) again = next
      else next.close()
      return next.isOpen
    })
    using reconnected = again!
    await until(() => reconnected.changes.some(({ tags }) => tags.includes(`last:${last}`)))
    const receivedIds = reconnected.changes.map(({ id }) => id)
    assert.is(new Set(receivedIds).size, receivedIds.length)
    const page = await site.json(`/svc/v2/changes?since=${startId}&per_page=1000`, site.by('admin'))
    assert.equal(
      receivedIds,
      page.changes.map(({ id }: { id: number }) => id),
    )
  })

  processes.run()
}
