import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runWork, Work } from '../../../../kernel/index.ts'
import {
  atOnce,
  inSlices,
  mapInSlices,
  type Steps,
  yieldToEventLoop,
} from '../../../../plugins/library/long-work/index.ts'

const slices = suite('time slices')

/** Work in steps of some milliseconds each. */
function* steps(count: number, ms: number, done: string[] = [], name = ''): Steps<string> {
  for (let step = 0; step < count; step += 1) {
    for (const until = performance.now() + ms; performance.now() < until;);
    done.push(name)
    yield
  }
  return name
}

slices('run short work synchronously', () => {
  assert.is(inSlices(steps(3, 0, [], 'a')), 'a')
  assert.is(atOnce(steps(3, 0, [], 'a')), 'a')
})

slices('let other work run between pieces of long work', async () => {
  const done: string[] = []
  const long = inSlices(steps(10, 4, done, 'long'))
  const timer = setInterval(() => done.push('other'), 1)
  assert.is(await long, 'long')
  clearInterval(timer)
  assert.ok(done.indexOf('other') < done.lastIndexOf('long'), done.join())
})

slices('divide the time between several long tasks and other work', async () => {
  const done: string[] = []
  const timer = setInterval(() => done.push('other'), 1)
  await Promise.all(['a', 'b', 'c'].map(async (name) => inSlices(steps(10, 4, done, name))))
  clearInterval(timer)
  assert.ok(done.indexOf('b') < done.lastIndexOf('a'), done.join())
  assert.ok(done.indexOf('other') < done.indexOf('c') || done.indexOf('other') < done.lastIndexOf('a'), done.join())
})

slices('stop aborted work', async () => {
  const work = new Work()
  const done: string[] = []
  const long = runWork(work, () => inSlices(steps(1000, 4, done, 'long')))
  work.abort(new Error('gone'))
  try {
    await long
    assert.unreachable()
  } catch (error) {
    assert.is((error as Error).message, 'gone')
  }
  assert.ok(done.length < 20)
})

slices('reject with the abort reason even if there is time left', async () => {
  const work = new Work()
  assert.is(await runWork(work, async () => yieldToEventLoop()), undefined)
  work.abort(new Error('gone'))
  const reason = await runWork(work, async () => yieldToEventLoop()).catch((error: Error) => error.message)
  assert.is(reason, 'gone')
})

slices('map items in order, a limited number concurrently', async () => {
  let open = 0
  let highest = 0
  const results = await mapInSlices(
    Array.from({ length: 20 }, (_, index) => index),
    async (item) => {
      highest = Math.max(highest, (open += 1))
      await yieldToEventLoop()
      await new Promise(setImmediate)
      open -= 1
      return item * 2
    },
    8,
  )
  assert.equal(
    results,
    Array.from({ length: 20 }, (_, index) => index * 2),
  )
  assert.is(highest, 8)
})

slices('leave no unhandled rejection if an item throws while an earlier one waits', async () => {
  const unhandled: unknown[] = []
  const record = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', record)
  try {
    const make = (item: string): Promise<string> => {
      if (item === 'throws') throw new Error(item)
      return new Promise((_, reject) => setImmediate(() => reject(new Error(item))))
    }
    const mapped = mapInSlices(['rejects later', 'throws'], make)
    assert.is(await mapped.catch(({ message }: Error) => message), 'throws')
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(unhandled, [])
  } finally {
    process.off('unhandledRejection', record)
  }
})

slices.run()
