import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attempt, chain, isThenable, RequestCache, together, type Awaitable } from '../../kernel/index.ts'

const awaitable = suite('what may have to be waited for')

awaitable('is there at once where no read has to wait', async () => {
  assert.equal(
    together(
      () => 1,
      () => 'a',
    ),
    [1, 'a'],
  )
  const late = together(
    () => 1,
    async () => 'a',
  )
  assert.ok(isThenable(late))
  assert.equal(await late, [1, 'a'])
})

awaitable('fails with the read that fails, and nobody hears of those before it', async () => {
  const unheard: unknown[] = []
  const listen = (reason: unknown) => void unheard.push(reason)
  process.on('unhandledRejection', listen)
  const failing = () =>
    together(
      async () => Promise.reject(new Error('late')),
      () => {
        throw new Error('at once')
      },
    )
  assert.throws(failing, 'at once')
  await new Promise(setImmediate)
  process.off('unhandledRejection', listen)
  assert.equal(unheard, [])
})

awaitable('hands on what the next step needs, at once or later', async () => {
  const add = (value: number, { more }: { more: number }) => value + more
  assert.is(chain(1, add, { more: 2 }), 3)
  assert.is(await chain(Promise.resolve(1), add, { more: 2 }), 3)
  const fail = (how: 'at once' | 'later'): Awaitable<string> => {
    if (how === 'later') return Promise.reject(new Error(how))
    throw new Error(how)
  }
  const rescue = (error: unknown, how: string) => `${how}: ${(error as Error).message}`
  assert.is(attempt(fail, rescue, 'at once'), 'at once: at once')
  assert.is(await attempt(fail, rescue, 'later'), 'later: later')
})

awaitable('is waited for once in a request', async () => {
  const scope = new RequestCache()
  let made = 0
  const get = (): Awaitable<number> => scope.getLater('answer', async () => (made += 1))
  assert.equal(await Promise.all([get(), get()]), [1, 1])
  assert.is(get(), 1)
  scope.clear()
  assert.is(await get(), 2)
})

awaitable.run()
