import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../../helpers/until.ts'
import { codeOf, makeClient, receive } from './asking.ts'

const wire = suite('outgoing: what servers send')
const allow = ['127.0.0.0/8:*', '[::1]:*', 'localhost:*']

/** A server that answers with bytes; it is given each request as text. */
async function serveRaw(answer: (request: string, socket: Socket, index: number) => void) {
  const requests: string[] = []
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    socket.on('data', (bytes) => {
      requests.push(bytes.toString('latin1'))
      answer(bytes.toString('latin1'), socket, requests.length - 1)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    requests,
    open,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const packed = gzipSync('hello').toString('latin1')

/** Raw responses with the expected result: a status with the body, or an error code. */
const ANSWERS: readonly [name: string, bytes: string, expected: string, method?: string][] = [
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nold', '200 old'],
  ['HTTP/1.0 with a length', 'HTTP/1.0 200 OK\r\ncontent-length: 3\r\n\r\nold', '200 old'],
  ['no reason', 'HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok', '200 ok'],
  [
    'early hints',
    'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
    '200 ok',
  ],
  [
    'many 1xx',
    `${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(50)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`,
    '200 ok',
  ],
  [
    'a switch of protocols',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nx',
    'OUTGOING_FAILED',
  ],
  ['100 alone', 'HTTP/1.1 100 Continue\r\n\r\n', 'OUTGOING_FAILED'],
  ['204 with a body', 'HTTP/1.1 204 No Content\r\n\r\nbody', '204 '],
  ['304 with a body', 'HTTP/1.1 304 Not Modified\r\n\r\nbody', '304 '],
  ['HEAD with a length', 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\ncontent-encoding: gzip\r\n\r\n', '200 ', 'HEAD'],
  ['a length that is too long', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort', 'OUTGOING_FAILED'],
  [
    'a length that is too short',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\nsmuggled',
    '200 ok',
  ],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok!', 'OUTGOING_FAILED'],
  ['a length below zero', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nok', 'OUTGOING_FAILED'],
  ['a huge length', 'HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\nok', 'OUTGOING_FAILED'],
  [
    'a length and chunks',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    'OUTGOING_FAILED',
  ],
  ['chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', '200 ok'],
  ['chunks that are none', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nok\r\n', 'OUTGOING_FAILED'],
  ['chunks without an end', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n', 'OUTGOING_FAILED'],
  [
    'gzip',
    `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n${packed}`,
    '200 hello',
  ],
  [
    'gzip with garbage behind',
    `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length + 7}\r\n\r\n${packed}garbage`,
    'OUTGOING_FAILED',
  ],
  ['a header without a colon', 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n', 'OUTGOING_FAILED'],
  ['a line that is folded', 'HTTP/1.1 200 OK\r\na: b\r\n c\r\ncontent-length: 2\r\n\r\nok', 'OUTGOING_FAILED'],
  ['a status that is none', 'HTTP/1.1 999999 Odd\r\n\r\n', 'OUTGOING_FAILED'],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'OUTGOING_FAILED'],
  ['TLS where it was not asked for', '\u0016\u0003\u0001\u0002\u0000', 'OUTGOING_FAILED'],
  ['nothing', '', 'OUTGOING_FAILED'],
]

wire('each raw response is parsed or fails, and never hangs', async () => {
  await using server = await serveRaw((request, socket) => {
    const [, number] = /^\w+ \/(\d+) /.exec(request)!
    socket.end(ANSWERS[Number(number)]![1], 'latin1')
  })
  await using client = makeClient({ allow, perOrigin: 50 })
  const results = await Promise.all(
    ANSWERS.map(async ([name, , , method = 'GET'], index) => {
      const request = client.request(`${server.url}/${index}`, { method })
      return `${name}: ${await request.then(
        (answer) => `${answer.status} ${answer.text()}`,
        (error: { code: string }) => error.code,
      )}`
    }),
  )
  assert.equal(
    results,
    ANSWERS.map(([name, , expected]) => `${name}: ${expected}`),
  )
  await until(() => server.open.size === 0)
})

wire('a POST on a closing connection is not retried', async () => {
  await using server = await serveRaw((_, socket, index) => {
    // The second request of a connection meets one that is closed.
    if (index === 0) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    else socket.destroy()
  })
  await using client = makeClient({ allow })
  const post = () => client.request(server.url, { method: 'POST', body: '{}' })
  assert.is((await post()).text(), 'ok')
  assert.is(await codeOf(post()), 'OUTGOING_FAILED')
  assert.is(server.requests.length, 2)
  assert.equal(
    server.requests.map((text) => text.slice(0, 4)),
    ['POST', 'POST'],
  )
})

/** Redirect targets with the expected results. */
const PLACES: readonly [location: string, expected: string][] = [
  ['/end', 'resolved: 200'],
  ['../../end', 'resolved: 200'],
  ['?a=b', 'OUTGOING_REDIRECTS'],
  ['', 'OUTGOING_REDIRECTS'],
  ['//127.0.0.1:1/', 'OUTGOING_FAILED'],
  ['javascript:alert(1)', 'OUTGOING_URL_INVALID'],
  ['data:text/plain,a', 'OUTGOING_URL_INVALID'],
  ['file:///etc/passwd', 'OUTGOING_URL_INVALID'],
  ['ftp://a.example/', 'OUTGOING_URL_INVALID'],
  ['http://', 'OUTGOING_URL_INVALID'],
  ['http://[::1', 'OUTGOING_URL_INVALID'],
  ['http://a.example:65536/', 'OUTGOING_URL_INVALID'],
  ['http://a.example:0/', 'OUTGOING_URL_INVALID'],
  ['http://user:word@a.example/', 'OUTGOING_URL_INVALID'],
  ['http://10.0.0.1/', 'OUTGOING_ADDRESS_REFUSED'],
  ['http://169.254.169.254/latest', 'OUTGOING_ADDRESS_REFUSED'],
  [`/${'x'.repeat(9000)}`, 'OUTGOING_URL_INVALID'],
  ['/a%0d%0ax: y', 'resolved: 200'],
  ['\\\\10.0.0.1\\end', 'OUTGOING_ADDRESS_REFUSED'],
]

wire('S36: a redirect leads only to permitted hosts', async () => {
  await using server = await serveRaw((request, socket) => {
    const [, path = ''] = /^GET (\S*) /.exec(request)!
    const [, number] = /^\/from\/(\d+)/.exec(path) ?? []
    const location = number === undefined ? null : PLACES[Number(number)]![0]
    // A separate line would be an injected header.
    const isWhole = !/\r\nx: y/.test(request)
    socket.end(
      location === null
        ? `HTTP/1.1 ${isWhole ? 200 : 500} OK\r\ncontent-length: 0\r\n\r\n`
        : `HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`,
    )
  })
  await using client = makeClient({ allow: ['127.0.0.1:*'], perOrigin: 50, ports: [81] })
  for (const [index, [location, expected]] of PLACES.entries()) {
    const status = client.request(`${server.url}/from/${index}/`).then(({ status }) => status)
    assert.is(await codeOf(status), expected, location.slice(0, 40))
  }
})

wire('S36: unusual URLs are parsed like in browsers, and refused if the host is not public', async () => {
  await using server = await receive((_, response) => void response.end('ok'), '127.0.0.1')
  await using strict = makeClient({ ports: [80, server.port] })
  const refused = [
    'http://127.0.0.1.:PORT/',
    'http://127.1:PORT/',
    'http://0x7f.1:PORT/',
    'http://２１３０７０６４３３:PORT/',
    'http://①②⑦.0.0.1:PORT/',
    'http://0:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[::127.0.0.1]:PORT/',
    'http://127。0。0。1:PORT/',
  ]
  for (const url of refused) {
    const code = await codeOf(strict.request(url.replace('PORT', String(server.port))))
    assert.is(code, 'OUTGOING_ADDRESS_REFUSED', url)
  }
  const invalid = [
    'http://[fe80::1%25lo]/',
    'http://[fe80::1%lo]/',
    'http://a.example:65536/',
    'http://a.example:0/',
    'http://a b/',
    'http://a.example:80:81/',
    'http://%00/',
    'http://a%2fb/',
    '//a.example/',
    'http:',
    '',
    ' ',
    'https://u@a.example/',
  ]
  for (const url of invalid) assert.is(await codeOf(strict.request(url)), 'OUTGOING_URL_INVALID', url)
  assert.equal(server.requestLines, [])
})

wire('S36: host names are compared in ASCII without the trailing dot', async () => {
  await using server = await receive((_, response) => void response.end('ok'))
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
  await using client = makeClient({ allow: ['bücher.test:*', 'cms.test.:*'], lookup })
  for (const host of ['bücher.test', 'xn--bcher-kva.test', 'BÜCHER.test.', 'cms.test', 'CMS.test.']) {
    assert.is(
      await codeOf(client.request(`http://${host}:${server.port}/`).then(({ status }) => status)),
      'resolved: 200',
    )
  }
  for (const host of ['bucher.test', 'cms.test..', 'a.cms.test', 'cms.test.example']) {
    assert.is.not(await codeOf(client.request(`http://${host}:${server.port}/`).then(() => 1)), 'resolved: 1', host)
  }
})

wire('ten thousand requests leak no memory or connections', async () => {
  await using server = await receive((_, response) => void response.end('ok'))
  await using client = makeClient({ allow })
  const sendRequests = (count: number) =>
    Promise.all(Array.from({ length: count }, () => client.request(server.url, { method: 'POST', body: 'x' })))
  const aborter = new AbortController()
  const listeners: string[] = []
  const onWarning = (warning: Error) => void listeners.push(warning.message)
  process.on('warning', onWarning)
  await sendRequests(500)
  const before = process.memoryUsage().heapUsed
  for (let round = 0; round < 10; round += 1) {
    await sendRequests(1000)
    await client.request(server.url, { signal: aborter.signal })
  }
  process.off('warning', onWarning)
  assert.ok(server.connections() < 200, String(server.connections()))
  assert.ok(process.memoryUsage().heapUsed - before < 100_000_000)
  assert.equal(listeners, [])
})

wire.run()
