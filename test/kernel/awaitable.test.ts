import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache, type Awaitable } from '../../kernel/index.ts'

const awaitable = suite('RequestCache.getLater')

awaitable('computes a value once, and then returns it without a promise', async () => {
  const scope = new RequestCache()
  let computations = 0
  const get = (): Awaitable<number> => scope.getLater('answer', async () => (computations += 1))
  assert.equal(await Promise.all([get(), get()]), [1, 1])
  assert.is(get(), 1)
  scope.clear()
  assert.is(await get(), 2)
})

awaitable.run()
