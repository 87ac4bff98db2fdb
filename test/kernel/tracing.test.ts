import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { setImmediate as turn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { HookRegistry } from '../../bin/config/index.ts'
import {
  applyFilter,
  currentSpan,
  definePlugin,
  filter,
  trace,
  tracing,
  type Filter,
  type HandlerSpan,
  type HookSpan,
  type RequestSpan,
  type Span,
  type TapSpan,
} from '../../kernel/index.ts'
import { isOver, listenTo } from '../../plugins/operations/trace/listen-to.ts'
import type { LoadSpan, SqlSpan, TransactionSpan } from '../../plugins/storage/store/index.ts'
import { Loader } from '../../plugins/storage/store/loader.ts'
import { as, serveOn } from '../helpers/site.ts'
import { places } from '../helpers/stores.ts'
import { until } from '../helpers/until.ts'
import { head, nextServerSocket, open } from '../helpers/wire.ts'
import { bare, plugin } from './bare.ts'

const channels = suite('tracing channels')

const EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const
type ChannelName = keyof typeof tracing

interface Heard<S> {
  readonly event: (typeof EVENTS)[number]
  readonly span: S
  /** Whether the span had ended at this event. */
  readonly over: boolean
}

/** Subscribes by the name of the channel, as an APM would. */
function listen<S extends Span>(name: ChannelName) {
  const heard: Heard<S>[] = []
  const channel = tracingChannel(`svc-rest:${name}`)
  const listeners = EVENTS.map((event) => {
    const listener = (span: unknown) => void heard.push({ event, span: span as S, over: isOver(span as S) })
    channel[event].subscribe(listener)
    return () => channel[event].unsubscribe(listener)
  })
  return {
    heard,
    events: () => heard.map(({ event }) => event),
    /** Returns the ended spans in order of their end. */
    ended: () => [...new Set(heard.filter(({ over }) => over).map(({ span }) => span))],
    [Symbol.dispose]: () => listeners.forEach((stop) => stop()),
  }
}

function hook() {
  const registry = new HookRegistry('svc', { greet: filter('text') })
  const { hooks } = registry
  return { hooks, greet: (hooks as unknown as { greet: Filter<string> }).greet }
}

channels('taps are only traced while the channel has subscribers', async () => {
  const { greet } = hook()
  let stack = ''
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 100
  greet.tap('polite', (text) => {
    stack = new Error('where').stack!
    return `${text}!`
  })
  const frames = () => {
    assert.is(applyFilter(greet, 'hi'), 'hi!')
    return stack.split('\n').length
  }
  // The first run compiles the taps.
  frames()
  const plain = frames()
  assert.not.match(stack, 'tracing.ts')
  for (const name of ['tap', 'hook'] as const) {
    const listening = listen(name)
    assert.ok(frames() > plain)
    assert.match(stack, 'tracing.ts')
    assert.equal(listening.events(), ['start', 'end'])
    listening[Symbol.dispose]()
    assert.is(frames(), plain)
    assert.not.match(stack, 'tracing.ts')
    assert.is(listening.heard.length, 2)
  }
  Error.stackTraceLimit = stackTraceLimit
})

channels('the span of a tap has its hook, plugin, arguments and result', () => {
  const { greet, hooks } = hook()
  greet.tap('polite', (text) => `${text}!`)
  using taps = listen<TapSpan>('tap')
  using runs = listen<HookSpan>('hook')
  assert.is(applyFilter(greet, 'hi'), 'hi!')
  const [span] = taps.ended()
  const { hook: name, plugin, tap, args, result, site, parent } = span!
  assert.equal([name, plugin, tap, args[0], result], ['greet', 'kernel', 'polite', 'hi', 'hi!'])
  assert.is(site, hooks)
  assert.is(parent, runs.ended()[0])
  assert.equal([runs.ended()[0]!.hook, runs.ended()[0]!.parent], ['greet', null])
})

channels('the span of a waiting tap ends when its promise settles, and has its error', async () => {
  const { greet } = hook()
  greet.tapPromise('late', async (text) => {
    if (text === 'no') throw new Error('not today')
    return text.toUpperCase()
  })
  using taps = listen<TapSpan>('tap')
  assert.is(await applyFilter(greet, 'hi'), 'HI')
  assert.equal(taps.events(), ['start', 'end', 'asyncStart', 'asyncEnd'])
  assert.equal(
    taps.heard.map(({ over }) => over),
    [false, false, true, true],
  )
  await Promise.resolve(applyFilter(greet, 'no')).then(
    () => assert.unreachable(),
    () => {},
  )
  assert.equal(taps.events().slice(4), ['start', 'end', 'error', 'asyncStart', 'asyncEnd'])
  assert.is((taps.ended()[1]!.error as Error).message, 'not today')
})

channels('a failing subscriber is reported once as a warning, and affects nothing else', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => void warnings.push(warning)
  process.on('warning', onWarning)
  const { greet } = hook()
  greet.tap('polite', (text) => `${text}!`)
  greet.tapPromise('late', async (text) => `${text}?`)
  const fail = () => {
    // oxlint-disable-next-line typescript/only-throw-error -- anything may be thrown
    throw Symbol('not today')
  }
  const stops = [listenTo(tracing.tap, fail, fail), listenTo(tracing.hook, () => {}, fail)]
  using _ = listen('tap')
  for (let time = 0; time < 3; time += 1) assert.is(await applyFilter(greet, 'hi'), 'hi!?')
  await turn()
  process.off('warning', onWarning)
  stops.forEach((stop) => stop())
  assert.equal(
    warnings.map(({ message, cause }) => [message, String((cause as Error).cause)]),
    ['tap', 'hook'].map((name) => [`A subscriber of tracing:svc-rest:${name}:start failed.`, 'Symbol(not today)']),
  )
})

channels('the span of a tap that throws ends immediately', () => {
  const { greet } = hook()
  greet.tap('rude', () => {
    throw new Error('not today')
  })
  using taps = listen<TapSpan>('tap')
  assert.throws(() => applyFilter(greet, 'hi'))
  assert.equal(taps.events(), ['start', 'error', 'end'])
  assert.is(currentSpan(), null)
})

channels('an async context bound to `start` is available in the tap', async () => {
  const { greet } = hook()
  const storage = new AsyncLocalStorage<TapSpan>()
  greet.tapPromise('late', async (text) => {
    await Promise.resolve()
    return `${text} ${storage.getStore()?.tap}`
  })
  tracing.tap.start.bindStore(storage)
  try {
    assert.is(await applyFilter(greet, 'hi'), 'hi late')
  } finally {
    tracing.tap.start.unbindStore(storage)
  }
})

channels('taps of hooks with an interceptor are traced, too', async () => {
  const { greet } = hook()
  greet.tap('polite', (text) => `${text}!`)
  greet.intercept({ call: () => {} })
  using taps = listen<TapSpan>('tap')
  assert.is(await applyFilter(greet, 'hi'), 'hi!')
  assert.equal(taps.events(), ['start', 'end'])
})

channels(
  'currentSpan returns the innermost span, also in asynchronous code, and it is the parent of new spans',
  async () => {
    using _ = listen('sql')
    const statement = { dialect: 'sqlite', sql: 'select 1', parameters: 0, waited: 0, rows: null }
    assert.is(currentSpan(), null)
    await trace(tracing.sql, statement, async (outer) => {
      assert.is(currentSpan(), outer)
      await Promise.resolve()
      await trace(tracing.sql, statement, async (inner) => assert.is(inner.parent, outer))
      await trace(tracing.sql, { ...statement, parent: null }, async (apart) => assert.is(apart.parent, null))
    })
    assert.is(currentSpan(), null)
  },
)

channels('the span of a batched load has the spans of all its askers', async () => {
  using loads = listen<LoadSpan>('load')
  using _ = listen('hook')
  const loader = new Loader<number>(async (keys) => keys.map((key) => key * 2), { of: () => [] })
  const site = {} as HookSpan['site']
  const loadAs = (name: string, key: number) =>
    trace<HookSpan, number>(tracing.hook, { site, hook: name }, () => loader.load(key))
  assert.equal(await Promise.all([loadAs('one', 1), loadAs('two', 2), loadAs('three', 1)]), [2, 4, 2])
  const [load] = loads.ended()
  assert.is(loads.ended().length, 1)
  assert.is(load!.keys, 2)
  assert.equal(
    [...load!.askers].map((span) => (span as HookSpan).hook),
    ['one', 'two', 'three'],
  )
  assert.is((load!.parent as HookSpan).hook, 'one')
})

channels('the span of a request whose client leaves in the queue ends without a status', async () => {
  const waking = Promise.withResolvers<void>()
  const asleep = Promise.withResolvers<void>()
  const slow = plugin('slow', ({ hooks }) => {
    hooks.site_request.tapPromise('slow', async (page) => {
      asleep.resolve()
      await waking.promise
      return page
    })
  })
  await using site = await bare([slow], { limits: { atOnce: 1 } })
  using requests = listen<RequestSpan>('request')
  const first = site.raw('/first')
  await asleep.promise
  const serving = nextServerSocket()
  const leaving = open(site.home, head('GET', '/second'))
  const served = await serving
  await until(() => requests.heard.some(({ span }) => span.url === '/second'))
  leaving.destroy()
  await until(() => served.destroyed)
  waking.resolve()
  assert.is((await first).status, 404)
  await until(() => requests.ended().length === 2)
  assert.equal(new Map(requests.ended().map(({ url, status }) => [url, status])).get('/second'), null)
})

for (const { name, make } of places) {
  channels(`${name}: the span of a request contains its handlers, SQL statements and internal requests`, async () => {
    await using site = await serveOn(await make())
    using requests = listen<RequestSpan>('request')
    using handlers = listen<HandlerSpan>('handler')
    using statements = listen<SqlSpan>('sql')
    using transactions = listen<TransactionSpan>('transaction')
    const post = { method: 'POST', headers: { 'content-type': 'application/json', ...as('administrator', 1) } }
    const requestsOf = [{ path: '/svc/v2/posts', body: { title: 'hush hush', status: 'publish' } }]
    const { status } = await site.request('/batch/v1?token=hush', {
      ...post,
      body: JSON.stringify({ requests: requestsOf }),
    })
    assert.is(status, 207)
    const [inside, outside] = requests.ended()
    assert.equal(
      [outside!.from, outside!.method, outside!.route, outside!.status, outside!.user?.id, outside!.parent],
      ['outside', 'POST', '/batch/v1', 207, 1, null],
    )
    assert.equal([inside!.from, inside!.url, inside!.status], ['inside', '/svc/v2/posts', 201])
    assert.is(outside!.site, site.kernel.hooks)
    const top = (span: Span): Span => (span.parent === null ? span : top(span.parent))
    const within = (span: Span, other: Span): boolean =>
      span === other || (span.parent !== null && within(span.parent, other))
    assert.ok(
      handlers
        .ended()
        .some(({ route, part, plugin }) => route === '/svc/v2/posts' && part === 'handler' && plugin === 'posts'),
    )
    assert.ok(handlers.ended().some(({ route, part }) => route === '/svc/v2/posts' && part === 'permission'))
    assert.ok(transactions.ended().some((span) => within(span, inside!)))
    const insert = statements.ended().find(({ sql }) => sql.startsWith('insert into "posts"'))!
    assert.ok(within(insert, inside!))
    assert.is(top(insert), outside)
    assert.ok(insert.parameters > 5 && insert.waited >= 0 && insert.rows === 1)
    assert.not.match(JSON.stringify(statements.ended().map(({ sql }) => sql)), 'hush')
  })
}

channels('cached responses, pages and failures have spans of requests, too', async () => {
  await using site = await serveOn(await places[0]!.make())
  using requests = listen<RequestSpan>('request')
  await site.get(`${site.listening}/nothing-here`)
  await site.get('/nope')
  const cached = { status: 200, head: ['Content-Length', '4'], body: Buffer.from('kept'), route: '/svc/v2/posts' }
  site.kernel.server.httpCache!.find = () => cached
  assert.is(await (await site.get('/svc/v2/posts')).text(), 'kept')
  assert.equal(
    requests.ended().map(({ fromCache, route, status, user }) => [fromCache, route, status, user?.id]),
    [
      [false, null, 404, 0],
      [false, null, 404, 0],
      [true, '/svc/v2/posts', 200, 0],
    ],
  )
})

channels("a queued request is not part of an earlier request's span", async () => {
  const slow = definePlugin({
    name: 'slow',
    apply({ hooks }) {
      hooks.rest_api_init.tap('slow', (server) => {
        server.registerRoute('slow/v1', 'it', { permission_callback: () => true, callback: () => turn({}) })
      })
    },
  })
  await using site = await serveOn(await places[0]!.make(), { limits: { atOnce: 1 }, add: [slow] })
  using requests = listen<RequestSpan>('request')
  using handlers = listen<HandlerSpan>('handler')
  await Promise.all([1, 2, 3, 4].map((number) => site.get(`/slow/v1/it?${number}`)))
  const top = (span: Span): Span => (span.parent === null ? span : top(span.parent))
  const handled = handlers.ended().filter(({ part }) => part === 'handler')
  assert.is(handled.length, 4)
  assert.equal(new Set(handled.map(top)), new Set(requests.ended()))
})

channels.run()
