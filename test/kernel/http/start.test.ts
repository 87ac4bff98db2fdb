import limits from '../../../plugins/requests/limits/index.ts'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { completeConfig, isWildcard, startKernel } from '../../../bin/config/index.ts'
import { homeUrl, parseHost } from '../../../kernel/http/host.ts'
import type { AnyPlugin } from '../../../kernel/index.ts'
import { freePort } from '../../checks/free-port.ts'
import { stopClock } from '../../helpers/clock.ts'
import { failureOf } from '../failure.ts'
import { IT, open, plugin, routed } from '../bare.ts'

const start = suite('start of the server')

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ family }) => family === 'IPv6'))
const answering = routed({ ...open, callback: () => 'ready' })

/** Creates a kernel that does not listen yet. */
const unstarted = (plugins: readonly AnyPlugin[], config: Record<string, unknown> = {}) =>
  startKernel({
    config: completeConfig({ log: 'silent', port: 0, ...config }, tmpdir()),
    defaults: [limits, answering, ...plugins],
  })

/** A plugin whose tap of `server_starting` waits until the test releases it. */
function starter() {
  const { promise: started, resolve: reportStart } = Promise.withResolvers<string>()
  const { promise: released, resolve: release, reject: fail } = Promise.withResolvers<void>()
  const taps: string[] = []
  const added = plugin('starter', ({ hooks }) => {
    hooks.server_starting.tapPromise('starter', (home) => {
      reportStart(home)
      return released
    })
    hooks.server_listening.tap('starter', (home) => void taps.push(home))
  })
  return { plugin: added, started, release, fail, taps }
}

const rejection = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => assert.unreachable('it has not failed'),
    (error: unknown) => error as Error,
  ) as Promise<Error>

/** Returns the code of the error with which a connection to a URL fails. */
const refusal = async (url: string) => ((await rejection(fetch(url))).cause as NodeJS.ErrnoException).code

start('holds requests that arrive before `server_starting` has ended, and responds with their own IDs', async () => {
  const slow = starter()
  await using kernel = await unstarted([slow.plugin])
  const listening = kernel.listen()
  const home = await slow.started
  const { port } = new URL(home)
  let isAnswered = false
  const early = fetch(`${home}${IT}`, { headers: { 'x-request-id': 'early-1' } }).then((response) => {
    isAnswered = true
    return response
  })
  await laterConnection(port)
  assert.equal([isAnswered, slow.taps], [false, []])
  slow.release()
  const response = await early
  assert.equal([response.status, await response.json()], [200, 'ready'])
  assert.is(response.headers.get('x-request-id'), 'early-1')
  assert.equal([await listening, slow.taps], [home, [home]])
})

start('runs no tap of `server_starting` if its port is taken, and names the address', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  let isStarting = false
  const noting = plugin('noting', ({ hooks }) => {
    hooks.server_starting.tap('noting', () => void (isStarting = true))
  })
  try {
    await using kernel = await unstarted([noting], { port })
    const { code, message } = await failureOf(() => kernel.listen())
    assert.is(code, 'PORT_TAKEN')
    assert.match(message, `127.0.0.1:${port}`)
    assert.is(isStarting, false)
  } finally {
    other.close()
  }
})

for (const [condition, end] of [
  ['a tap of `server_starting` fails', (_kernel, slow) => slow.fail(new Error('no paper'))],
  [
    'the server is stopped before it is ready',
    (kernel, slow) => {
      const closing = kernel.close()
      slow.release()
      return closing
    },
  ],
] as readonly [
  string,
  (kernel: Awaited<ReturnType<typeof unstarted>>, slow: ReturnType<typeof starter>) => Promise<void> | void,
][]) {
  start(`responds to waiting requests with 503 and closes the port if ${condition}`, async () => {
    const slow = starter()
    const port = await freePort()
    await using kernel = await unstarted([slow.plugin], { port })
    const failed = rejection(kernel.listen())
    const home = await slow.started
    const waiting = fetch(`${home}${IT}`)
    await laterConnection(port)
    await end(kernel, slow)
    await failed
    const response = await waiting
    assert.equal([response.status, response.headers.get('connection')], [503, 'close'])
    assert.is(((await response.json()) as { code: string }).code, 'rest_unavailable')
    assert.is(await refusal(home), 'ECONNREFUSED')
    assert.equal(slow.taps, [])
  })
}

start('removes no plugin before `server_listening` has ended', async () => {
  const order: string[] = []
  const started = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const slow = plugin('slow', ({ hooks, onRemove }) => {
    onRemove(() => void order.push('removed'))
    hooks.server_listening.tapPromise('slow', async () => {
      started.resolve()
      await released.promise
      order.push('listening')
    })
    hooks.server_stopping.tap('slow', () => void order.push('stopping'))
  })
  await using kernel = await unstarted([slow])
  const listening = kernel.listen()
  await started.promise
  const { home } = kernel.urls
  const closing = kernel.close()
  // A close that does not wait would end within the second attempt.
  for (const _ of [1, 2]) assert.is(await refusal(home), 'ECONNREFUSED')
  released.resolve()
  await Promise.all([closing, listening])
  assert.equal(order, ['listening', 'stopping', 'removed'])
})

start('can listen on another port after the first one was taken', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  try {
    await using kernel = await unstarted([], { port })
    assert.is((await failureOf(() => kernel.listen())).code, 'PORT_TAKEN')
    const home = await kernel.listen(0)
    assert.is((await fetch(`${home}${IT}`)).status, 200)
  } finally {
    other.close()
  }
})

start('responds with 503 to a request that has waited longer than `limits.requestTimeout`', async () => {
  using clock = stopClock()
  const slow = starter()
  await using kernel = await unstarted([slow.plugin], { limits: { requestTimeout: 1000 } })
  const listening = kernel.listen()
  const home = await slow.started
  const waiting = fetch(`${home}${IT}`)
  await laterConnection(new URL(home).port)
  clock.advance(1001)
  const response = await waiting
  assert.equal([response.status, ((await response.json()) as { code: string }).code], [503, 'rest_handler_timeout'])
  slow.release()
  await listening
  assert.is((await fetch(`${home}${IT}`)).status, 200)
})

start('opens a port that another process already serves only after `server_starting`', async () => {
  const slow = starter()
  const port = await freePort()
  await using kernel = await unstarted([slow.plugin], { port })
  const listening = kernel.listen(port, '127.0.0.1', true)
  const home = await slow.started
  assert.is(await refusal(home), 'ECONNREFUSED')
  slow.release()
  assert.is((await fetch(`${await listening}${IT}`)).status, 200)
})

for (const [host, home] of [
  ['::', 'http://localhost:'],
  ['[::]', 'http://localhost:'],
  ['::1', 'http://[::1]:'],
  ['[::1]', 'http://[::1]:'],
  ['0:0:0:0:0:0:0:1', 'http://[0:0:0:0:0:0:0:1]:'],
  ['0.0.0.0', 'http://localhost:'],
  ['127.0.0.1', 'http://127.0.0.1:'],
  ['localhost', 'http://localhost:'],
] as const) {
  if (host.includes(':') && !hasIpv6) continue
  start(`serves ${home}PORT if it listens on ${host}`, async () => {
    await using kernel = await unstarted([], { host })
    const listening = await kernel.listen()
    assert.is(listening, `${home}${kernel.port}`)
    assert.is(await (await fetch(`${listening}${IT}`)).json(), 'ready')
  })
}

start('names a host that the machine lacks, also if it was passed to `listen`', async () => {
  await using kernel = await unstarted([])
  const { code, message } = await failureOf(() => kernel.listen(0, 'no host'))
  assert.is(code, 'HOST_NOT_AVAILABLE')
  assert.match(message, 'no host')
})

start('parses hosts and rejects other texts', () => {
  for (const host of ['::1', 'fe80::1%eth0', '::ffff:127.0.0.1', '10.0.0.1', 'a', 'a_b.test', 'bücher.test', 'x.'])
    assert.is(parseHost(host), host)
  const wrong = [
    '',
    ' ',
    'a b',
    'http://x',
    'x:80',
    '[::1',
    '::1]',
    '[::1]:80',
    '::g',
    '[]',
    '[x]',
    '256.0.0.1',
    'x/y',
    '-x',
    'x?y',
    'u@x',
  ]
  for (const text of wrong) assert.is(parseHost(text), null, text)
  assert.equal(
    ['::', '0::0', '0.0.0.0', '0', '::1', '127.0.0.1', 'localhost'].map((host) => isWildcard(host)),
    [true, true, true, true, false, false, false],
  )
  assert.is(homeUrl('fe80::1%eth0', 80), 'http://[fe80::1]:80')
})

/** Waits until the server has read the data of earlier connections: too large headers get an immediate response. */
async function laterConnection(port: string | number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-long': 'x'.repeat(20_000) } })
  assert.equal([response.status, (await response.text()) !== ''], [431, true])
}

start.run()
