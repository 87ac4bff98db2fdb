import { mock } from 'node:test'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Work } from '../../../../kernel/index.ts'
import { openShop, type Sale } from '../../../helpers/shop.ts'
import { until } from '../../../helpers/until.ts'

const coalescing = suite('concurrent identical requests')

/** A shop whose handler waits for `open`. */
async function openSlowly(sale: Sale = () => ({})) {
  for (const spy of [share, abort]) spy.mock.resetCalls()
  const gate = Promise.withResolvers<void>()
  const seen: AbortSignal[] = []
  const shop = await openShop({
    stock: async (request, call) => {
      seen.push(request.signal)
      await gate.promise
      return sale(request, call)
    },
  })
  return { shop, seen, open: gate.resolve }
}

/** Called by each request that waits for another one's response. */
const share = mock.method(Work.prototype, 'share')
/** Called when the client of a request has disconnected. */
const abort = mock.method(Work.prototype, 'abort')
const wait = (requests: number) => until(() => share.mock.callCount() === requests)
const leave = (requests: number) => until(() => abort.mock.callCount() === requests)
coalescing.after(() => [share, abort].forEach((spy) => spy.mock.restore()))

coalescing('share one response', async () => {
  const { shop, open } = await openSlowly()
  await using _ = shop
  const all = Array.from({ length: 10 }, () => shop.getRoute('stock'))
  await until(() => shop.calls['stock'] === 1)
  await wait(9)
  open()
  const answers = await Promise.all(all)
  assert.is(shop.calls['stock'], 1)
  assert.equal(new Set(answers.map(({ text }) => text)), new Set(['{"made":1}']))
  assert.is(answers.filter(({ cache }) => cache === 'HIT').length, 9)
})

coalescing('still get a response after the first client or another one disconnects', async () => {
  const { shop, seen, open } = await openSlowly()
  await using _ = shop
  const [first, other] = [new AbortController(), new AbortController()]
  const left = shop.request('/shop/v1/stock', { signal: first.signal }).catch(() => 'left')
  await until(() => shop.calls['stock'] === 1)
  const leaving = shop.request('/shop/v1/stock', { signal: other.signal }).catch(() => 'left')
  const staying = shop.getRoute('stock')
  await wait(2)
  first.abort()
  other.abort()
  assert.equal([await left, await leaving], ['left', 'left'])
  await leave(2)
  assert.is(seen[0]!.aborted, false)
  open()
  assert.is((await staying).text, '{"made":1}')
  assert.is(shop.calls['stock'], 1)
})

coalescing('abort the handler after all clients have disconnected', async () => {
  const { shop, seen, open } = await openSlowly()
  await using _ = shop
  const [first, other] = [new AbortController(), new AbortController()]
  const left = shop.request('/shop/v1/stock', { signal: first.signal }).catch(() => 'left')
  await until(() => shop.calls['stock'] === 1)
  const leaving = shop.request('/shop/v1/stock', { signal: other.signal }).catch(() => 'left')
  await wait(1)
  first.abort()
  await left
  await leave(1)
  assert.is(seen[0]!.aborted, false)
  other.abort()
  await leaving
  await until(() => seen[0]!.aborted)
  open()
  assert.is((await shop.getRoute('stock')).text, '{"made":2}')
})

coalescing('run separately if the response fails or cannot be cached', async () => {
  for (const sale of [
    (_: unknown, call: number) => (call === 1 ? Promise.reject(new Error('broken')) : {}),
    (request: Parameters<Sale>[0]) => request.preventCaching('it is rolled') ?? {},
  ] as Sale[]) {
    const { shop, open } = await openSlowly(sale)
    await using _ = shop
    const all = Array.from({ length: 4 }, () => shop.getRoute('stock'))
    await until(() => shop.calls['stock'] === 1)
    await wait(3)
    open()
    const good = (await Promise.all(all)).filter(({ response }) => response.status === 200)
    assert.ok(good.length >= 3)
    assert.is(shop.calls['stock'], 4)
  }
  const { shop, open } = await openSlowly((_, call) => (call === 1 ? (shop.sell() ?? {}) : {}))
  await using _ = shop
  const all = Array.from({ length: 4 }, () => shop.getRoute('stock'))
  await until(() => shop.calls['stock'] === 1)
  await wait(3)
  open()
  await Promise.all(all)
  // These requests came before the change; later ones get a new response.
  assert.is(shop.calls['stock'], 1)
  assert.is((await shop.getRoute('stock')).text, '{"made":2}')
})

coalescing.run()
