import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { verify } from '../../../helpers/receiver.ts'
import { serve } from '../../../helpers/site.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { shared } from '../../../helpers/stores.ts'
import { until } from '../../../helpers/until.ts'
import { addWebhook, BASE, hooked, QUICK } from './hooks.ts'
import { removePlugin } from '../../../helpers/remove-plugin.ts'

for (const { name, place } of databases) {
  const webhooks = suite(`webhooks on ${name}`)

  webhooks('send a signed Standard Webhooks message when a post is published', async () => {
    await using at = await hooked(place)
    const { receiver, webhook } = at
    const id = await at.post('Sea')
    await until(() => receiver.messages.some(({ data }) => data.object === id))
    const message = receiver.messages.find(({ data }) => data.object === id)!
    assert.is(message.type, 'post.created')
    assert.is(message.data.status, 'publish')
    assert.is(message.data.slug, 'sea')
    assert.ok(message.data.tags.includes(`post:${id}`))
    assert.is(message.headers['content-type'], 'application/json')
    assert.is(message.headers['user-agent'], 'svc-rest')
    assert.match(message.id, /^msg_/)
    assert.equal(verify(message, webhook.secret), JSON.parse(message.body))
    assert.throws(() => verify({ ...message, body: `${message.body} ` }, webhook.secret))
    await at.waitForDeliveries()
    assert.is(new Set(receiver.messages.map((one) => one.id)).size, receiver.messages.length)
    assert.ok((await at.deliveries()).every(({ state, attempts }) => state === 'done' && attempts === 1))
  })

  webhooks('send only changes that visitors see, unless the webhook has "unpublished"', async () => {
    await using at = await hooked(place)
    const { site, receiver } = at
    const whole = await addWebhook(site, { url: `${receiver.url}/whole`, unpublished: true })
    const draft = await at.post('Draft', { status: 'draft' })
    await site.send('POST', `/svc/v2/posts/${draft}`, { status: 'publish' }, 'ed')
    await site.send('DELETE', `/svc/v2/posts/${draft}`, {}, 'ed')
    await site.kernel.services.sessions.create(site.users.ann, { ip: '', agent: '' })
    await site.kernel.services.applicationPasswords.create(site.users.ann, { name: 'x' })
    await site.kernel.services.options.set('title', 'Two')
    await site.kernel.services.changes.touch(['stock:7'])
    await at.waitForDeliveries()
    const messagesTo = (path: string) => receiver.messages.filter((message) => message.path === path)
    const typesSentTo = (path: string) =>
      messagesTo(path)
        .filter(({ data }) => data.object === draft)
        .map(({ type }) => type)
    assert.equal(typesSentTo('/hook'), ['post.created', 'post.deleted'])
    assert.equal(typesSentTo('/hook/whole'), ['post.created', 'post.updated', 'post.updated'])
    const trashed = messagesTo('/hook/whole').findLast(({ data }) => data.object === draft)!
    assert.is(trashed.data.status, 'trash')
    assert.is(trashed.data.previous_status, 'publish')
    for (const path of ['/hook', '/hook/whole']) {
      assert.ok(messagesTo(path).some(({ type, data }) => type === 'option.created' && data.object === 'title'))
      assert.ok(messagesTo(path).some(({ type, data }) => type === 'tag.updated' && data.tags[0] === 'stock:7'))
      const kinds = new Set(messagesTo(path).map(({ data }) => data.kind as string))
      assert.not.ok(kinds.has('session') || kinds.has('application_password'))
      const types = new Set(messagesTo(path).map(({ data }) => data.type as string))
      assert.not.ok(types.has('revision'))
      assert.not.ok(messagesTo(path).some(({ body }) => body.includes('"jobs"') || body.includes('"webhooks"')))
    }
    const all = receiver.messages.map(({ body }) => body).join(' ')
    assert.not.ok(all.includes(at.webhook.secret) || all.includes(whole.secret))
  })

  webhooks('send only changes of the kinds and types of the webhook', async () => {
    await using at = await hooked(place, { webhook: { kinds: ['post', 'term'], types: ['page', 'category'] } })
    const { site, receiver } = at
    await at.post('Not this')
    await site.send('POST', '/svc/v2/pages', { title: 'This', status: 'publish' }, 'ed')
    await site.send('POST', '/svc/v2/categories', { name: 'And this' }, 'ed')
    await site.kernel.services.options.set('title', 'Not this')
    await at.waitForDeliveries()
    assert.equal([...new Set(receiver.messages.map(({ data }) => data.type as string))].toSorted(), [
      'category',
      'page',
    ])
    await site.kernel.services.changes.touch(['*'])
    await until(() => receiver.messages.some(({ type }) => type === 'all.updated'))
    assert.equal(receiver.messages.find(({ type }) => type === 'all.updated')!.data.tags, ['*'])
  })

  webhooks('send no changes that were rolled back or made before the webhook was added', async () => {
    await using at = await hooked(place, { webhook: null })
    const { site, receiver } = at
    await at.post('Before')
    const webhook = await addWebhook(site, { url: receiver.url })
    const { store } = site
    const rolledBack = store.transaction(async (tx) => {
      await tx.run(tx.db.insertInto('posts').values({ title: 'No', slug: 'taken-back', status: 'publish' }))
      throw new Error('no')
    })
    await rolledBack.catch(() => {})
    const id = await at.post('After')
    await until(() => receiver.messages.some(({ data }) => data.object === id))
    await at.waitForDeliveries()
    assert.not.ok(receiver.messages.some(({ body }) => body.includes('taken-back') || body.includes('"before"')))
    assert.is(receiver.messages.filter(({ data }) => data.kind === 'post').length, 1)
    assert.is(webhook.enabled, true)
  })

  webhooks('run no SQL statement if there is no webhook', async () => {
    await using at = await hooked(place, { webhook: null })
    await at.post('One')
    const statements: string[] = []
    await until(() => at.site.kernel.services.jobs.list().then((jobs) => jobs.length === 0))
    const stop = at.site.store.onStatement(({ sql }) => void statements.push(sql))
    await at.post('Two')
    await at.post('Three')
    stop()
    assert.equal(
      statements.filter((sql) => sql.includes('webhook')),
      [],
    )
    const { db } = at.site.store
    assert.equal(await at.site.store.all(db.selectFrom('webhook_cursor').selectAll(), []), [])
  })

  webhooks('send messages with the additions of plugins, and none that a plugin drops', async () => {
    const dead: unknown[] = []
    const plugin = definePlugin({
      name: 'adding',
      needs: ['webhooks'],
      apply({ hooks }) {
        hooks.webhook_message.tapPromise('adding', async (message, { webhook, change }) => {
          if (message === null || message.data['slug'] === 'hidden') return null
          if (message.data['slug'] === 'odd') throw new Error('odd')
          return { ...message, data: { ...message.data, added: `${webhook.name} ${change.object}` } }
        })
        hooks.webhook_dead.tap('adding', (delivery, webhook) => void dead.push([delivery.state, webhook]))
      },
    })
    await using at = await hooked(place, { add: [plugin], webhook: { name: 'front', kinds: ['post'] } })
    const { receiver, site } = at
    const first = await at.post('Shown')
    await at.post('Hidden')
    const odd = await at.post('Odd')
    await until(() => receiver.messages.length > 1)
    await at.waitForDeliveries()
    assert.equal(
      receiver.messages.map(({ data }) => data.added as string),
      [`front ${first}`, undefined],
    )
    assert.equal(
      receiver.messages.map(({ data }) => data.object as number),
      [first, odd],
    )
    verify(receiver.messages[0]!, at.webhook.secret)
    receiver.answer((_, response) => void response.writeHead(500).end())
    await at.post('Lost')
    await until(() => dead.length > 0)
    const [[state, webhook]] = dead as [[string, object]]
    assert.is(state, 'dead')
    assert.not.ok(JSON.stringify(webhook).includes('whsec_'))
    assert.is((await site.kernel.services.webhooks.list()).length, 1)
  })

  webhooks('of the config are sent changes, and can only be changed in the config', async () => {
    await using other = await hooked(place, { webhook: null })
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
    const before = `whsec_${Buffer.alloc(64, 8).toString('base64')}`
    const endpoints = { front: { url: other.receiver.url, secret, old_secret: before, kinds: ['post'] } }
    const lines: string[] = []
    await using database = await place()
    await using at = await hooked(shared(database), {
      webhook: null,
      options: { endpoints },
      log: 'debug',
      logTo: (line) => void lines.push(line),
    })
    const { site } = at
    await until(async () => (await site.kernel.services.webhooks.list()).length === 1)
    const id = await at.post('Sea')
    await until(() => other.receiver.messages.some(({ data }) => data.object === id))
    const message = other.receiver.messages.find(({ data }) => data.object === id)
    verify(message!, secret)
    verify(message!, before)
    const [shown] = (await (await site.send('GET', BASE, undefined, 'admin')).json()) as [
      { id: number; source: string },
    ]
    assert.is(shown.source, 'config')
    const path = `${BASE}/${shown.id}`
    assert.is((await site.send('POST', path, { url: 'https://b.example' }, 'admin')).status, 409)
    assert.is((await site.send('DELETE', path, undefined, 'admin')).status, 409)
    assert.is((await site.send('POST', `${path}/secret`, {}, 'admin')).status, 409)
    assert.is((await site.send('POST', path, { enabled: false }, 'admin')).status, 200)
    const rows = await site.store.all(site.store.db.selectFrom('webhooks').selectAll(), [])
    assert.not.ok(JSON.stringify([shown, lines, rows]).includes(secret.slice(6)))
    // A webhook that the config no longer contains is removed.
    await using again = await serve({ database: database.url, plugins: { webhooks: QUICK } })
    assert.equal(await again.kernel.services.webhooks.list(), [])
  })

  webhooks('of the config that are invalid stop the start with an error that names the reason', async () => {
    const good = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const wrong = [
      [{ url: 'ftp://a.example', secret: good }, /http/],
      [{ url: 'https://u:p@a.example', secret: good }, /password/],
      [{ url: 'https://a.example', secret: 'secret' }, /whsec_/],
      [{ url: 'https://a.example', secret: `whsec_${Buffer.alloc(8).toString('base64')}` }, /8 bytes/],
      [{ url: 'https://a.example', secret: 'whsec_***' }, /Base64/],
    ] as const
    for (const [endpoint, pattern] of wrong) {
      const error = await serve({ plugins: { webhooks: { endpoints: { front: endpoint } } } }).then(
        () => null,
        (thrown: Error) => thrown,
      )
      assert.match(error!.message, pattern)
      assert.not.ok(error!.message.includes(good.slice(6)))
    }
  })

  webhooks('that are deleted leave no deliveries and no cursor in the database', async () => {
    await using at = await hooked(place, { webhook: { kinds: ['post'] } })
    const { site, receiver } = at
    const id = await at.post('Before')
    await until(() => receiver.messages.some(({ data }) => data.object === id))
    await site.send('DELETE', `${BASE}/${at.webhook.id}`, undefined, 'admin')
    const { length } = receiver.messages
    await at.post('After')
    await site.kernel.services.changes.touch(['x'])
    assert.is(receiver.messages.length, length)
    assert.equal(await site.store.all(site.store.db.selectFrom('webhook_deliveries').selectAll(), []), [])
    assert.equal(await site.store.all(site.store.db.selectFrom('webhook_cursor').selectAll(), []), [])
  })

  webhooks('send all.updated if changes were deleted before they were processed', async () => {
    await using database = await place()
    await using at = await hooked(shared(database))
    const { site, receiver } = at
    const { store } = site
    await at.waitForDeliveries()
    await removePlugin(site.kernel, 'webhooks')
    await at.post('Unheard')
    await at.post('Heard')
    const last = (await site.kernel.services.changeHistory.bounds()).last
    await store.run(store.db.deleteFrom('changes').where('id', '<', last))
    receiver.messages.length = 0
    await using _again = await serve({ database: database.url, plugins: { webhooks: QUICK } })
    await until(() => receiver.messages.some(({ type }) => type === 'all.updated'))
    assert.is(receiver.messages[0]!.type, 'all.updated')
  })

  webhooks.run()
}
