import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { as, serve } from 'svc-rest/testing'
import digest from './digest.ts'

test('digest contains approved comments, and is sent again after a failure', async () => {
  const bodies: string[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    bodies.push(await text(request))
    response.statusCode = bodies.length === 1 ? 503 : 200
    response.end()
    receiver.emit('digest')
  }
  const receiver = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  try {
    const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`
    const plugins = { digest: { url: `http://${host}/` }, outgoing: { allow: [host] } }
    await using site = await serve({ add: [digest], plugins })
    const send = (path: string, body: object) =>
      site.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...as('administrator') },
        body: JSON.stringify(body),
      })
    const post = (await (await send('/svc/v2/posts', { title: 'News', status: 'publish' })).json()) as { id: number }
    const comment = {
      post: post.id,
      author_name: 'Ada',
      author_email: 'ada@site.test',
      content: 'Good news.',
      status: 'approved',
    }
    assert.equal((await send('/svc/v2/comments', comment)).status, 201)

    const { jobs } = site.kernel.services
    assert.deepEqual(
      (await jobs.list()).map(({ name, state }) => [name, state]),
      [['send-digest', 'waiting']],
    )
    await jobs.add('send-digest', undefined)
    while (bodies.length < 2) await once(receiver, 'digest')
    assert.match(bodies[1]!, /Good news/)
  } finally {
    receiver.close()
  }
})
