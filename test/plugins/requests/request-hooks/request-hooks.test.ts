import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  defineErrors,
  definePlugin,
  HeaderMap,
  RestResponse,
  type AnyPlugin,
  type PluginContext,
} from '../../../../kernel/index.ts'
import type { ReceivedRequest, SentResponse } from '../../../../plugins/requests/request-hooks/index.ts'
import { stopClock } from '../../../helpers/clock.ts'
import { until } from '../../../helpers/until.ts'
import { head, nextServerSocket, open, wire, wireRequest } from '../../../helpers/wire.ts'
import { bare, IT, open as publicRoute, plugin, routed } from '../../../kernel/bare.ts'

const requestHooks = suite('request hooks')

/** Records the calls of both hooks in order. */
function recorder(more: (context: PluginContext) => void = () => {}) {
  const sent: SentResponse[] = []
  const received: ReceivedRequest[] = []
  const added = plugin('recorder', (context) => {
    context.hooks.request_received.tap({ name: 'recorder', stage: -10 }, (page, request) => {
      received.push(request)
      return page
    })
    context.hooks.response_sent.tap('recorder', (response, request) => {
      assert.is(
        request,
        received.find(({ id }) => id === response.id),
      )
      sent.push(response)
    })
    more(context)
  })
  const all = async (count: number) => {
    await until(() => sent.length >= count)
    return sent
  }
  return { plugin: added, sent, received, all }
}

const errors = defineErrors({
  test_too_many: [429, (seconds: number) => `Too many requests: try again in ${seconds} seconds.`],
})

/** A rate limit per IP address. */
const rateLimit = definePlugin<{ limit: number }>({
  name: 'limit',
  options: { limit: { default: 3, type: 'integer' } },
  apply({ hooks }, { limit }) {
    const counts = new Map<string, number>()
    hooks.request_received.tap('limit', (page, { ip, responseHeaders }) => {
      const count = (counts.get(ip) ?? 0) + 1
      counts.set(ip, count)
      responseHeaders.set('RateLimit-Remaining', Math.max(0, limit - count))
      if (count > limit) throw errors.test_too_many(30, { data: { retry_after: 30 } })
      return page
    })
  },
})

const page = (body: string | Buffer | Readable | null, status = 200, headers: Record<string, string> = {}) => ({
  status,
  headers: new HeaderMap({ 'Content-Type': 'text/plain', ...headers }),
  body,
})

const PAGES: Record<string, () => ReturnType<typeof page>> = {
  '/page': () => page('hello'),
  '/stream': () => page(Readable.from(['one', 'two', 'three'])),
  '/none': () => page(null),
  '/broken': () =>
    page(
      Readable.from(
        (async function* () {
          yield 'one'
          await turn()
          throw new Error('The disk is gone.')
        })(),
      ),
    ),
  '/failing': () => page(Readable.from(failing())),
}

// oxlint-disable-next-line require-yield -- fails before the first piece
async function* failing(): AsyncGenerator<string> {
  throw new Error('There is no disk.')
}

/** A site with a route and pages. */
const site: AnyPlugin = routed(
  { ...publicRoute, methods: 'GET, POST', callback: ({ json }) => json ?? { it: 'works' } },
  ({ hooks }) => {
    hooks.site_request.tap('test', (found, { path }) => PAGES[path]?.() ?? found)
  },
)

requestHooks('report each request once, with its route, status and sent bytes', async () => {
  const log = recorder()
  await using at = await bare([site, log.plugin])
  const requests: [method: string, path: string, status: number, route: string | null][] = [
    ['GET', IT, 200, '/test/v1/it'],
    ['HEAD', IT, 200, '/test/v1/it'],
    ['GET', '/svc-json/nowhere', 404, null],
    ['GET', '/svc-json/%ff', 400, null],
    ['GET', '/page', 200, null],
    ['HEAD', '/page', 200, null],
    ['GET', '/stream', 200, null],
    ['GET', '/none', 200, null],
    ['GET', '/nowhere', 404, null],
  ]
  for (const [method, path, status, route] of requests) {
    const { bytes } = await wireRequest(at.home, method, path)
    const sent = (await log.all(log.received.length)).at(-1)!
    assert.equal(
      [sent.method, sent.url, sent.status, sent.route, sent.bytes, sent.aborted, sent.fromCache, sent.user.id],
      [method, path, status, route, bytes.length, false, false, 0],
      `${method} ${path}`,
    )
    assert.ok(sent.ms >= 0 && sent.id !== '')
  }
  assert.is(log.sent.length, log.received.length)
})

requestHooks('report refused requests if their head could be parsed', async () => {
  const log = recorder()
  await using at = await bare([site, log.plugin], { limits: { bodyLimit: 2048, text: 2048 } })
  const requests: [status: number, bytes: string][] = [
    [400, head('GET', 'http://elsewhere.test/', { Connection: 'close' })],
    [400, head('GET', IT, { Host: 'x y', Connection: 'close' })],
    [400, head('GET', IT, { Expect: 'more', Connection: 'close' })],
    [
      413,
      `${head('POST', IT, { 'Content-Type': 'application/json', 'Content-Length': '3000', Connection: 'close' })}${'x'.repeat(3000)}`,
    ],
    [400, `${head('POST', IT, { 'Content-Type': 'application/json', 'Content-Length': '1', Connection: 'close' })}{`],
  ]
  for (const [index, [status, bytes]] of requests.entries()) {
    const answer = await wire(at.home, bytes)
    const sent = (await log.all(index + 1))[index]!
    assert.equal([sent.status, sent.bytes, sent.aborted], [status, answer.length, false], bytes)
  }
  // Hooks do not run for bytes that are not a request.
  assert.match((await wire(at.home, 'nonsense\r\n\r\n')).toString(), /^HTTP\/1\.1 400/)
  assert.equal([log.sent.length, log.received.length], [requests.length, requests.length])
})

requestHooks('report an unreadable body after the responses to earlier requests', async () => {
  const log = recorder()
  const waking = Promise.withResolvers<void>()
  const slow = plugin('slow', ({ hooks }) => {
    hooks.site_request.tapPromise('slow', async (found, { path }) => {
      if (path !== '/slow') return found
      await waking.promise
      return page('slow')
    })
  })
  await using at = await bare([site, slow, log.plugin], { limits: { requestTimeout: 1000 } })
  const chunked = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }
  const broken: [status: number, bytes: string][] = [
    [400, `${head('POST', IT, chunked)}zz\r\n`],
    [431, `${head('POST', IT, chunked)}0\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
    [408, `${head('POST', IT, chunked)}2\r\n{}`],
  ]
  for (const [status, bytes] of broken) {
    const answer = await wire(at.home, bytes)
    const sent = (await log.all(log.received.length)).at(-1)!
    assert.equal([sent.status, sent.bytes, sent.aborted], [status, answer.length, false], answer.toString())
  }
  const both = wire(at.home, head('GET', '/slow') + broken[0]![1])
  await until(() => log.received.length === broken.length + 2)
  waking.resolve()
  const [first, second, ...more] = (await both).toString().split('HTTP/1.1 ').slice(1)
  assert.match(first!, /^200 OK[^]*slow$/)
  assert.match(second!, /^400 Bad Request/)
  assert.is(more.length, 0)
  const last = (await log.all(broken.length + 2)).slice(-2)
  assert.equal(
    last.map(({ url, status, aborted }) => [url, status, aborted]),
    [
      ['/slow', 200, false],
      [IT, 400, false],
    ],
  )
})

requestHooks('abort a request whose body is malformed even if the handler does not read it', async () => {
  const asleep = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<unknown>()
  const writer = plugin('writer', ({ hooks }) => {
    hooks.site_request.tapPromise('writer', async (_found, { signal }) => {
      signal.addEventListener('abort', () => stopped.resolve(signal.reason))
      asleep.resolve()
      return new Promise<never>(() => {})
    })
  })
  await using at = await bare([writer])
  const socket = open(at.home, head('POST', '/', { 'Transfer-Encoding': 'chunked' }))
  await asleep.promise
  socket.write('zz\r\n')
  assert.is(((await stopped.promise) as { code: string }).code, 'rest_client_gone')
})

requestHooks('report complete responses even if invalid bytes follow their requests', async () => {
  const log = recorder()
  const started = Promise.withResolvers<void>()
  const waking = Promise.withResolvers<void>()
  const slow = plugin('slow', ({ hooks }) => {
    hooks.site_request.tap('slow', (found, { path }) => (path === '/slow' ? page(Readable.from(slowly())) : found))
  })
  async function* slowly(): AsyncGenerator<string> {
    yield 'first, '
    started.resolve()
    await waking.promise
    yield 'then the rest'
  }
  await using at = await bare([site, slow, log.plugin])
  const serving = nextServerSocket()
  const socket = open(at.home, head('GET', '/slow'))
  const served = await serving
  const whole = served.bytesRead
  let text = ''
  socket.on('data', (piece) => (text += piece.toString()))
  await started.promise
  await until(() => text.includes('first'))
  const nonsense = 'nonsense\r\n\r\n'
  for (let time = 1; time <= 3; time += 1) {
    socket.write(nonsense)
    await until(() => served.bytesRead === whole + time * nonsense.length)
  }
  waking.resolve()
  await new Promise((resolve) => socket.once('close', resolve))
  assert.match(text, 'then the rest')
  assert.is(text.split('HTTP/1.1').length, 2)
  assert.equal(
    (await log.all(1)).map(({ status, aborted }) => [status, aborted]),
    [[200, false]],
  )
})

requestHooks('count the bytes of each response on one connection', async () => {
  const log = recorder()
  await using at = await bare([site, log.plugin])
  const paths = [IT, '/page', '/stream', IT, '/svc-json/nope', '/none', IT]
  const alone = await Promise.all(paths.map(async (path) => (await wireRequest(at.home, 'GET', path)).bytes.length))
  await log.all(paths.length)
  log.sent.length = 0
  const bytes = paths.map((path, index) => {
    return head('GET', path, index === paths.length - 1 ? { Connection: 'close' } : {})
  })
  const pipelined = await wire(at.home, bytes.join(''))
  await log.all(paths.length)
  assert.equal(
    log.sent.map(({ url }) => url),
    paths,
  )
  const counted = log.sent.map((sent) => sent.bytes)
  assert.is(
    counted.reduce((sum, one) => sum + one),
    pipelined.length,
  )
  // On separate connections, each response has "Connection: close" instead of "Keep-Alive".
  assert.is(counted.at(-1), alone.at(-1))
  const overheads = counted.slice(0, -1).map((count, index) => count - alone[index]!)
  assert.is(new Set(overheads).size, 1, JSON.stringify(overheads))
})

requestHooks('report clients that disconnect before, during and while waiting for a response', async () => {
  const log = recorder()
  const asleep = Promise.withResolvers<void>()
  const wake = Promise.withResolvers<void>()
  const slow = plugin('slow', ({ hooks }) => {
    hooks.site_request.tapPromise('slow', async (found, { path }) => {
      if (path === '/long') return page(Readable.from(endless(), { objectMode: false }))
      if (path !== '/slow') return found
      asleep.resolve()
      await wake.promise
      return page('late')
    })
  })
  await using at = await bare([site, slow, log.plugin])
  const leaving = open(at.home, head('GET', '/slow') + head('GET', '/page'))
  await asleep.promise
  await until(() => log.received.length === 2)
  leaving.destroy()
  const [first, second] = await log.all(2)
  assert.equal([first!.status, first!.bytes, first!.aborted, first!.url], [499, 0, true, '/slow'])
  assert.equal([second!.bytes, second!.aborted, second!.url], [0, true, '/page'])
  const middle = open(at.home, head('GET', '/long'))
  await new Promise((resolve) => middle.once('data', resolve))
  middle.destroy()
  const third = (await log.all(3))[2]!
  assert.equal([third.status, third.bytes > 0, third.aborted], [200, true, true])
  wake.resolve()
  assert.is((await at.raw('/page')).status, 200)
  assert.is((await log.all(4)).length, 4)
})

async function* endless(): AsyncGenerator<Buffer> {
  for (;;) {
    yield Buffer.alloc(10_000, 'x')
    await turn()
  }
}

requestHooks(
  'can implement a rate limit that refuses requests first, with headers, on a connection that stays open',
  async () => {
    const log = recorder()
    let users = 0
    const counter = plugin('counter', ({ hooks }) => {
      hooks.determine_current_user.tap('counter', (user) => {
        users += 1
        return user
      })
    })
    await using at = await bare([site, counter, rateLimit, log.plugin])
    const paths = [IT, '/page', '/svc-json/nope', IT, '/page']
    const bytes = paths.map((path, index) => head('GET', path, index === 4 ? { Connection: 'close' } : {}))
    const text = (await wire(at.home, bytes.join(''))).toString()
    assert.equal(
      text.match(/HTTP\/1\.1 \d+/g),
      [200, 200, 404, 429, 429].map((status) => `HTTP/1.1 ${status}`),
    )
    assert.equal(
      text.match(/RateLimit-Remaining: \d/g),
      [2, 1, 0, 0, 0].map((left) => `RateLimit-Remaining: ${left}`),
    )
    assert.equal(text.match(/Retry-After: \d+/g), ['Retry-After: 30', 'Retry-After: 30'])
    assert.equal(text.match(/"code":"test_too_many"/g)?.length, 2)
    assert.is(users, 3)
    assert.equal(
      (await log.all(5)).map(({ status, route }) => [status, route]),
      [
        [200, '/test/v1/it'],
        [200, null],
        [404, null],
        [429, null],
        [429, null],
      ],
    )
    // An unread body is not parsed as the next request.
    const refused = `${head('POST', IT, { 'Content-Length': '6' })}GET / ${head('HEAD', IT, { Connection: 'close' })}`
    const last = (await wire(at.home, refused)).toString()
    assert.is(last.match(/HTTP\/1\.1 429/g)?.length, 2)
  },
)

requestHooks('let a tap respond asynchronously, and add its headers to every response', async () => {
  const gate = plugin('gate', ({ hooks }) => {
    hooks.request_received.tapPromise(
      { name: 'gate', methods: 'GET' },
      async (found, { url, headers, responseHeaders }) => {
        responseHeaders.set('X-Gate', 'open')
        responseHeaders.set('Content-Type', 'never/this')
        await turn()
        if (headers.get('x-bad') !== null) responseHeaders.set('X-Bad', headers.get('x-bad')!.repeat(2) + '\n')
        return url === '/closed' ? page('closed', 403) : url === '/stream' ? page(Readable.from(['early'])) : found
      },
    )
  })
  await using at = await bare([site, gate], { limits: { headers: 4096 } })
  const cases: [path: string, status: number, text: RegExp, type: RegExp][] = [
    ['/closed', 403, /^closed$/, /^text\/plain/],
    ['/stream', 200, /early/, /^text\/plain/],
    ['/page', 200, /^hello$/, /^text\/plain/],
    [IT, 200, /works/, /^application\/json/],
    ['/svc-json/%ff', 400, /rest_bad_request/, /^application\/json/],
    ['/failing', 500, /rest_internal_error/, /^application\/json/],
  ]
  for (const [path, status, text, type] of cases) {
    const { status: got, headers, body } = await wireRequest(at.home, 'GET', path)
    assert.equal([got, headers['x-gate']], [status, 'open'], path)
    assert.match(body.toString(), text)
    assert.match(headers['content-type'] ?? '', type)
  }
  assert.is((await wireRequest(at.home, 'POST', IT)).headers['x-gate'], undefined)
  // An invalid header only fails the tap.
  const { status, headers } = await wireRequest(at.home, 'GET', IT, { 'X-Bad': 'a' })
  assert.equal([status, headers['x-gate'], headers['x-bad']], [200, 'open', undefined])
  assert.ok(at.lines.some(({ msg }) => msg === 'gate failed in hook request_received.'))
})

requestHooks('log failing taps and run the others', async () => {
  const log = recorder()
  const failing = plugin('failing', ({ hooks }) => {
    hooks.request_received.tap({ name: 'failing', stage: -1 }, () => {
      throw new Error('first')
    })
    hooks.request_received.tap({ name: 'failing', stage: -1 }, () => 'nonsense' as never)
    hooks.request_received.tapPromise({ name: 'failing', stage: -1 }, async () => {
      await turn()
      throw new Error('later')
    })
    hooks.response_sent.tap({ name: 'failing', stage: -1 }, () => {
      throw errors.test_too_many(1)
    })
    // oxlint-disable-next-line typescript/no-misused-promises -- a mistake that plugins make
    hooks.response_sent.tap({ name: 'failing', stage: -1 }, async () => {
      await turn()
      throw new Error('not awaited')
    })
    hooks.response_sent.tapPromise({ name: 'failing', stage: -1 }, async () => {
      await turn()
      throw new Error('last')
    })
  })
  await using at = await bare([site, failing, log.plugin])
  for (const path of [IT, '/page']) {
    const { status } = await at.raw(path)
    assert.is(status, 200)
  }
  await log.all(2)
  const isFailure = (msg: string) => /^(?:The tap of )?failing /.test(msg)
  const failures = () => at.lines.filter(({ msg, level }) => level === 50 && isFailure(msg))
  await until(() => failures().length === 12)
  assert.equal(new Set(failures().map((line) => line['request'])), new Set(log.sent.map(({ id }) => id)))
  assert.ok(at.lines.every(({ msg, level }) => level < 50 || isFailure(msg)))
})

requestHooks('do not delay responses, and log taps that do not finish', async () => {
  using clock = stopClock('plugins/requests')
  const log = recorder()
  const end = Promise.withResolvers<void>()
  let ended = 0
  const slow = plugin('sloth', ({ hooks }) => {
    hooks.response_sent.tapPromise({ name: 'writes', stage: -1 }, async () => {
      await end.promise
      ended += 1
    })
  })
  const at = await bare([site, slow, log.plugin], { limits: { requestTimeout: 1000 } })
  assert.is((await at.raw(IT)).status, 200)
  assert.is((await at.raw('/page')).status, 200)
  await log.all(2)
  clock.advance(1000)
  const late = () =>
    at.lines.filter(({ msg }) =>
      /^after a response was sent, the tap writes of the plugin sloth on response_sent has not ended$/.test(msg),
    )
  await until(() => late().length === 2)
  assert.equal(
    late().map((line) => line['request']),
    log.sent.map(({ id }) => id),
  )
  // Each tap is logged once.
  clock.advance(1000)
  assert.is(late().length, 2)
  let isClosed = false
  const closed = at.kernel.close().then(() => (isClosed = true))
  // From then on, the server waits only for the taps.
  await until(() =>
    wireRequest(at.home, 'GET', IT).then(
      () => false,
      () => true,
    ),
  )
  assert.is(isClosed, false)
  end.resolve()
  await closed
  assert.is(ended, 2)
})

requestHooks('report responses of a stopping server, which close their connections', async () => {
  const log = recorder()
  const waking = Promise.withResolvers<void>()
  const slow = plugin('slow', ({ hooks }) => {
    hooks.request_received.tapPromise('slow', async (found) => {
      await waking.promise
      return found
    })
  })
  const at = await bare([site, log.plugin, slow])
  const paths = [IT, '/page', '/stream', '/svc-json/%ff']
  const answers = paths.map((path) => wire(at.home, head('GET', path)))
  await until(() => log.received.length === paths.length)
  const closed = at.kernel.close()
  waking.resolve()
  for (const answer of answers) assert.match((await answer).toString(), /\r\nConnection: close\r\n/)
  await closed
  assert.equal(
    log.sent.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 200, 200, 400],
  )
  assert.ok(log.sent.every(({ aborted }) => !aborted))
})

requestHooks('can write after the client has disconnected', async () => {
  const written = Promise.withResolvers<boolean>()
  const asleep = Promise.withResolvers<void>()
  const writer = plugin('writer', ({ hooks }) => {
    hooks.site_request.tapPromise('writer', async (_found, { signal }) => {
      asleep.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return page('never')
    })
    hooks.response_sent.tapPromise('writer', async () => {
      const { currentWork } = await import('../../../../kernel/index.ts')
      written.resolve(currentWork()?.aborted === false)
    })
  })
  await using at = await bare([writer])
  const leaving = open(at.home, head('GET', '/slow'))
  await asleep.promise
  leaving.destroy()
  assert.is(await written.promise, true)
})

requestHooks('report responses that a tap sends itself, and aborted ones', async () => {
  const log = recorder(({ hooks }) => {
    hooks.rest_pre_serve_request.tap('recorder', (_served, { raw }) => {
      raw!.outgoing.statusCode = 202
      raw!.outgoing.end('sent')
      return true
    })
  })
  await using at = await bare([site, log.plugin])
  const { bytes } = await wireRequest(at.home, 'GET', IT)
  const [own] = await log.all(1)
  assert.equal([own!.status, own!.bytes, own!.route], [202, bytes.length, '/test/v1/it'])
  const broken = await wireRequest(at.home, 'GET', '/broken')
  const cut = (await log.all(2))[1]!
  assert.equal([cut.status, cut.bytes, cut.aborted], [200, broken.bytes.length, true])
})

requestHooks('can collect metrics of every route', async () => {
  const seen = new Map<string, { count: number; bytes: number }>()
  const metrics = plugin('metrics', ({ hooks }) => {
    hooks.response_sent.tap({ name: 'metrics', methods: 'GET' }, ({ method, route, status, bytes }) => {
      const key = `${method} ${route} ${status}`
      const totals = seen.get(key) ?? { count: 0, bytes: 0 }
      seen.set(key, { count: totals.count + 1, bytes: totals.bytes + bytes })
    })
  })
  await using at = await bare([site, metrics])
  for (const method of ['GET', 'HEAD', 'POST', 'GET']) await at.raw(IT, { method })
  await until(() => seen.size === 2)
  assert.equal(
    [...seen].map(([key, { count }]) => [key, count]),
    [
      ['GET /test/v1/it 200', 2],
      ['HEAD /test/v1/it 200', 1],
    ],
  )
})

requestHooks('get the user and the IP address of the client', async () => {
  const log = recorder(({ hooks }) => {
    hooks.determine_current_user.tap('recorder', (user, { headers }) => {
      return headers.get('x-user') === null ? user : { ...user, id: Number(headers.get('x-user')) }
    })
    hooks.rest_api_init.tap('recorder', (server) => {
      server.registerRoute('test/v1', 'no', { callback: () => new RestResponse(1), permission_callback: () => false })
    })
  })
  await using at = await bare([site, log.plugin], { trust_proxy: true })
  const headers = { 'X-User': '7', 'X-Forwarded-For': '192.0.2.9', 'X-Forwarded-Proto': 'https' }
  for (const path of [IT, '/page', '/svc-json/test/v1/no']) await wireRequest(at.home, 'GET', path, headers)
  assert.equal(
    (await log.all(3)).map(({ user, status, route }) => [user.id, status, route]),
    [
      [7, 200, '/test/v1/it'],
      [7, 200, null],
      [7, 403, '/test/v1/no'],
    ],
  )
  assert.equal(
    log.received.map(({ ip, secure }) => [ip, secure]),
    [1, 2, 3].map(() => ['192.0.2.9', true]),
  )
})

requestHooks.run()
