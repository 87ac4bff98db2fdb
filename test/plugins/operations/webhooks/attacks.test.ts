import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Deliveries } from '../../../../plugins/operations/webhooks/deliveries.ts'
import { sql } from '../../../../plugins/storage/store/index.ts'
import { stopClock } from '../../../helpers/clock.ts'
import { receive, status, verify } from '../../../helpers/receiver.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { CONTENT_PLUGINS, startOnly } from '../../../helpers/site.ts'
import { until } from '../../../helpers/until.ts'
import { addWebhook, BASE, hooked, type Shown } from './hooks.ts'

startOnly('webhooks', ...CONTENT_PLUGINS)

const POSTS = { kinds: ['post'] }
for (const { name, place } of databases) {
  const sender = suite(`sender of webhooks on ${name}`)

  sender('delivers long and unusual texts unchanged, and all changes of a large transaction', async () => {
    await using at = await hooked(place, { webhook: POSTS, options: { concurrency: 10 } })
    const { receiver, site } = at
    const { store } = site
    const odd = ['é', '漢字', '😀', '"\\', '</script>', '\u2028', ' '].map((piece) =>
      piece.repeat(65_536 / piece.length),
    )
    const slugs = [...odd, ...Array.from({ length: 1100 }, (_, at) => `many-${at}`)]
    const posts = slugs.map((slug) => ({ title: 'x', slug, status: 'publish', author_id: 1 }))
    await store.transaction(async (tx) => {
      for (let from = 0; from < posts.length; from += 200) {
        await tx.run(tx.db.insertInto('posts').values(posts.slice(from, from + 200)))
      }
    })
    await until(() => receiver.messages.length >= slugs.length)
    await at.waitForDeliveries()
    assert.equal(receiver.messages.map(({ data }) => data.slug as string).toSorted(), slugs.toSorted())
    for (const message of receiver.messages.filter(({ body }) => body.length > 65_536))
      verify(message, at.webhook.secret)
  })

  sender('keeps a pause that a receiver asked for while other webhooks change', async () => {
    const answer = status(429, { 'retry-after': '3600' })
    await using at = await hooked(place, { answer, webhook: { ...POSTS, enabled: true }, options: { concurrency: 1 } })
    const { webhooks } = at.site.kernel.services
    const { webhook: other } = await webhooks.add({ url: 'https://b.example/', kinds: ['tag'] })
    const ids = await Promise.all(['A', 'B', 'C', 'D', 'E'].map((title) => at.post(title)))
    for (let round = 0; round < 15; round += 1) await webhooks.change(other.id, { name: `Round ${round}` })
    await until(async () => (await at.deliveries()).length === ids.length)
    await until(async () => (await at.now()).paused_until !== null)
    await webhooks.change(other.id, { name: 'Last' })
    // The sender reads all webhooks before it sends to a new one.
    await using newReceiver = await receive()
    await addWebhook(at.site, { url: newReceiver.url, ...POSTS })
    await at.post('F')
    await until(() => newReceiver.messages.some(({ data }) => data.slug === 'f'))
    assert.is(at.receiver.messages.length, 1)
  })

  sender('limits Retry-After to a day and ignores invalid values', async () => {
    const cases: Record<string, [header: string, minWait: number, maxWait: number]> = {
      years: ['999999999999', 86_300_000, 86_400_000],
      endless: ['9'.repeat(400), 86_300_000, 86_400_000],
      '9999': ['Fri, 31 Dec 9999 23:59:59 GMT', 86_300_000, 86_400_000],
      past: ['Thu, 01 Jan 1970 00:00:00 GMT', -60_000, 0],
      zero: ['0', -60_000, 0],
      fraction: ['1.5e9', 0, 0],
      words: ['in a while', 0, 0],
    }
    await using at = await hooked(place, { webhook: null, options: { schedule: [600] } })
    const { receiver, site } = at
    receiver.answer((message, response) =>
      status(503, { 'retry-after': cases[message.path.slice(6)]![0] })(message, response),
    )
    const webhooks = await Promise.all(
      Object.keys(cases).map((word) => addWebhook(site, { url: `${receiver.url}/${word}`, ...POSTS })),
    )
    await at.post('Sea')
    const now = async (id: number) =>
      (await (await site.send('GET', `${BASE}/${id}`, undefined, 'admin')).json()) as Shown
    for (const { id, url } of webhooks) {
      const word = new URL(url as string).pathname.slice(6)
      const [, minWait, maxWait] = cases[word]!
      await until(async () => (await now(id)).failing_since !== null)
      const { paused_until: paused } = await now(id)
      if (minWait === 0 && maxWait === 0) {
        assert.is(paused, null, word)
        continue
      }
      const wait = Date.parse(paused!) - Date.now()
      assert.ok(wait >= minWait && wait <= maxWait, `${word}: ${wait}`)
    }
  })

  sender('clears the pause and the failures of a webhook when its URL changes', async () => {
    await using newReceiver = await receive()
    await using at = await hooked(place, { webhook: POSTS, options: { schedule: [86_400] } })
    const { receiver, site, webhook } = at
    receiver.answer(status(503, { 'retry-after': '86400' }))
    const id = await at.post('Sea')
    await until(async () => (await at.now()).paused_until !== null)
    await site.send('PATCH', `${BASE}/${webhook.id}`, { url: newReceiver.url, name: '' }, 'admin')
    await until(() => newReceiver.messages.length === 1)
    assert.is(newReceiver.messages[0]!.data.object, id)
    assert.is(newReceiver.messages[0]!.id, receiver.messages[0]!.id)
    await at.waitForDeliveries()
    const { paused_until, failing_since, name: called } = await at.now()
    assert.equal([paused_until, failing_since, called], [null, null, newReceiver.host])
  })

  sender('sends waiting deliveries immediately when a webhook is enabled again', async () => {
    await using at = await hooked(place, { webhook: POSTS, answer: status(500), options: { schedule: [86_400] } })
    const { receiver, site, webhook } = at
    const id = await at.post('Sea')
    await until(async () => (await at.deliveries())[0]?.['attempts'] === 1)
    await site.send('PATCH', `${BASE}/${webhook.id}`, { enabled: false }, 'admin')
    receiver.answer(status(204))
    await site.send('PATCH', `${BASE}/${webhook.id}`, { enabled: true }, 'admin')
    await at.waitForDeliveries()
    const last = receiver.messages.slice(1)
    assert.equal(last.map(({ type }) => type).toSorted(), ['all.updated', 'post.created'])
    assert.is(last.find(({ type }) => type === 'post.created')!.data.object, id)
  })

  sender('limits the connections to hanging receivers, so that other requests are sent', async () => {
    const hanging = createServer(() => {}).listen(0, '0.0.0.0')
    await once(hanging, 'listening')
    const { port } = hanging.address() as AddressInfo
    const end = () => hanging.close().closeAllConnections()
    const options = { allow: ['127.0.0.0/8:*'], concurrency: 10, schedule: [0.01, 0.01] }
    const outgoing = { allow: ['127.0.0.1:*'], concurrency: 20 }
    try {
      await using at = await hooked(place, { webhook: null, options, plugins: { outgoing } })
      const { receiver, site } = at
      for (let number = 2; number < 12; number += 1) {
        await addWebhook(site, { url: `http://127.0.0.${number}:${port}/`, ...POSTS })
      }
      const { store } = site
      const posts = Array.from({ length: 12 }, (_, at) => ({
        title: `${at}`,
        slug: `s${at}`,
        status: 'publish',
        author_id: 1,
      }))
      await store.run(store.db.insertInto('posts').values(posts))
      const connections = () => new Promise<number>((resolve) => hanging.getConnections((_, count) => resolve(count)))
      // Half of the connections are reserved for requests that a user waits for.
      await until(async () => (await connections()) === 10)
      const { status: code } = await site.kernel.services.outgoing.request(receiver.url, {
        requester: 'site',
        method: 'POST',
        body: '{}',
      })
      assert.is(code, 204)
      assert.is(await connections(), 10)
      end()
    } finally {
      end()
    }
  })

  sender('sends one message at a time to a failing receiver, without slowing down other receivers', async () => {
    let running = 0
    let maxRunning = 0
    await using other = await receive()
    await using at = await hooked(place, { webhook: POSTS, options: { schedule: [0.05, 0.05] } })
    at.site.kernel.hooks.outgoing_request_headers.tap('count', (headers, { url }) => {
      if (url.startsWith(at.receiver.url)) maxRunning = Math.max(maxRunning, (running += 1))
      return headers
    })
    at.receiver.answer((_, response) => {
      running -= 1
      response.writeHead(500).end()
    })
    await at.post('First')
    await until(async () => (await at.now()).failing_since !== null)
    maxRunning = 0
    const posts = Array.from({ length: 10 }, (_, at) => ({
      title: `${at}`,
      slug: `s${at}`,
      status: 'publish',
      author_id: 1,
    }))
    await addWebhook(at.site, { url: other.url, ...POSTS })
    await at.site.store.run(at.site.store.db.insertInto('posts').values(posts))
    await until(() => other.messages.length === 10)
    await at.waitForDeliveries()
    assert.is(maxRunning, 1)
  })

  sender('sends deliveries queued after one that expired while the webhook was disabled', async () => {
    using clock = stopClock()
    await using at = await hooked(place, { webhook: POSTS })
    const { site, receiver, webhook } = at
    const { webhooks } = site.kernel.services
    await webhooks.change(webhook.id, { enabled: false })
    const deliveries = new Deliveries(site.store)
    const add = (message: string) => {
      const payload = JSON.stringify({ type: 'post.updated', timestamp: new Date().toISOString(), data: { message } })
      const row = { message, webhook: webhook.id, change_id: 1, type: 'post.updated', subject: 'post 1', payload }
      return site.store.transaction(() => deliveries.add([row]))
    }
    await add('old')
    clock.advance(5)
    const between = Date.now()
    await add('new')
    await deliveries.forget(between)
    assert.equal(
      (await at.deliveries()).map(({ state }) => state),
      ['queued'],
    )
    await webhooks.change(webhook.id, { enabled: true })
    await until(() => receiver.messages.some(({ data }) => data.message === 'new'))
    await at.waitForDeliveries()
  })

  sender('sends no unsigned message for a webhook from the config of another process', async () => {
    await using at = await hooked(place, { webhook: POSTS })
    const { site, receiver, webhook } = at
    const { db } = site.store
    const { webhook: other } = await site.kernel.services.webhooks.add({ url: `${receiver.url}/unsigned`, ...POSTS })
    await site.store.run(db.updateTable('webhooks').set({ source: 'config', name: 'x' }).where('id', '=', other.id))
    await site.kernel.services.webhooks.change(webhook.id, { name: 'Changed' })
    await at.post('Sea')
    await until(() => receiver.messages.length > 0)
    const ofOther = db.selectFrom('webhook_deliveries').select('state').where('webhook', '=', other.id)
    await until(async () => (await site.store.all(ofOther, [])).length === 1)
    await at.post('Lake')
    await until(() => receiver.messages.length > 1)
    assert.ok(receiver.messages.every(({ headers }) => headers['webhook-signature'] !== ''))
  })

  sender('keeps results of another process when a process that was considered dead stores its own', async () => {
    await using at = await hooked(place, { webhook: { ...POSTS } })
    const { site, webhook } = at
    await site.kernel.services.webhooks.change(webhook.id, { enabled: false })
    const deliveries = new Deliveries(site.store)
    const row = { webhook: webhook.id, change_id: 1, type: 'post.created', subject: 'post 1', payload: '{}' }
    await site.store.transaction(() =>
      deliveries.add([
        { ...row, message: 'a' },
        { ...row, message: 'b' },
      ]),
    )
    const [first, second] = await at.deliveries().then((all) => all.toReversed())
    assert.equal([first!.state, second!.state], ['waiting', 'queued'])
    const outcome = { id: first!.id, due: Date.now(), status: 0, error: '' }
    const finish = (state: 'waiting' | 'done' | 'dead', attempts: number, finished: number) =>
      deliveries.finish([{ ...outcome, state, attempts, finished }], Date.now(), async () => {})
    const states = async () => (await at.deliveries()).toReversed().map(({ state }) => state)
    // Two results of the other process, then the first one of this process, which failed.
    await finish('waiting', 1, 0)
    await finish('waiting', 2, 0)
    await finish('dead', 1, 1)
    assert.equal(await states(), ['waiting', 'queued'])
    // A success is always stored.
    assert.is(await finish('done', 1, 1), 1)
    await finish('waiting', 3, 0)
    await finish('dead', 2, 1)
    assert.equal(await states(), ['done', 'waiting'])
  })

  sender('loses no delivery if the database fails while a response arrives, and resumes by itself', async () => {
    const lines: string[] = []
    const options = { log: 'error', logTo: (line: string) => void lines.push(line) }
    await using at = await hooked(place, { webhook: POSTS, ...options })
    const { receiver, site } = at
    const rename = (from: string, to: string) => site.store.run(sql.raw(`alter table ${from} rename to ${to}`))
    let isAway = false
    receiver.answer((message, response) => {
      if (isAway) return status(204)(message, response)
      isAway = true
      void rename('webhook_deliveries', 'elsewhere').then(async () => {
        status(204)(message, response)
        await until(() => lines.length > 0)
        await rename('elsewhere', 'webhook_deliveries')
      })
    })
    const ids = [await at.post('Sea')]
    await until(() => isAway)
    ids.push(await at.post('Lake'))
    await until(() => ids.every((id) => receiver.messages.some(({ data }) => data.object === id)))
    await at.waitForDeliveries()
    assert.ok((await at.deliveries()).every(({ state }) => state === 'done'))
  })

  sender('sends only the ID and tags of a deleted user, even if visitors could not see the user', async () => {
    await using at = await hooked(place, { webhook: { kinds: ['user'] } })
    const { site, receiver } = at
    const { shy, ann, admin } = site.users
    for (const id of [shy, ann]) {
      const response = await site.send('DELETE', `/svc/v2/users/${id}?force=true&reassign=${admin}`, undefined, 'admin')
      assert.is(response.status, 200)
    }
    await until(() => receiver.messages.filter(({ type }) => type === 'user.deleted').length === 2)
    const messages = receiver.messages.filter(({ type }) => type === 'user.deleted')
    assert.equal(
      messages.map(({ data }) => data.object as number),
      [shy, ann],
    )
    for (const { data, body } of messages) {
      assert.equal(Object.keys(data as object), ['change', 'kind', 'object', 'tags'])
      assert.ok((data.tags as string[]).includes(`user:${data.object}`))
      assert.not.match(body, /ann|shy|mail|:meta=/i)
    }
  })

  sender.run()
}
