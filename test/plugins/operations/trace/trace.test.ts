import { setImmediate as turn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { describeHooks } from '../../../../bin/config/index.ts'
import { definePlugin, HeaderMap, RestError, type AnyPlugin } from '../../../../kernel/index.ts'
import { stopClock, type Clock } from '../../../helpers/clock.ts'
import { serve, type ServeOptions, startOnly } from '../../../helpers/site.ts'
import { until } from '../../../helpers/until.ts'
import { removePlugin } from '../../../helpers/remove-plugin.ts'

startOnly('trace')

const trace = suite('trace')

interface Step {
  hook: string
  tap: string
  plugin: string
  ms: number
  changed?: string[]
  failed?: string
}

interface Line {
  level: number
  msg: string
  steps?: Step[]
  [key: string]: unknown
}

/** A site with the given plugins, and its log lines. */
async function traced(plugins: readonly AnyPlugin[], options: ServeOptions = {}) {
  const lines: Line[] = []
  const site = await serve({
    add: plugins,
    log: 'info',
    logTo: (line: string) => void lines.push(JSON.parse(line) as Line),
    ...options,
  })
  return {
    site,
    lines,
    /** The steps of the nth request, once its log line is written. */
    async steps(nth = 0): Promise<Step[]> {
      const line = () => lines.filter(({ msg }) => msg === 'trace')[nth]
      await until(line)
      return line()!.steps!
    },
    warnings: () => lines.filter(({ level }) => level === 40),
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  }
}

/** Changes responses through every kind of tap. The asynchronous taps take 10 ms by the clock. */
const changing = (clock?: Clock) =>
  definePlugin({
    name: 'changing',
    apply({ hooks }) {
      hooks.rest_post_dispatch.tap({ name: 'status', stage: 10 }, (response) => {
        response.status = 418
        return response
      })
      hooks.rest_post_dispatch.tapPromise({ name: 'data', stage: 20 }, async (response) => {
        await turn()
        clock?.advance(10)
        response.data = { ...(response.data as object), code: 'changed' }
        return response
      })
      hooks.rest_post_dispatch.tapAsync({ name: 'header', stage: 30 }, (response, _server, _request, done) => {
        setImmediate(() => {
          clock?.advance(10)
          response.headers.set('X-Late', 'yes')
          done(null, response)
        })
      })
      hooks.rest_post_dispatch.tap({ name: 'nothing', stage: 40 }, (response) => response)
      hooks.rest_pre_serve_request.tap('served', (served, { response }) => {
        response.headers.set('X-Served', 'yes')
        return served
      })
    },
  })

trace('logs the taps of a request in order, with plugin, duration and changes', async () => {
  using clock = stopClock()
  await using run = await traced([changing(clock)], { trace: true })
  await run.site.get('/nope')
  const steps = await run.steps()
  const own = steps.filter(({ plugin }) => plugin === 'changing')
  assert.equal(
    own.map(({ hook, tap, changed }) => [hook, tap, changed]),
    [
      ['rest_post_dispatch', 'status', ['status: 404 → 418']],
      ['rest_post_dispatch', 'data', ['data.code: "rest_no_route" → "changed"']],
      ['rest_post_dispatch', 'header', ['headers.X-Late: nothing → "yes"']],
      ['rest_post_dispatch', 'nothing', undefined],
      ['rest_pre_serve_request', 'served', ['response.headers.X-Served: nothing → "yes"']],
    ],
  )
  assert.equal(
    own.map(({ ms }) => ms),
    [0, 10, 10, 0, 0],
  )
  const order = ['determine_current_user', 'rest_pre_dispatch', 'rest_post_dispatch', 'rest_pre_serve_request']
  const places = order.map((hook) => steps.findIndex((step) => step.hook === hook))
  assert.equal(
    places.toSorted((a, b) => a - b),
    places,
  )
  assert.ok(places[0]! >= 0)
})

trace('sends the duration of each hook in Server-Timing', async () => {
  using clock = stopClock()
  await using run = await traced([changing(clock)], { trace: true })
  const { headers } = await run.site.get('/nope')
  const [, ms] = /rest_post_dispatch;dur=([\d.]+)/.exec(headers.get('server-timing')!)!
  assert.is(Number(ms), 20)
})

trace('separates concurrent requests and logs nested requests with their outer one', async () => {
  const inner = definePlugin({
    name: 'inner',
    apply({ hooks }) {
      hooks.rest_api_init.tap('inner', (server) => {
        server.registerRoute('inner/v1', 'it', {
          permission_callback: () => true,
          callback: async () => {
            await turn()
            return (await server.dispatch('/nope')).data
          },
        })
      })
      hooks.rest_pre_dispatch.tap('inner', (result) => result)
    },
  })
  await using run = await traced([inner], { trace: true })
  await Promise.all(Array.from({ length: 5 }, () => run.site.get('/inner/v1/it')))
  for (let nth = 0; nth < 5; nth += 1) {
    const steps = (await run.steps(nth)).filter(({ plugin }) => plugin === 'inner')
    assert.is(steps.length, 2)
  }
})

trace('logs the error of a failed tap', async () => {
  const failing = definePlugin({
    name: 'failing',
    apply({ hooks }) {
      hooks.rest_pre_dispatch.tapPromise('failing', async () => {
        throw new RestError('no_more', 'No more.', { status: 429 })
      })
    },
  })
  await using run = await traced([failing], { trace: true })
  assert.is((await run.site.get('/')).status, 429)
  assert.is((await run.steps()).find(({ plugin }) => plugin === 'failing')?.failed, 'No more.')
})

const THROWN: Readonly<Record<string, () => unknown>> = {
  nothing: () => null,
  symbol: () => Symbol('s'),
  bare: () => Object.create(null) as unknown,
  proxy: () => new Proxy(new Error('x'), { get: (_target, name) => assert.unreachable(String(name)) }),
  revoked: () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  },
  getter: () =>
    Object.defineProperty(new Error('x'), 'message', {
      get: () => {
        throw new Error('no message')
      },
    }),
  number: () => Object.assign(new Error('x'), { message: 7n }),
  cyclic: () => {
    const thrown: Record<string, unknown> = { password: 'hush' }
    return Object.assign(thrown, { self: thrown })
  },
}

const PASSED: Readonly<Record<string, () => unknown>> = {
  ...THROWN,
  deep: () => {
    let value: unknown = 'hush'
    for (let depth = 0; depth < 20_000; depth += 1) value = [value]
    return value
  },
  long: () => 'x'.repeat(1_000_000),
  map: () => new Map([['password', 'hush']]),
  buffer: () => Buffer.from('hush'),
  function: () => () => 'hush',
  bigint: () => 10n,
  date: () => new Date(NaN),
  json: () => ({ toJSON: () => assert.unreachable() }),
}

trace('traces only the requests of its site if a process runs several sites', async () => {
  const slow = definePlugin({
    name: 'slow',
    apply({ hooks }) {
      hooks.rest_pre_dispatch.tap('slow', (early) => early)
    },
  })
  await using run = await traced([slow], { trace: true })
  await using other = await traced([], { trace: true, plugins: { trace: { budget: 0 } } })
  await using quiet = await serve()
  await run.site.get('/nope?run')
  await other.site.get('/nope?other')
  await quiet.get('/nope?quiet')
  await run.steps()
  await other.steps()
  await run.site.get('/nope?again')
  await run.steps(1)
  const count = (lines: readonly Line[]) => lines.filter(({ msg }) => msg === 'trace').length
  assert.equal([count(run.lines), count(other.lines)], [2, 1])
  assert.not.ok(other.warnings().some(({ plugin }) => plugin === 'slow'))
})

trace('survives any value that taps throw or return', async () => {
  const failures: unknown[] = []
  const onFailure = (error: unknown) => void failures.push(error)
  process.on('uncaughtException', onFailure).on('warning', onFailure)
  const exotic = definePlugin({
    name: 'exotic',
    apply({ hooks }) {
      hooks.rest_pre_dispatch.tap({ name: 'throws', stage: -10 }, (early, _server, { query }) => {
        if (typeof query['throw'] === 'string') throw THROWN[query['throw']]!()
        return early
      })
      hooks.rest_pre_dispatch.tapPromise({ name: 'passes', stage: -9 }, async (early, _server, { query }) =>
        typeof query['pass'] === 'string' ? (PASSED[query['pass']]!() as null) : early,
      )
      hooks.rest_pre_dispatch.tap({ name: 'mends', stage: -8 }, (early, _server, { query }) =>
        query['pass'] === undefined ? early : { fine: true },
      )
    },
  })
  await using run = await traced([exotic], { trace: true })
  const requests = [
    ...Object.keys(THROWN).map((name) => [`?throw=${name}`, 500] as const),
    ...Object.keys(PASSED).map((name) => [`?pass=${name}`, name === 'revoked' ? 500 : 200] as const),
  ]
  for (const [nth, [query, status]] of requests.entries()) {
    const answer = await run.site.get(`/${query}`)
    // A value that cannot be checked for being a promise cannot be returned.
    if (query !== '?pass=proxy') assert.is(answer.status, status, query)
    assert.ok((await run.steps(nth)).length > 0, query)
  }
  assert.is((await run.site.get('/')).status, 200)
  process.off('uncaughtException', onFailure).off('warning', onFailure)
  assert.equal(failures, [])
  assert.not.match(JSON.stringify(run.lines.filter(({ msg }) => msg === 'trace')), 'hush')
})

trace('omits bodies of pages, which can be secrets', async () => {
  const pages = definePlugin({
    name: 'pages',
    apply({ hooks }) {
      hooks.site_request.tap({ name: 'nonces', stage: -200 }, (found, { path }) =>
        path === '/a-nonce' ? { status: 200, headers: new HeaderMap({ 'X-Seen': 'yes' }), body: 'hush' } : found,
      )
      hooks.site_page.tap('forms', (page) => ({ ...page, body: `<input value="hush">` }))
    },
  })
  await using run = await traced([pages], { trace: true })
  assert.match(await (await run.site.get(`${run.site.listening}/a-nonce`)).text(), 'hush')
  const steps = JSON.stringify(await run.steps())
  assert.match(steps, 'X-Seen')
  assert.not.match(steps, 'hush')
})

trace('masks secrets in pairs of name and value', async () => {
  const secretive = definePlugin({
    name: 'secretive',
    apply({ hooks }) {
      const data = { password: 'hush', name: 'Ada' }
      hooks.rest_pre_echo_response.tap('secretive', () => ({
        pairs: Object.entries(data),
        fields: Object.entries(data).map(([name, value]) => ({ name, value })),
        keys: Object.entries(data).map(([key, value]) => ({ value, key })),
        text: JSON.stringify(data),
        half: JSON.stringify({ ...data, password: 'hush hush hush' }).slice(0, 20),
      }))
    },
  })
  await using run = await traced([secretive], { trace: true })
  await run.site.get('/nope')
  const steps = JSON.stringify(await run.steps())
  assert.match(steps, 'Ada')
  assert.not.match(steps, 'hush')
})

trace('traces pages of the site', async () => {
  await using run = await traced([], { trace: true })
  const page = await run.site.get(`${run.site.listening}/`)
  assert.match(page.headers.get('server-timing')!, /site_request;dur=/)
  assert.ok((await run.steps()).some(({ hook }) => hook === 'site_request'))
})

trace('masks passwords', async () => {
  const secretive = definePlugin({
    name: 'secretive',
    apply({ hooks }) {
      hooks.rest_pre_echo_response.tap('secretive', () => ({ password: 'hush', name: 'Ada' }))
    },
  })
  await using run = await traced([secretive], { trace: true })
  await run.site.get('/nope')
  const steps = JSON.stringify(await run.steps())
  assert.match(steps, 'Ada')
  assert.not.match(steps, 'hush')
})

trace('adds no tap, log line or header unless it is enabled', async () => {
  await using run = await traced([])
  assert.is((await run.site.get('/nope')).headers.get('server-timing'), null)
  assert.is(run.lines.filter(({ msg }) => msg === 'trace').length, 0)
  const taps = describeHooks(run.site.kernel.registry).flatMap((hook) => hook.taps)
  assert.is(taps.filter(({ plugin }) => plugin === 'trace').length, 0)
})

trace('can be enabled by its option', async () => {
  await using run = await traced([], { plugins: { trace: { enabled: true } } })
  assert.ok((await run.site.get('/nope')).headers.has('server-timing'))
})

trace('logs a warning for a tap that exceeds the budget', async () => {
  using clock = stopClock()
  const slow = definePlugin({
    name: 'slow',
    apply({ hooks }) {
      hooks.rest_post_dispatch.tap('blocking', (response) => {
        clock.advance(21)
        return response
      })
      hooks.rest_pre_serve_request.tapPromise('waiting', async (served) => {
        await until(() => run.warnings().some(({ plugin, msg }) => plugin === 'slow' && msg.includes('still running')))
        clock.advance(21)
        return served
      })
    },
  })
  await using run = await traced([slow], { plugins: { trace: { budget: 20 } } })
  const { headers } = await run.site.get('/nope')
  assert.is(headers.get('server-timing'), null)
  // On a slow machine other plugins can exceed the budget too.
  const own = run.warnings().filter(({ plugin }) => plugin === 'slow')
  const warnings = own.map(({ plugin, hook, tap, msg }) => [plugin, hook, tap, msg])
  assert.equal(warnings, [
    ['slow', 'rest_post_dispatch', 'blocking', 'slow is slow in rest_post_dispatch'],
    ['slow', 'rest_pre_serve_request', 'waiting', 'slow is still running in rest_pre_serve_request'],
    ['slow', 'rest_pre_serve_request', 'waiting', 'slow is slow in rest_pre_serve_request'],
  ])
})

trace('S42: logs a tap that hangs, and its request and others still get responses', async () => {
  using clock = stopClock()
  const hanging = definePlugin({
    name: 'hanging',
    apply({ hooks }) {
      hooks.rest_post_dispatch.tapPromise('forever', (response, _server, request) =>
        request.query['hang'] === undefined ? Promise.resolve(response) : new Promise(() => {}),
      )
    },
  })
  await using run = await traced([hanging], { plugins: { trace: { budget: 20 } }, limits: { requestTimeout: 1000 } })
  const hung = run.site.get('/nope?hang')
  assert.is((await run.site.get('/nope')).status, 404)
  await until(() =>
    run
      .warnings()
      .some(({ msg, tap }) => msg === 'hanging is still running in rest_post_dispatch' && tap === 'forever'),
  )
  clock.advance(1000)
  const answer = await hung
  assert.equal([answer.status, ((await answer.json()) as { code: string }).code], [503, 'rest_handler_timeout'])
  assert.is((await run.site.get('/nope')).status, 404)
})

trace('leaves the taps of other plugins unchanged after it is removed', async () => {
  await using run = await traced([changing()], { trace: true })
  await removePlugin(run.site.kernel, 'trace')
  const { headers, status } = await run.site.get('/nope')
  assert.equal([status, headers.get('server-timing'), headers.get('x-late')], [418, null, 'yes'])
})

trace.run()
