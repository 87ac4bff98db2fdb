import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { receive, status } from '../../../helpers/receiver.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { until } from '../../../helpers/until.ts'
import { addWebhook, BASE, hooked } from './hooks.ts'

const POSTS = { kinds: ['post'] }

for (const { name, place } of databases) {
  const receivers = suite(`receivers of webhooks on ${name}`)

  receivers(
    'that fail get the same message again until the delivery is dead, and once more when it is replayed',
    async () => {
      await using at = await hooked(place, { webhook: POSTS, answer: status(500, {}, '<b>no</b>\n\u0000oh') })
      const { site, receiver, webhook } = at
      const first = await at.post('Sea')
      const second = await at.post('Lake')
      const dead = () => at.deliveries('&state=dead')
      await until(async () => (await dead()).length === 2)
      assert.is(receiver.messages.filter(({ data }) => data.object === first).length, 4)
      assert.is(new Set(receiver.messages.map(({ id }) => id)).size, 2)
      const [delivery] = await dead()
      assert.is(delivery!['attempts'], 4)
      assert.is(delivery!['status'], 500)
      assert.match(String(delivery!['error']), /^The receiver responded 500: <b>no<\/b> oh$/)
      assert.ok((await at.now()).failing_since !== null)

      receiver.answer(status(204))
      receiver.messages.length = 0
      const replayed = await site.send('POST', `${BASE}/${webhook.id}/deliveries/${delivery!.id}/replay`, {}, 'admin')
      assert.is(replayed.status, 200)
      await until(() => receiver.messages.length === 1)
      assert.is(receiver.messages[0]!.data.object, second)
      const all = await site.send('POST', `${BASE}/${webhook.id}/deliveries/replay`, {}, 'admin')
      assert.equal(await all.json(), { replayed: 1 })
      await until(() => receiver.messages.length === 2)
      await at.waitForDeliveries()
      assert.is((await at.now()).failing_since, null)
      assert.is((await dead()).length, 0)
      const later = { since: '2126-01-01T00:00:00Z' }
      const none = await site.send('POST', `${BASE}/${webhook.id}/deliveries/replay`, later, 'admin')
      assert.equal(await none.json(), { replayed: 0 })
    },
  )

  receivers('that redirect count as failed, and the redirect is not followed', async () => {
    await using redirectTarget = await receive()
    await using at = await hooked(place, { webhook: POSTS, answer: status(302, { location: redirectTarget.url }) })
    await at.post('Sea')
    await until(async () => (await at.deliveries('&state=dead')).length === 1)
    assert.is(redirectTarget.messages.length, 0)
    const [delivery] = await at.deliveries()
    assert.is(delivery!['status'], 302)
    assert.match(String(delivery!['error']), /redirects are not followed/)
  })

  receivers('that hang delay no other receiver, and the delivery is retried', async () => {
    await using at = await hooked(place, { webhook: POSTS, options: { timeout: 0.3, schedule: [0.01, 0.01] } })
    const { site, receiver } = at
    await using other = await receive()
    await addWebhook(site, { url: other.url, ...POSTS })
    receiver.answer(() => {})
    const id = await at.post('Sea')
    await until(() => other.messages.length === 1)
    assert.is(other.messages[0]!.data.object, id)
    await until(async () => (await at.deliveries('&state=dead')).length === 1)
    const [delivery] = await at.deliveries()
    assert.is(delivery!['status'], 0)
    assert.match(String(delivery!['error']), /OUTGOING_TOO_SLOW/)
  })

  receivers('that close the connection without a response get the message again', async () => {
    let count = 0
    await using at = await hooked(place, {
      webhook: POSTS,
      answer: (_, response) => {
        if (count++ > 0) return void response.writeHead(200).end('fine')
        response.destroy()
      },
    })
    await at.post('Sea')
    await at.waitForDeliveries()
    assert.is(at.receiver.messages.length, 2)
    assert.is((await at.deliveries())[0]!.state, 'done')
  })

  receivers('that respond 200 with an endless body have accepted the message', async () => {
    await using at = await hooked(place, {
      webhook: POSTS,
      answer: (_, response) => {
        response.writeHead(200)
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
        }
        response.on('drain', more)
        more()
      },
    })
    await at.post('Sea')
    await at.waitForDeliveries()
    const [delivery] = await at.deliveries()
    assert.is(delivery!.state, 'done')
    assert.is(delivery!['status'], 200)
    assert.is(at.receiver.messages.length, 1)
  })

  receivers(
    'that respond 410 are disabled, and notified that anything may have changed when they are enabled again',
    async () => {
      await using at = await hooked(place, { webhook: POSTS, answer: status(410) })
      const { site, receiver, webhook } = at
      const id = await at.post('Sea')
      await until(async () => !(await at.now()).enabled)
      assert.match((await at.now()).reason, /410/)
      assert.equal(
        (await at.deliveries()).map(({ state }) => state),
        ['waiting'],
      )
      await at.post('Unheard')
      assert.is(receiver.messages.length, 1)
      receiver.answer(status(204))
      const enabled = await site.send('PATCH', `${BASE}/${webhook.id}`, { enabled: true }, 'admin')
      assert.is(((await enabled.json()) as { reason: string }).reason, '')
      await until(() => receiver.messages.length === 3)
      assert.equal(
        receiver.messages
          .slice(1)
          .map(({ type }) => type)
          .toSorted(),
        ['all.updated', 'post.created'],
      )
      assert.is(receiver.messages.find(({ type }, index) => index > 0 && type === 'post.created')!.data.object, id)
    },
  )

  for (const [form, header] of [
    ['in seconds', () => '3600'],
    ['as a date', () => new Date(Date.now() + 3_600_000).toUTCString()],
  ] as const) {
    receivers(`that respond 429 get no request until the Retry-After they give ${form}`, async () => {
      await using at = await hooked(place, { webhook: POSTS })
      const { receiver } = at
      receiver.answer((message, response) => status(429, { 'retry-after': header() })(message, response))
      await at.post('Sea')
      await until(async () => (await at.now()).paused_until !== null)
      const wait = Date.parse((await at.now()).paused_until!) - Date.now()
      assert.ok(wait > 3_500_000 && wait <= 3_600_000, String(wait))
      await at.post('Lake')
      await until(async () => (await at.deliveries()).length === 2)
      assert.is(receiver.messages.length, 1)
      const [second, first] = await at.deliveries()
      assert.is(second!['attempts'], 0)
      assert.is(first!['attempts'], 1)
      assert.ok(Date.parse(String(first!['due'])) - Date.now() > 3_500_000)
    })
  }

  receivers('that respond without a usable Retry-After are retried on schedule', async () => {
    const responses = [
      [503, 'nonsense'],
      [502, '-3'],
      [504, '0'],
      [429, undefined],
    ] as const
    await using at = await hooked(place, { webhook: null })
    const { receiver, site } = at
    const seenPaths = new Set<string>()
    receiver.answer((message, response) => {
      const [code, header] = responses[Number(message.path.slice(6))]!
      if (seenPaths.has(message.path)) return status(204)(message, response)
      seenPaths.add(message.path)
      return status(code, header === undefined ? {} : { 'retry-after': header })(message, response)
    })
    for (const number of responses.keys()) await addWebhook(site, { url: `${receiver.url}/${number}`, ...POSTS })
    await at.post('Sea')
    await at.waitForDeliveries()
    for (const number of responses.keys()) {
      const messages = receiver.messages.filter((one) => one.path === `/hook/${number}`)
      assert.is(messages.length, 2)
      assert.is(messages[0]!.id, messages[1]!.id)
    }
    const states = await site.store.all(site.store.db.selectFrom('webhook_deliveries').select('state'), [])
    assert.ok(states.every(({ state }) => state === 'done'))
  })

  receivers('that fail for longer than disable_after are disabled', async () => {
    await using at = await hooked(place, {
      webhook: POSTS,
      answer: status(500),
      options: { disable_after: 0.05 / 86_400, schedule: Array.from({ length: 50 }, () => 0.02) },
    })
    await at.post('Sea')
    await until(async () => !(await at.now()).enabled)
    assert.match((await at.now()).reason, /Every attempt has failed since/)
  })

  receivers('in private networks get no request unless the config allows their address', async () => {
    await using at = await hooked(place, { webhook: POSTS, options: { allow: [] } })
    await at.post('Sea')
    await until(async () => (await at.deliveries('&state=dead')).length === 1)
    assert.match(String((await at.deliveries())[0]!['error']), /OUTGOING_ADDRESS_REFUSED/)
    assert.is(at.receiver.messages.length, 0)
  })

  receivers.run()
}
