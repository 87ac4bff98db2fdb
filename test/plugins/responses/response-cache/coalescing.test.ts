import { mock } from 'node:test'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Work } from '../../../../kernel/index.ts'
import { openShop, type Sale } from '../../../helpers/shop.ts'
import { until } from '../../../helpers/until.ts'

const coalescing = suite('requests for a response that is being made')

/** A shop whose handler waits until it is told to go on. */
async function openSlowly(sale: Sale = () => ({})) {
  for (const spy of [share, abort]) spy.mock.resetCalls()
  const gate = Promise.withResolvers<void>()
  const seen: AbortSignal[] = []
  const shop = await openShop({
    stock: async (request, made) => {
      seen.push(request.signal)
      await gate.promise
      return sale(request, made)
    },
  })
  return { shop, seen, open: gate.resolve }
}

/** Each request that waits for the response to another one takes a share of its work. */
const share = mock.method(Work.prototype, 'share')
/** Called once the client of a request has left. */
const abort = mock.method(Work.prototype, 'abort')
const wait = (requests: number) => until(() => share.mock.callCount() === requests)
const leave = (requests: number) => until(() => abort.mock.callCount() === requests)
coalescing.after(() => [share, abort].forEach((spy) => spy.mock.restore()))

coalescing('wait for it', async () => {
  const { shop, open } = await openSlowly()
  await using _ = shop
  const all = Array.from({ length: 10 }, () => shop.ask('stock'))
  await until(() => shop.made['stock'] === 1)
  await wait(9)
  open()
  const answers = await Promise.all(all)
  assert.is(shop.made['stock'], 1)
  assert.equal(new Set(answers.map(({ text }) => text)), new Set(['{"made":1}']))
  assert.is(answers.filter(({ cache }) => cache === 'HIT').length, 9)
})

coalescing('get theirs when the first client leaves, and all of them do when one of the others does', async () => {
  const { shop, seen, open } = await openSlowly()
  await using _ = shop
  const [first, other] = [new AbortController(), new AbortController()]
  const left = shop.request('/shop/v1/stock', { signal: first.signal }).catch(() => 'left')
  await until(() => shop.made['stock'] === 1)
  const leaving = shop.request('/shop/v1/stock', { signal: other.signal }).catch(() => 'left')
  const staying = shop.ask('stock')
  await wait(2)
  first.abort()
  other.abort()
  assert.equal([await left, await leaving], ['left', 'left'])
  await leave(2)
  assert.is(seen[0]!.aborted, false)
  open()
  assert.is((await staying).text, '{"made":1}')
  assert.is(shop.made['stock'], 1)
})

coalescing('stop it once all of them have left', async () => {
  const { shop, seen, open } = await openSlowly()
  await using _ = shop
  const [first, other] = [new AbortController(), new AbortController()]
  const left = shop.request('/shop/v1/stock', { signal: first.signal }).catch(() => 'left')
  await until(() => shop.made['stock'] === 1)
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
  assert.is((await shop.ask('stock')).text, '{"made":2}')
})

coalescing('make their own where it fails, or may not be kept', async () => {
  for (const sale of [
    (_: unknown, made: number) => (made === 1 ? Promise.reject(new Error('broken')) : {}),
    (request: Parameters<Sale>[0]) => request.doNotKeep('it is rolled') ?? {},
  ] as Sale[]) {
    const { shop, open } = await openSlowly(sale)
    await using _ = shop
    const all = Array.from({ length: 4 }, () => shop.ask('stock'))
    await until(() => shop.made['stock'] === 1)
    await wait(3)
    open()
    const good = (await Promise.all(all)).filter(({ response }) => response.status === 200)
    assert.ok(good.length >= 3)
    assert.is(shop.made['stock'], 4)
  }
  const { shop, open } = await openSlowly((_, made) => (made === 1 ? (shop.sell() ?? {}) : {}))
  await using _ = shop
  const all = Array.from({ length: 4 }, () => shop.ask('stock'))
  await until(() => shop.made['stock'] === 1)
  await wait(3)
  open()
  await Promise.all(all)
  // They asked before the change; who asks after it gets another one.
  assert.is(shop.made['stock'], 1)
  assert.is((await shop.ask('stock')).text, '{"made":2}')
})

coalescing.run()
