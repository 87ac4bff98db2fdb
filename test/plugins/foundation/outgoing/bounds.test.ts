import { once } from 'node:events'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../../helpers/until.ts'
import { addresses, codeOf, makeClient, receive } from './asking.ts'

const bounds = suite('outgoing: bounds')
const allow = ['127.0.0.0/8:*', 'b.test:*']

bounds('S36: limits the decompressed size of a body, and stops decompression bombs', async () => {
  const zeros = Buffer.alloc(50_000_000)
  const bomb = gzipSync(zeros, { level: 1 })
  const bodies: Record<string, [encoding: string, body: Buffer]> = {
    '/plain': ['identity', Buffer.alloc(60_000, 'a')],
    '/gzip': ['gzip', gzipSync(Buffer.alloc(60_000, 'a'))],
    '/x-gzip': ['X-GZIP', gzipSync(Buffer.alloc(60_000, 'a'))],
    '/br': ['br', brotliCompressSync(Buffer.alloc(60_000, 'a'))],
    '/large': ['identity', Buffer.alloc(70_000, 'a')],
    '/large-gzip': ['gzip', gzipSync(Buffer.alloc(70_000, 'a'))],
    '/bomb': ['gzip', bomb],
    '/bomb-br': ['br', brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    '/twice': ['gzip, gzip', gzipSync(bomb)],
    '/deflate': ['deflate', deflateSync('a')],
    '/unknown': ['__proto__', Buffer.from('a')],
    '/broken': ['gzip', Buffer.from('no gzip at all')],
    '/cut': ['gzip', gzipSync(Buffer.alloc(60_000, 'a')).subarray(0, 40)],
    '/none': ['gzip', Buffer.alloc(0)],
  }
  await using server = await receive((request, response) => {
    const [encoding, body] = bodies[request.url!]!
    assert.is(request.headers['accept-encoding'], 'gzip, br')
    response.setHeader('content-encoding', encoding).end(body)
  })
  await using client = makeClient({ allow, size: 65_536 })
  const before = process.memoryUsage().rss
  const request = (path: string) => codeOf(client.request(`${server.url}${path}`).then(({ body }) => body.length))
  for (const path of ['/plain', '/gzip', '/x-gzip', '/br']) assert.is(await request(path), 'resolved: 60000', path)
  for (const path of ['/large', '/large-gzip', '/bomb', '/bomb-br'])
    assert.is(await request(path), 'OUTGOING_TOO_LARGE', path)
  for (const path of ['/twice', '/deflate', '/unknown', '/broken', '/cut'])
    assert.is(await request(path), 'OUTGOING_FAILED', path)
  assert.is(await request('/none'), 'resolved: 0')
  assert.ok(process.memoryUsage().rss - before < 50_000_000)
  const larger = await client.request(`${server.url}/large`, { size: 70_000 })
  assert.is(larger.body.length, 70_000)
  const head = await client.request(`${server.url}/large-gzip`, { method: 'HEAD' })
  assert.equal([head.status, head.body.length], [200, 0])
})

bounds('S36: a body that never ends is aborted after the timeout, with its connection', async () => {
  await using server = await receive((request, response) => {
    if (request.url === '/silent') return
    response.writeHead(200, { 'content-type': 'text/plain' })
    const timer = setInterval(() => response.write('a'), 20)
    response.on('close', () => clearInterval(timer))
  })
  await using client = makeClient({ allow, time: 300 })
  for (const path of ['/drops', '/silent']) {
    assert.is(await codeOf(client.request(`${server.url}${path}`)), 'OUTGOING_TOO_SLOW')
  }
  assert.is(await codeOf(client.request(`${server.url}/drops`, { timeout: 100 })), 'OUTGOING_TOO_SLOW')
  await until(() => server.open.size === 0)
})

bounds('a DNS lookup that never ends is aborted after the timeout', async () => {
  await using client = makeClient({ lookup: () => new Promise(() => {}), time: 100 })
  assert.is(await codeOf(client.request('http://slow.test/')), 'OUTGOING_TOO_SLOW')
})

bounds('S36: endless headers are refused', async () => {
  await using server = await receive((request, response) => {
    const { socket } = response
    socket!.write('HTTP/1.1 200 OK\r\n')
    if (request.url === '/long') socket!.write(`x-long: ${'a'.repeat(60_000)}\r\n\r\n`)
    else for (let count = 0; count < 5000; count += 1) socket!.write(`x-${count}: ${'a'.repeat(20)}\r\n`)
    socket!.end('\r\n')
  })
  await using client = makeClient({ allow, time: 5000 })
  for (const path of ['/long', '/many'])
    assert.is(await codeOf(client.request(`${server.url}${path}`)), 'OUTGOING_FAILED')
})

bounds('the signal of the caller aborts a request in any phase, with the reason of the signal', async () => {
  await using server = await receive((request, response) => {
    if (request.url === '/body') response.write('a')
  })
  await using client = makeClient({ allow, perOrigin: 2, lookup: async () => addresses('127.0.0.1') })
  const reason = new Error('nobody waits any more')
  assert.is(await codeOf(client.request(server.url, { signal: AbortSignal.abort(reason) })), reason.message)
  assert.is(server.connections(), 0)
  const aborter = new AbortController()
  const requests = ['/headers', '/body', '/waits', '/waits'].map((path) =>
    codeOf(client.request(`${server.url}${path}`, { signal: aborter.signal })),
  )
  await until(() => server.requestLines.length === 2)
  aborter.abort(reason)
  assert.equal(
    await Promise.all(requests),
    requests.map(() => reason.message),
  )
  await until(() => server.open.size === 0)
  assert.is(server.requestLines.length, 2)
})

bounds('limits parallel requests to one server and in total', async () => {
  let running = 0
  let maxRunning = 0
  const listener = (_: unknown, response: { end(text: string): void }) => {
    running -= 1
    response.end('ok')
  }
  await using one = await receive(listener)
  await using other = await receive(listener)
  await using client = makeClient({ allow, perOrigin: 3, concurrency: 4 })
  client.hook.tap('count', (headers) => {
    running += 1
    maxRunning = Math.max(maxRunning, running)
    return headers
  })
  const sendRequests = (count: number, urls: readonly string[]) =>
    Promise.all(Array.from({ length: count }, (_, index) => client.request(urls[index % urls.length]!)))
  await sendRequests(20, [one.url])
  assert.is(maxRunning, 3)
  maxRunning = 0
  await sendRequests(40, [one.url, other.url])
  assert.is(maxRunning, 4)
})

bounds('a removed plugin aborts requests, closes idle connections, and sends no further requests', async () => {
  await using server = await receive((request, response) => {
    if (request.url === '/quick') response.end('ok')
  })
  const client = makeClient({ allow })
  await client.request(`${server.url}/quick`)
  const slow = codeOf(client.request(`${server.url}/slow`))
  await until(() => server.requestLines.length === 2)
  assert.ok(server.open.size > 0)
  await client.stop()
  assert.is(await slow, 'OUTGOING_STOPPED')
  await until(() => server.open.size === 0)
  assert.is(await codeOf(client.request(`${server.url}/quick`)), 'OUTGOING_STOPPED')
  assert.is(server.requestLines.length, 2)
})

bounds('sends the headers of the caller, and refuses connection headers', async () => {
  const requests: { method: string; headers: Record<string, unknown>; body: string }[] = []
  await using server = await receive((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      await once(request, 'end')
      requests.push({ method: request.method!, headers: request.headers, body: Buffer.concat(chunks).toString() })
      response.setHeader('content-type', 'application/json').setHeader('set-cookie', ['a=1', 'b=2'])
      response.writeHead(201).end('{"ok":true}')
    })()
  })
  await using client = makeClient({ allow })
  const headers = { 'Content-Type': 'application/json', 'User-Agent': 'mine', 'X-A': 'b' }
  const answer = await client.request(`${server.url}/a?b=c#d`, { method: 'post', headers, body: '{"ä":1}' })
  assert.equal([answer.status, answer.json(), answer.url], [201, { ok: true }, `${server.url}/a?b=c`])
  assert.is(answer.headers.get('Content-Type'), 'application/json')
  assert.is(answer.headers.get('x-none'), null)
  assert.is(requests[0]!.method, 'POST')
  assert.is(requests[0]!.body, '{"ä":1}')
  assert.equal(
    [requests[0]!.headers['user-agent'], requests[0]!.headers['x-a'], requests[0]!.headers['content-length']],
    ['mine', 'b', '8'],
  )
  await client.request(server.url, { method: 'PUT', body: new Uint8Array([97]) })
  assert.equal([requests[1]!.body, requests[1]!.headers['user-agent']], ['a', 'svc-rest'])

  const wrong: object[] = [
    { method: 'CONNECT' },
    { method: 'TRACE' },
    { method: 'GE T' },
    { method: '' },
    { body: 'a' },
    { method: 'HEAD', body: '' },
    { headers: { host: 'other.test' } },
    { headers: { 'Transfer-Encoding': 'chunked' } },
    { headers: { 'content-length': '1' } },
    { headers: { 'a b': 'c' } },
    { headers: { '': 'c' } },
    { headers: { a: 'b\r\nc: d' } },
    { headers: { a: 'é€' } },
    { headers: { a: 'b\0' } },
    { headers: { upgrade: 'websocket' } },
    { headers: { 'accept-encoding': 'zstd' } },
  ]
  for (const options of wrong) {
    assert.is(await codeOf(client.request(server.url, options)), 'OUTGOING_REQUEST_INVALID', JSON.stringify(options))
  }
  assert.is(requests.length, 2)
})

bounds('invalid HTTP, invalid JSON and truncated responses fail', async () => {
  await using server = await receive((request, response) => {
    if (request.url === '/early') {
      response.setHeader('content-length', 100)
      response.write('a', () => response.destroy())
    } else if (request.url === '/raw') response.socket!.end('220 mail.test ESMTP\r\n')
    else response.end('{')
  })
  await using client = makeClient({ allow })
  assert.is(await codeOf(client.request(`${server.url}/early`)), 'OUTGOING_FAILED')
  assert.is(await codeOf(client.request(`${server.url}/raw`)), 'OUTGOING_FAILED')
  const answer = await client.request(server.url)
  assert.throws(() => answer.json(), /is not JSON/)
  assert.is(await codeOf(client.request('http://unknown.test/')), 'OUTGOING_FAILED')
})

bounds('a tap adds headers for a host, and refuses requests', async () => {
  const keys: unknown[] = []
  await using server = await receive((request, response) => {
    keys.push(request.headers['x-key'])
    response.end()
  })
  await using client = makeClient({ allow })
  client.hook.tap('keys', (headers, hop) => {
    const { method, url } = hop as { method: string; url: string }
    if (method === 'DELETE') throw new Error('nothing is deleted')
    return url.startsWith(`${server.url}/keyed`) ? { ...headers, 'X-Key': '1' } : headers
  })
  await client.request(`${server.url}/keyed`)
  await client.request(`${server.url}/other`)
  assert.equal(keys, ['1', undefined])
  assert.is(await codeOf(client.request(server.url, { method: 'DELETE' })), 'nothing is deleted')
})

bounds.run()
