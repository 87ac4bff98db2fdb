import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { definePlugin } from 'svc-rest'
import { as, serve, type Site } from 'svc-rest/testing'
import webhook from './webhook.ts'

/** Refuses posts with a title, when they are stored already. */
const refusing = definePlugin({
  name: 'refusing',
  apply({ hooks }) {
    hooks.rest_update_additional_fields.tap('refusing', (item) => {
      if ((item as { title?: string }).title === 'no') throw new Error('no')
    })
  },
})

const create = (site: Site, title: string, status = 'publish') =>
  site.request('/svc/v2/posts', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...as('administrator') },
    body: JSON.stringify({ title, status }),
  })

test('tells of what is published, and neither of drafts nor of what was taken back', async () => {
  const told: { post: string; change: string }[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    told.push(...(JSON.parse(await text(request)) as typeof told))
    response.end()
    receiver.emit('told')
  }
  const receiver = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    await using site = await serve({ add: [webhook, refusing], plugins: { webhook: { url } } })
    assert.equal((await create(site, 'no')).status, 500)
    assert.equal((await create(site, 'later', 'draft')).status, 201)
    const heard = once(receiver, 'told')
    const post = (await (await create(site, 'yes')).json()) as { id: number }
    await heard
    assert.deepEqual(
      told.map(({ post, change }) => [post, change]),
      [[String(post.id), 'create']],
    )
  } finally {
    receiver.close()
  }
})
