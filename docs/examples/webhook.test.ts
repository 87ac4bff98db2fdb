import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { as, serve, type Site } from 'svc-rest/testing'
import titles from './webhook.ts'

interface Message {
  type: string
  data: { object: number; title?: string }
}

const create = async (site: Site, path: string, title: string) => {
  const response = await site.request(`/svc/v2/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...as('administrator') },
    body: JSON.stringify({ title, status: 'publish' }),
  })
  return ((await response.json()) as { id: number }).id
}

test('webhook messages contain the titles of posts, and omit hidden types', async () => {
  const messages: Message[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    messages.push(JSON.parse(await text(request)) as Message)
    response.end()
    receiver.emit('message')
  }
  const receiver = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  try {
    const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`
    const plugins = { webhooks: { allow: [host] }, 'webhook-titles': { hidden: ['page'] } }
    await using site = await serve({ add: [titles], plugins })
    await site.kernel.services.webhooks.add({ url: `http://${host}/`, kinds: ['post'] })
    await create(site, 'pages', 'Hidden')
    const delivered = once(receiver, 'message')
    const id = await create(site, 'posts', 'Published')
    await delivered
    assert.deepEqual(
      messages.map(({ type, data }) => [type, data.object, data.title]),
      [['post.created', id, 'Published']],
    )
  } finally {
    receiver.close()
  }
})
