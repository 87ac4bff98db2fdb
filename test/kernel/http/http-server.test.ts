import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { HeaderMap, RestError, RestResponse, type RestRequest } from '../../../kernel/index.ts'
import { stopClock } from '../../helpers/clock.ts'
import { growsLinearly } from '../../helpers/growth.ts'
import { until } from '../../helpers/until.ts'
import { nextServerSocket } from '../../helpers/wire.ts'
import { bare, plugin, start, type Bare } from '../bare.ts'

const http = suite('http')

const METHODS = 'GET, POST, PUT, PATCH, DELETE'

/** A plugin that responds at `/test/v1/echo…` with the parsed request. */
const echo = plugin('echo', ({ hooks }) => {
  hooks.rest_api_init.tap('echo', (server) => {
    const callback = async ({ method, json, form, raw, files, route, query }: RestRequest) => {
      const held = files.map(async (file) => {
        const { name, filename, size } = file
        const data = await file.read()
        return [name, filename, size > 100 ? size === data.length && !data.includes(0) : data.toString()]
      })
      const response = new RestResponse({
        method,
        route,
        query,
        ...(json === undefined ? {} : { json }),
        ...(form === null ? {} : { form }),
        ...(raw === null ? {} : { raw: (await raw.read()).length }),
        ...(files.length === 0 ? {} : { files: await Promise.all(held) }),
      })
      response.headers.set('X-Echo', method)
      return response
    }
    server.registerRoute('test/v1', 'echo(?P<rest>/.*)?', {
      methods: METHODS,
      callback,
      permission_callback: () => true,
    })
  })
})

const ECHO = '/svc-json/test/v1/echo'
const JSON_TYPE = { 'content-type': 'application/json' }

const SLEEP = '/svc-json/test/v1/sleep'

/** A plugin whose route waits until `wake` is called; `asleep` resolves when it waits. */
function sleeper() {
  const asleep = Promise.withResolvers<void>()
  const woken = Promise.withResolvers<void>()
  const callback = async () => {
    asleep.resolve()
    await woken.promise
    return 'awake'
  }
  const added = plugin('sleeper', ({ hooks }) => {
    hooks.rest_api_init.tap('sleeper', (server) => {
      server.registerRoute('test/v1', 'sleep', { callback, permission_callback: () => true })
    })
  })
  return { plugin: added, asleep: asleep.promise, wake: woken.resolve }
}

/** Sends raw bytes, and returns all bytes received until the connection ends. */
function wire(site: Bare, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(site.home).port), '127.0.0.1', () => socket.write(bytes))
    let text = ''
    socket.on('data', (chunk) => (text += chunk.toString()))
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
}

http('responds to HEAD like GET without a body', async () => {
  await using site = await bare([echo])
  const { status, text, headers } = await site.raw(ECHO, { method: 'HEAD' })
  assert.equal(
    [status, text, headers['x-echo'], headers['content-type']],
    [200, '', 'HEAD', 'application/json; charset=UTF-8'],
  )
})

http('S30: lets POST override its method in the query, the body or a header', async () => {
  await using site = await bare([echo])
  const post = async (target: string, headers = {}, body = '') =>
    (await site.raw(target, { method: 'POST', headers, body })).json.method
  assert.is(await post(`${ECHO}?_method=put`), 'PUT')
  assert.is(await post(ECHO, { 'x-http-method-override': 'DELETE' }), 'DELETE')
  assert.is(await post(ECHO, { 'content-type': 'application/x-www-form-urlencoded' }, '_method=PATCH'), 'PATCH')
  assert.is(await post(ECHO, { 'x-http-method-override': 'GET' }), 'GET')
})

http('S30: lets no other method be overridden, and ignores unknown methods', async () => {
  await using site = await bare([echo])
  const readMethod = async (method: string, target: string, headers = {}) =>
    (await site.raw(target, { method, headers })).json.method
  assert.is(await readMethod('GET', `${ECHO}?_method=DELETE`), 'GET')
  assert.is(await readMethod('GET', ECHO, { 'x-http-method-override': 'DELETE' }), 'GET')
  assert.is(await readMethod('PUT', `${ECHO}?_method=DELETE`), 'PUT')
  assert.is(await readMethod('POST', `${ECHO}?_method=BREW`), 'POST')
})

http('reads JSON, forms and files', async () => {
  await using site = await bare([echo])
  const send = async (type: string, body: string) =>
    (await site.raw(ECHO, { method: 'POST', headers: { 'content-type': type }, body })).json
  assert.equal((await send('application/json', '{"a":[1]}')).json, { a: [1] })
  assert.equal((await send('Application/JSON; charset=utf-8', '\uFEFF{"a":1}')).json, { a: 1 })
  assert.equal((await send('application/x-www-form-urlencoded', 'a[]=1&b=c+d')).form, { a: ['1'], b: 'c d' })
  assert.is((await send('text/plain', 'abc')).raw, 3)
  const boundary = '--x\r\nContent-Disposition: form-data; name='
  const multipart = `${boundary}"title"\r\n\r\nHi\r\n${boundary}"file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nabc\r\n--x--\r\n`
  const { form, files } = await send('multipart/form-data; boundary=x', multipart)
  assert.equal([form, files], [{ title: 'Hi' }, [['file', 'a.txt', 'abc']]])
})

http('treats an empty body of any type as no body', async () => {
  await using site = await bare([echo])
  for (const headers of [
    JSON_TYPE,
    { ...JSON_TYPE, 'content-length': '0' },
    { 'content-type': 'multipart/form-data; boundary=x' },
  ]) {
    const { status, json } = await site.raw(ECHO, { method: 'POST', headers })
    assert.equal([status, json.json], [200, undefined])
  }
  assert.is((await site.raw(ECHO, { method: 'DELETE', headers: JSON_TYPE })).status, 200)
})

http('S35: ignores the body of GET and HEAD, because caches in front ignore it', async () => {
  await using site = await bare([echo])
  for (const [type, body] of [
    ['application/json', '{"a":1,"_method":"DELETE"}'],
    ['application/json', '{"a":'],
    ['application/x-www-form-urlencoded', 'a=1&_method=DELETE'],
    ['multipart/form-data; boundary=x', multipart(['a', '1'])],
    ['text/plain', 'a'],
  ] as const) {
    for (const more of [{ 'content-length': `${body.length}` }, { 'transfer-encoding': 'chunked' }]) {
      const headers = { 'content-type': type, ...more }
      const { status, json } = await site.raw(`${ECHO}?b=2`, { headers, body })
      assert.equal([status, json], [200, { method: 'GET', route: '/test/v1/echo', query: { b: '2' } }])
      assert.is((await site.raw(ECHO, { method: 'HEAD', headers, body })).status, 200)
    }
  }
})

http('S27: does not parse the body of a GET request as another request', async () => {
  await using site = await bare([echo])
  const inner = `GET ${ECHO}/smuggled HTTP/1.1\r\nHost: x\r\n\r\n`
  const last = `GET ${ECHO}/last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
  const sized = `GET ${ECHO} HTTP/1.1\r\nHost: x\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`
  const chunk = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`
  const chunked = `GET ${ECHO} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`
  for (const first of [sized, chunked]) {
    const text = await wire(site, first + last)
    assert.equal(
      [text.match(/HTTP\/1\.1 200/g)?.length, /smuggled/.test(text), /echo\/last/.test(text)],
      [2, false, true],
    )
  }
})

http('reads bodies of GET with `read_get_bodies`, and makes these responses uncacheable', async () => {
  await using site = await bare([echo], { read_get_bodies: true })
  const headers = { ...JSON_TYPE, 'content-length': '7' }
  const answer = await site.raw(ECHO, { headers, body: '{"a":1}' })
  assert.equal([answer.json.json, answer.headers['cache-control']], [{ a: 1 }, 'no-store'])
  const broken = await site.raw(ECHO, { headers, body: '{"a":1:' })
  assert.equal([broken.status, broken.headers['cache-control']], [400, 'no-store'])
  const overriding = { headers: { ...headers, 'x-http-method-override': 'DELETE' }, body: '{"a":1}' }
  assert.is((await site.raw(ECHO, overriding)).json.method, 'GET')
  assert.is((await site.raw(ECHO)).headers['cache-control'], undefined)
})

http('responds to malformed JSON with rest_invalid_json if a route matches', async () => {
  await using site = await bare([echo])
  const broken = { method: 'POST', headers: JSON_TYPE, body: '{"a":' }
  const { status, json } = await site.raw(ECHO, broken)
  assert.equal([status, json.code, json.data.json_error_code], [400, 'rest_invalid_json', 4])
  assert.is((await site.raw('/svc-json/nope', broken)).json.code, 'rest_no_route')
})

http('S24: never sets a prototype from a key of a body', async () => {
  await using site = await bare([echo])
  const body = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}'
  const { json } = await site.raw(ECHO, { method: 'POST', headers: JSON_TYPE, body })
  assert.equal(json.json, { a: 1 })
  assert.is(({} as Record<string, unknown>)['polluted'], undefined)
})

http('S25: refuses bodies that are larger or deeper than allowed', async () => {
  await using site = await bare([echo], { limits: { bodyLimit: 2048, depth: 5 } })
  const send = (body: string, headers: Record<string, string> = JSON_TYPE) =>
    site.raw(ECHO, { method: 'POST', headers, body })
  assert.equal(
    [(await send('x'.repeat(2049))).status, (await send('x'.repeat(2049))).json.code],
    [413, 'rest_body_too_large'],
  )
  const chunked = await send('x'.repeat(5000), { ...JSON_TYPE, 'transfer-encoding': 'chunked' })
  assert.is(chunked.status, 413)
  assert.is((await send('[[[[[1]]]]]')).status, 200)
  assert.is((await send('[[[[[[1]]]]]]')).json.code, 'rest_body_too_deep')
  assert.is((await send('"[[[[[[[["')).status, 200)
})

http('S25: does not block other requests while it parses bodies of very many parts', async () => {
  await using site = await bare([echo], { limits: { visitor: 67_108_864 } })
  const keys = Array.from({ length: 500_000 }, (_, n) => `"k${n}":1`)
  const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'
  const bodies: [type: string, body: (count: number) => string, count: number, status: number][] = [
    ['application/json', (count) => `{${keys.slice(0, count).join()}}`, 500_000, 400],
    ['application/json', (count) => `{${keys.slice(0, count).join()},${keys.join()}}`, 500_000, 413],
    ['application/json', (count) => `[${'[],'.repeat(count)}0]`, 1_000_000, 400],
    ['application/x-www-form-urlencoded', (count) => 'a=1&'.repeat(count), 1_000_000, 200],
    ['multipart/form-data; boundary=x', (count) => `${part.repeat(count)}--x--\r\n`, 300_000, 400],
  ]
  for (const [type, body, maxCount, expected] of bodies) {
    const send = async (count: number) => {
      const headers = { 'content-type': type }
      const { status } = await site.raw(ECHO, { method: 'POST', headers, body: body(count) })
      if (count === maxCount) assert.is(status, expected, type)
    }
    await growsLinearly(type, send, maxCount)
  }
})

http('parses a hundred thousand nested empty lists in linear time', async () => {
  await using site = await bare([echo])
  await growsLinearly('levels', async (depth) => {
    const { status } = await site.raw(ECHO, { method: 'POST', headers: JSON_TYPE, body: '['.repeat(depth) })
    assert.is(status, 400)
  })
})

/** Builds a multipart body of parts with name, content and, for a file, file name. */
const multipart = (...parts: [name: string, content: string, filename?: string][]) => {
  const written = parts.map(([name, content, filename]) => {
    const file = filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: text/plain`
    return `--x\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`
  })
  return `${written.join('')}--x--\r\n`
}
const MULTIPART = { 'content-type': 'multipart/form-data; boundary=x' }

http('S25: accepts smaller parsed bodies than files, and names the limit in the error', async () => {
  await using site = await bare([echo], { limits: { text: 2048, bodyLimit: 1_000_000 } })
  const send = (headers: Record<string, string>, body: string) => site.raw(ECHO, { method: 'POST', headers, body })
  const long = 'x'.repeat(3000)
  const texts: [headers: Record<string, string>, body: string][] = [
    [JSON_TYPE, `"${long}"`],
    [{ 'content-type': 'application/ld+json' }, `"${long}"`],
    [{ 'content-type': 'application/json+oembed' }, `"${long}"`],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, `a=${long}`],
    [MULTIPART, multipart(['a', long])],
    [MULTIPART, multipart(['a', 'x'.repeat(1500)], ['b', 'x'.repeat(1500)])],
  ]
  for (const [headers, body] of texts) {
    for (const extraHeaders of [{}, { 'transfer-encoding': 'chunked' }]) {
      const { status, json } = await send({ ...headers, ...extraHeaders }, body)
      assert.equal([status, json.code, json.message.includes('2048')], [413, 'rest_body_too_large', true])
    }
  }
  const { json } = await send(MULTIPART, multipart(['a', 'x'], ['file', 'y'.repeat(900_000), 'a.txt']))
  assert.equal([json.form, json.files], [{ a: 'x' }, [['file', 'a.txt', true]]])
  assert.is((await send({ 'content-type': 'video/mp4' }, 'y'.repeat(900_000))).json.raw, 900_000)
  for (const [headers, body] of [
    [MULTIPART, multipart(['file', 'y'.repeat(1_000_000), 'a.txt'])],
    [{ 'content-type': 'video/mp4' }, 'y'.repeat(1_000_001)],
  ] as const) {
    const refused = await send({ ...headers, 'transfer-encoding': 'chunked' }, body)
    assert.equal([refused.status, refused.json.code], [413, 'rest_body_too_large'])
  }
})

http('deletes the temporary files of large bodies, also of incomplete ones', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'http-test-'))
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  try {
    await using site = await bare([echo], { limits: { visitor: 8_388_608 } })
    const body = multipart(['one', 'y'.repeat(600_000), 'a.txt'], ['two', 'z'.repeat(600_000), 'b.txt'])
    const send = (text: string) => site.raw(ECHO, { method: 'POST', headers: MULTIPART, body: text })
    assert.is((await send(body)).json.files.length, 2)
    const cut = await send(body.slice(0, 900_000))
    assert.equal([cut.status, cut.json.code], [400, 'rest_invalid_body'])
    const arriving = nextServerSocket()
    const leaving = connect(Number(new URL(site.home).port), '127.0.0.1')
    leaving.write(`POST ${ECHO} HTTP/1.1\r\nHost: x\r\nContent-Type: video/mp4\r\nContent-Length: 900000\r\n\r\n`)
    leaving.write('y'.repeat(600_000))
    // The temporary file has no name: wait for the bytes that make the server create it.
    const socket = await arriving
    await until(() => socket.bytesRead > 600_000)
    leaving.destroy()
    assert.is((await send(body)).status, 200)
    await until(async () => (await readdir(folder)).length === 0)
  } finally {
    process.env['TMPDIR'] = before
    if (before === undefined) delete process.env['TMPDIR']
    await rm(folder, { recursive: true })
  }
})

http('refuses headers that are larger than allowed', async () => {
  await using site = await bare([echo], { limits: { headers: 2048 } })
  const { status, json } = await site.raw(ECHO, { headers: { 'x-long': 'x'.repeat(3000) } })
  assert.equal([status, json.code], [431, 'rest_header_too_large'])
})

http('refuses a request that takes too long to arrive', async () => {
  // Node's HTTP server checks once per second, with its own timer.
  await using site = await bare([echo], { limits: { requestTimeout: 300 } })
  const answer = await wire(site, 'GET /svc-json/ HTTP/1.1\r\nHost: x\r\n')
  assert.match(answer, 'HTTP/1.1 408')
  assert.match(answer, 'rest_request_timeout')
})

http('responds with 503 if a handler takes too long, and serves other requests in the meantime', async () => {
  using clock = stopClock('kernel/http', 'plugins/requests/limits')
  const slow = sleeper()
  await using site = await bare([slow.plugin, echo], { limits: { requestTimeout: 1000 } })
  const late = site.raw(SLEEP)
  await slow.asleep
  assert.is((await site.raw(ECHO)).status, 200)
  clock.advance(1000)
  const { status, json, headers } = await late
  assert.equal([status, json.code, headers['retry-after']], [503, 'rest_handler_timeout', '5'])
  slow.wake()
  assert.is((await site.raw(SLEEP)).json, 'awake')
})

http('finds routes below the prefix, and below the index script', async () => {
  await using site = await bare([echo])
  assert.is((await site.raw(`/index.php${ECHO}`)).json.route, '/test/v1/echo')
  assert.is((await site.raw('/svc-json')).json.code, 'rest_no_route')
  assert.is((await site.raw('/svc-jsonx')).headers['content-type'], 'text/html; charset=UTF-8')
})

http('serves a site below a folder of its host', async () => {
  await using site = await bare([echo], { home: 'http://site.test/blog' })
  assert.is((await site.raw(`/blog${ECHO}/x`)).json.route, '/test/v1/echo/x')
})

http('S28: decodes a path exactly once', async () => {
  await using site = await bare([echo])
  const route = async (target: string) => (await site.raw(target)).json.route
  assert.is(await route('/svc-json/test%2fv1/echo'), '/test/v1/echo')
  assert.is(await route(`${ECHO}/a%252fb`), '/test/v1/echo/a%2fb')
  assert.is(await route(`${ECHO}/%2e%2e/x`), '/test/v1/echo/../x')
  assert.is(await route(`${ECHO}/%C3%BC`), '/test/v1/echo/ü')
})

http('S28: refuses paths that cannot be decoded to text', async () => {
  await using site = await bare([echo])
  for (const bad of ['%00', 'a%00b', '%', '%zz', '%ff', '%c0%af']) {
    const { status, json } = await site.raw(`${ECHO}/${bad}`)
    assert.equal([status, json.code], [400, 'rest_bad_request'], bad)
  }
})

http('serves the REST API at paths that repeat the slashes before its prefix', async () => {
  for (const base of ['', '/blog']) {
    await using site = await bare([echo])
    site.kernel.urls.home = `${site.home}${base}`
    for (const path of [
      `/${base}/svc-json/test/v1/echo`,
      `${base}//svc-json/test/v1/echo`,
      `///${base}////svc-json/test/v1/echo`,
      `${base}/index.php//svc-json/test/v1/echo`,
      `/${base}//index.php///svc-json/test/v1/echo`,
      `${base}/%2Fsvc-json/test/v1/echo`,
    ])
      assert.is((await site.raw(path)).status, 200, path)
    assert.equal((await site.raw(`/${base}//svc-json`)).json.code, (await site.raw(`${base}/svc-json`)).json.code)
    const missing = await site.raw(`/${base}//svc-json/nothing`)
    assert.equal([missing.status, missing.json.code], [404, 'rest_no_route'])
    for (const path of [`${base}//svc-jsonx`, `${base}/index.php/x/svc-json/test/v1/echo`])
      assert.not.match((await site.raw(path)).json?.code ?? '', /rest_no_route|^echo/, path)
  }
})

http('ignores slashes at the end of a route, but no other slashes', async () => {
  await using site = await bare([echo])
  assert.is((await site.raw(`${ECHO}/?a=1`)).status, 200)
  assert.is((await site.raw(`${ECHO}///`)).status, 200)
  assert.is((await site.raw('/svc-json/test//v1/echo')).json.code, 'rest_no_route')
  assert.is((await site.raw('/svc-json//test/v1/echo')).json.code, 'rest_no_route')
})

/** Headers that S34 requires of every response below the root of the REST API. */
const REQUIRED_HEADERS = [
  /content-type: application\/json; charset=utf-8/i,
  /x-content-type-options: nosniff/i,
  /x-robots-tag: noindex/i,
]

http('S27: refuses requests that two servers could parse differently', async () => {
  await using site = await bare([echo])
  const start = `POST ${ECHO} HTTP/1.1\r\n`
  const host = 'Host: x\r\nConnection: close\r\n'
  const chunked = 'Transfer-Encoding: chunked\r\n'
  for (const request of [
    // Ambiguous end of the body.
    `${start}${host}Content-Length: 5\r\n${chunked}\r\n0\r\n\r\n`,
    `${start}${host}${chunked}Content-Length: 5\r\n\r\n0\r\n\r\n`,
    `${start}${host}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`,
    `${start}${host}Content-Length: 5\r\nContent-Length: 5\r\n\r\nabcde`,
    `${start}${host}Content-Length: 5, 5\r\n\r\nabcde`,
    `${start}${host}Content-Length: +5\r\n\r\nabcde`,
    `${start}${host}Content-Length: 0x5\r\n\r\nabcde`,
    `${start}${host}Content-Length : 5\r\n\r\nabcde`,
    `${start}${host}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    `${start}${host}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    `${start}${host}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    `${start}${host}${chunked}${chunked}\r\n0\r\n\r\n`,
    `POST ${ECHO} HTTP/1.0\r\n${host}${chunked}\r\n0\r\n\r\n`,
    `${start}${host}${chunked}\r\n1;a\n=b\r\nx\r\n0\r\n\r\n`,
    `${start}${host}${chunked}\r\n1\nx\n0\n\n`,
    // Ambiguous headers.
    `${start}${host}X-Folded: a\r\n b\r\n\r\n`,
    `${start} Host: x\r\nConnection: close\r\n\r\n`,
    `${start}${host}Bad Name: a\r\n\r\n`,
    `${start}${host}X-Null: a\0b\r\n\r\n`,
    `${start}${host}X-Bare: a\rb\r\n\r\n`,
    `POST ${ECHO} HTTP/1.1\nHost: x\nConnection: close\n\n`,
    `${start}${host}Content-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`,
    `${start}${host}Authorization: Basic YQ==\r\nAuthorization: Basic Yg==\r\n\r\n`,
    // Ambiguous host.
    `${start}${host}Host: y\r\n\r\n`,
    `${start}${host}Host: x\r\n\r\n`,
    `${start}Connection: close\r\n\r\n`,
    `${start}Host:\r\nConnection: close\r\n\r\n`,
    `${start}Host: x y\r\nConnection: close\r\n\r\n`,
    `${start}Host: x/y\r\nConnection: close\r\n\r\n`,
    `${start}Host: a@x\r\nConnection: close\r\n\r\n`,
    `GET http://elsewhere.test${ECHO} HTTP/1.1\r\n${host}\r\n`,
    `GET http://x${ECHO} HTTP/1.1\r\n${host}\r\n`,
    `OPTIONS * HTTP/1.1\r\n${host}\r\n`,
    `GET ${ECHO}#a HTTP/1.1\r\n${host}\r\n`,
    `GET ${ECHO} HTTP/2.0\r\n${host}\r\n`,
    `GET ${ECHO} HTTP/1.1\r\n${host}Expect: more\r\n\r\n`,
  ]) {
    const answer = await wire(site, request)
    assert.match(answer, /^HTTP\/1\.1 400/, request)
    assert.match(answer, '"code":"rest_bad_request"')
    for (const header of REQUIRED_HEADERS) assert.match(answer, header, request)
    assert.not.match(answer, 'X-Echo')
  }
})

http('S27: accepts unusual requests that all servers parse alike', async () => {
  await using site = await bare([echo])
  const get = (headers: string, version = '1.1') => wire(site, `GET ${ECHO} HTTP/${version}\r\n${headers}\r\n`)
  for (const host of ['x', 'x:80', '[::1]:8080', '127.0.0.1', 'a_b.test', 'xn--bcher-kva.test:'])
    assert.match(await get(`Host: ${host}\r\nConnection: close\r\n`), /^HTTP\/1\.1 200/, host)
  assert.match(await get('', '1.0'), /^HTTP\/1\.1 200/)
  const body = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n7;a="b c";d\r\n{"a":1}\r\n0\r\n\r\n'
  const answer = await wire(site, `POST ${ECHO} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${body}`)
  assert.match(answer, '"json":{"a":1}')
})

http('S34: sends content type and security headers also if no route matches', async () => {
  using clock = stopClock('kernel/http', 'plugins/requests/limits')
  const slow = sleeper()
  const limits = { bodyLimit: 1024, text: 1024, headers: 2048 }
  await using site = await bare([echo, slow.plugin], { limits })
  await using hasty = await bare([], { limits: { requestTimeout: 300 } })
  const line = (method: string, target: string, more = '') =>
    `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`
  const requests: [status: number, request: string][] = [
    [400, line('GET', '/svc-json/%ff')],
    [400, line('GET', '/svc-json/a%00b')],
    [400, line('BREW', '/svc-json/')],
    [413, `${line('POST', ECHO, 'Content-Type: application/json\r\nContent-Length: 2000\r\n')}${'x'.repeat(2000)}`],
    [431, line('GET', '/svc-json/', `X-Long: ${'x'.repeat(3000)}\r\n`)],
    [431, line('GET', `/svc-json/${'x'.repeat(3000)}`)],
  ]
  const late = wire(site, line('GET', SLEEP))
  const unfinished = wire(hasty, `GET /svc-json/ HTTP/1.1\r\nHost: x\r\n`)
  await slow.asleep
  clock.advance(30_000)
  const answers: [status: number, answer: string][] = [
    [408, await unfinished],
    [503, await late],
  ]
  for (const [status, request] of requests) answers.push([status, await wire(site, request)])
  for (const [status, answer] of answers) {
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status}`))
    for (const header of REQUIRED_HEADERS) assert.match(answer, header, String(status))
    assert.match(answer, /\{"code":"rest_/)
  }
})

http('responds to pipelined requests in their order', async () => {
  const slow = sleeper()
  const second = Promise.withResolvers<void>()
  const overtaking = plugin('overtaking', ({ hooks }) => {
    hooks.rest_pre_serve_request.tap('overtaking', (served, { request }) => {
      if (request.route === '/test/v1/echo/second') second.resolve()
      return served
    })
  })
  await using site = await bare([echo, slow.plugin, overtaking])
  const get = (target: string, more = '') => `GET ${target} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
  const answers = wire(site, get(SLEEP) + get(`${ECHO}/second`, 'Connection: close\r\n'))
  await Promise.all([slow.asleep, second.promise])
  slow.wake()
  const text = await answers
  assert.ok(text.indexOf('awake') > 0 && text.indexOf('awake') < text.indexOf('echo/second'))
})

http('keeps the connection usable after an unread body', async () => {
  await using site = await bare([echo])
  const post = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nGET / HTT`
  const text = await wire(site, `${post}GET ${ECHO}/after HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  assert.match(text, 'echo/after')
})

http('passes other URLs to site_request, and responds with 404 if no tap responds', async () => {
  const pages = plugin('pages', ({ hooks }) => {
    hooks.site_request.tap('pages', (page, { path, query }) =>
      path === '/hello'
        ? {
            status: 200,
            headers: new HeaderMap({ 'Content-Type': 'text/plain' }),
            body: `hello ${query.get('name') ?? ''}`,
          }
        : page,
    )
    hooks.site_headers.tap('pages', (headers) => headers.set('X-Page', 'yes'))
  })
  await using site = await bare([pages])
  const page = await site.raw('/hello?name=you')
  assert.equal([page.status, page.text, page.headers['x-page']], [200, 'hello you', 'yes'])
  // Added to pages of all plugins.
  assert.is(page.headers['x-content-type-options'], 'nosniff')
  const head = await site.raw('/hello', { method: 'HEAD' })
  assert.equal([head.status, head.text, head.headers['content-length']], [200, '', '6'])
  assert.is((await site.raw('/nowhere')).status, 404)
})

http('responds to other URLs with 404 and JSON if the plugin site-requests does not run', async () => {
  await using kernel = await start([])
  const response = await fetch(`${await kernel.listen(0)}/nowhere`)
  assert.is(response.status, 404)
  assert.is(((await response.json()) as { code: string }).code, 'rest_no_route')
})

http('does not change a response that a tap has sent itself', async () => {
  const sender = plugin('sender', ({ hooks }) => {
    hooks.rest_pre_serve_request.tap('sender', (_served, { raw }) => {
      raw!.outgoing.end('sent')
      return true
    })
  })
  await using site = await bare([echo, sender])
  assert.is((await site.raw(ECHO)).text, 'sent')
})

http('S33: responds with 500 if a header cannot be written, and keeps running', async () => {
  const breaker = plugin('breaker', ({ hooks }) => {
    hooks.rest_post_dispatch.tap('breaker', (response, _server, { route }) => {
      if (route.endsWith('bad')) response.headers.set('X-Bad', 'a\r\nSet-Cookie: b')
      return response
    })
  })
  await using site = await bare([echo, breaker])
  const bad = await site.raw(`${ECHO}/bad`)
  assert.equal([bad.status, bad.headers['set-cookie']], [500, undefined])
  assert.is((await site.raw(ECHO)).status, 200)
})

http('finishes the requests in progress when it stops, and accepts no new ones', async () => {
  const slow = sleeper()
  const site = await bare([slow.plugin])
  const pending = site.raw(SLEEP)
  await slow.asleep
  const closing = site.kernel.close()
  const late = await site.raw('/svc-json/').then(
    () => 'answered',
    () => 'refused',
  )
  assert.is(late, 'refused')
  slow.wake()
  const { status, json } = await pending
  assert.equal([status, json], [200, 'awake'])
  await closing
})

http('waits for handlers whose client has left before it removes the plugins', async () => {
  const order: string[] = []
  const begun = Promise.withResolvers<void>()
  const untidy = plugin('untidy', ({ hooks, onRemove }) => {
    onRemove(() => void order.push('removed'))
    const callback = async ({ signal }: RestRequest) => {
      begun.resolve()
      await once(signal, 'abort')
      for (let turn = 0; turn < 50; turn += 1) await setImmediate()
      order.push('handled')
    }
    hooks.rest_api_init.tap('untidy', (server) => {
      server.registerRoute('test/v1', 'untidy', { callback, permission_callback: () => true })
    })
  })
  const site = await bare([untidy])
  const socket = connect(Number(new URL(site.home).port), '127.0.0.1')
  socket.write('GET /svc-json/test/v1/untidy HTTP/1.1\r\nHost: x\r\n\r\n')
  await begun.promise
  socket.destroy()
  await site.kernel.close()
  assert.equal(order, ['handled', 'removed'])
})

http('sends the reason phrase of the error if a header cannot be written', async () => {
  const odd = plugin('odd', ({ hooks }) => {
    hooks.rest_api_init.tap('odd', (server) => {
      const callback = () => {
        const response = new RestResponse('odd', 201)
        response.headers.set('X-Odd', 'a\r\nX-Other: b')
        return response
      }
      server.registerRoute('test/v1', 'odd', { callback, permission_callback: () => true })
    })
  })
  await using site = await bare([odd])
  const { status, statusText, headers } = await fetch(`${site.home}/svc-json/test/v1/odd`)
  assert.equal([status, statusText], [500, 'Internal Server Error'])
  assert.is(headers.get('x-other'), null)
})

http('names the address in the error if the port is taken', async () => {
  await using site = await bare([])
  try {
    await using _second = await bare([], { port: Number(new URL(site.home).port) })
    assert.unreachable()
  } catch (error) {
    assert.instance(error, RestError)
    assert.is((error as RestError).code, 'PORT_TAKEN')
  }
})

http.run()
