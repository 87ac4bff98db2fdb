import { Readable } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { HeaderMap, RestError } from '../../../kernel/index.ts'
import { StreamedResponse } from '../../../plugins/library/long-work/index.ts'
import { requestIdOf } from '../../../kernel/http/request-id.ts'
import { head, wire, wireRequest } from '../../helpers/wire.ts'
import { bare, IT, open, plugin, routed } from '../bare.ts'

const requestId = suite('request ID')

const NEW = /^[\da-f]{32}$/

/** A failing route, a streaming route, pages that fail in several ways, and taps that respond early. */
const places = plugin('places', ({ hooks }) => {
  hooks.rest_api_init.tap('places', (server) => {
    const route = (path: string, callback: () => unknown) =>
      server.registerRoute('places/v1', path, { ...open, methods: 'GET,POST', callback })
    route('failure', () => {
      throw new Error('no paper')
    })
    route('refusal', () => new RestError('places_closed', 'It is closed.', { status: 403 }))
    route('unavailable', () => new RestError('places_later', 'Try again later.', { status: 503 }))
    route('stream', () => new StreamedResponse((stream) => stream.end(), { 'Content-Type': 'text/plain' }))
    route('sent', () => 'sent')
  })
  hooks.rest_pre_serve_request.tap('places', (served, { request, raw }) => {
    if (!request.route.endsWith('/sent')) return served
    raw!.outgoing.writeHead(202, { 'Content-Type': 'text/plain' }).end('sent by a tap')
    return true
  })
  hooks.request_received.tap('places', (page, { url }) => {
    if (url.startsWith('/refused')) throw new RestError('places_full', 'There is no room.', { status: 429 })
    return page
  })
  hooks.site_request.tap('places', (page, { path, id }) => {
    if (path === '/failing') throw new Error('no pencil')
    const bodies: Record<string, () => string | Readable | null> = {
      '/page': () => id,
      '/stream': () => Readable.from(['one', 'two']),
      '/none': () => null,
    }
    const body = bodies[path]
    if (body === undefined) return page
    // A header of the page neither replaces the ID nor is sent in addition.
    const headers = new HeaderMap({ 'Content-Type': 'text/plain', 'X-Request-Id': 'of the page' })
    return { status: 200, headers, body: body() }
  })
})

/** Without the plugin request-hooks, so that requests skip its code path. */
const plain = routed({ ...open, callback: () => 'ready' })

requestId('is in every response, from all parts of the server', async () => {
  await using site = await bare([plain, places], { limits: { bodyLimit: 1024, text: 1024, headers: 2048 } })
  await using hasty = await bare([], { limits: { requestTimeout: 300 } })
  const large = { 'content-type': 'application/json', 'content-length': '2000' }
  const requests: [status: number, method: string, path: string, headers?: Record<string, string>][] = [
    [200, 'GET', IT],
    [200, 'HEAD', IT],
    [404, 'GET', '/svc-json/nowhere'],
    [403, 'GET', '/svc-json/places/v1/refusal'],
    [500, 'GET', '/svc-json/places/v1/failure'],
    [503, 'GET', '/svc-json/places/v1/unavailable'],
    [200, 'GET', '/svc-json/places/v1/stream'],
    [202, 'GET', '/svc-json/places/v1/sent'],
    [200, 'GET', '/page'],
    [200, 'HEAD', '/page'],
    [200, 'GET', '/stream'],
    [200, 'GET', '/none'],
    [404, 'GET', '/nowhere'],
    [500, 'GET', '/failing'],
    [429, 'GET', '/refused'],
    [400, 'GET', '/svc-json/%ff'],
    [400, 'BREW', '/svc-json/'],
    [413, 'POST', '/svc-json/places/v1/failure', large],
    [431, 'GET', '/svc-json/', { 'x-long': 'x'.repeat(3000) }],
  ]
  const seen = new Set<string>()
  for (const [status, method, path, headers] of requests) {
    // `wireRequest` rejects repeated headers.
    const response =
      status === 413
        ? parsed(await wire(site.home, `${head(method, path, { ...headers, Connection: 'close' })}${'x'.repeat(2000)}`))
        : await wireRequest(site.home, method, path, headers)
    assert.is(response.status, status, `${method} ${path}`)
    assert.match(response.headers['x-request-id'] ?? '', NEW, `${method} ${path}`)
    seen.add(response.headers['x-request-id']!)
  }
  const late = parsed(await wire(hasty.home, 'GET /svc-json/ HTTP/1.1\r\nHost: x\r\n'))
  assert.is(late.status, 408)
  assert.match(late.headers['x-request-id']!, NEW)
  assert.is(seen.size, requests.length)
})

requestId('is the same in the response to a request with an incomplete body', async () => {
  await using site = await bare([plain])
  const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked', 'X-Request-Id': 'broken-1' }
  const { status, headers: sent } = parsed(
    await wire(site.home, `${head('POST', IT, headers)}2\r\n{}\r\nno length\r\n`),
  )
  assert.equal([status, sent['x-request-id']], [400, 'broken-1'])
})

for (const [condition, plugins] of [
  ['without taps of each request', [plain]],
  ['with them', [plain, places]],
] as const) {
  requestId(`is the valid ID that the client sends, ${condition}`, async () => {
    await using site = await bare(plugins)
    const idFor = async (id: string) =>
      String((await site.raw(IT, { headers: { 'X-Request-ID': id } })).headers['x-request-id'])
    for (const id of ['a', '7f9c0d1e-88aa', 'Root=1-67891233-abcdef01', 'a.b_c~d+e/f=g:h@i', 'x'.repeat(128)])
      assert.is(await idFor(id), id)
    for (const id of [
      'x'.repeat(129),
      'a b',
      'a,b',
      '<script>',
      'a"b',
      "a'b",
      'a;b',
      '{}',
      'ä',
      'token=abc',
      'http://a:b@c',
      'a/hash=b',
    ])
      assert.match(await idFor(id), NEW, id)
  })
}

requestId('is a new one if the client sends several', async () => {
  await using site = await bare([plain])
  const lines = 'X-Request-Id: one\r\nx-request-id: two\r\n'
  const bytes = await wire(site.home, `GET ${IT} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n`)
  assert.match(parsed(bytes).headers['x-request-id']!, NEW)
  assert.match(requestIdOf(['X-Request-Id', 'one', 'X-Request-Id', 'one']), NEW)
  assert.match(requestIdOf(['X-Request-Id', '']), NEW)
})

requestId('is in the log line of a failure, with the reason', async () => {
  await using site = await bare([places])
  const ids: [path: string, reason: string][] = [
    ['/svc-json/places/v1/failure', 'no paper'],
    ['/failing', 'no pencil'],
  ]
  for (const [path, reason] of ids) {
    const { status, headers, json } = await site.raw(path)
    assert.is(status, 500)
    assert.match(json.message, 'The log has the reason under the request ID.')
    const lines = site.lines.filter(({ request }) => request === headers['x-request-id'])
    assert.ok(
      lines.some(({ level, err }) => level === 50 && JSON.stringify(err).includes(reason)),
      JSON.stringify(lines),
    )
  }
})

requestId('is on the error page for browsers after a failure of the server', async () => {
  await using site = await bare([places])
  const { headers, text } = await site.raw('/failing', { headers: { accept: 'text/html' } })
  assert.match(text, `Request ID: <code>${headers['x-request-id'] as string}</code>`)
  const refused = await site.raw('/%ff', { headers: { accept: 'text/html' } })
  assert.equal([refused.status, refused.text.includes('Request ID')], [400, false])
})

requestId('is in the log for each request at the level debug, and for bytes that are not a request', async () => {
  await using site = await bare([plain])
  const { headers } = await site.raw(IT)
  const bad = await wireRequest(site.home, 'GET', IT, { 'x-long': 'x'.repeat(20_000) })
  assert.is(bad.status, 431)
  const logged = (id: unknown) =>
    site.lines.filter(({ request }) => request === id).map(({ status, code }) => status ?? code)
  assert.equal(logged(headers['x-request-id']), [200])
  assert.equal(logged(bad.headers['x-request-id']), ['HPE_HEADER_OVERFLOW'])
})

requestId('is available to plugins', async () => {
  await using site = await bare([places])
  const { text, headers } = await site.raw('/page')
  assert.is(text, headers['x-request-id'])
})

/** Returns status and headers of a raw response. */
function parsed(bytes: Buffer): { status: number; headers: Record<string, string> } {
  const [start = ''] = bytes.toString('latin1').split('\r\n\r\n')
  const [first = '', ...lines] = start.split('\r\n')
  const pairs = lines.map((line) => line.split(/: (.*)/s) as [string, string])
  return {
    status: Number(first.split(' ')[1]),
    headers: Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value])),
  }
}

requestId.run()
