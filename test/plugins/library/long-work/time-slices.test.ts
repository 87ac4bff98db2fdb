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

const slices = suite('slices')

/** Work of so many steps of some milliseconds each. */
function* steps(count: number, ms: number, done: string[] = [], name = ''): Steps<string> {
  for (let step = 0; step < count; step += 1) {
    for (const until = performance.now() + ms; performance.now() < until;);
    done.push(name)
    yield
  }
  return name
}

slices('short work is done at once', () => {
  assert.is(inSlices(steps(3, 0, [], 'a')), 'a')
  assert.is(atOnce(steps(3, 0, [], 'a')), 'a')
})

slices('long work lets others do theirs meanwhile', async () => {
  const done: string[] = []
  const long = inSlices(steps(10, 4, done, 'long'))
  const timer = setInterval(() => done.push('other'), 1)
  assert.is(await long, 'long')
  clearInterval(timer)
  assert.ok(done.indexOf('other') < done.lastIndexOf('long'), done.join())
})

slices('several that take long share the time between them, and leave some to others', async () => {
  const done: string[] = []
  const timer = setInterval(() => done.push('other'), 1)
  await Promise.all(['a', 'b', 'c'].map(async (name) => inSlices(steps(10, 4, done, name))))
  clearInterval(timer)
  assert.ok(done.indexOf('b') < done.lastIndexOf('a'), done.join())
  assert.ok(done.indexOf('other') < done.indexOf('c') || done.indexOf('other') < done.lastIndexOf('a'), done.join())
})

slices('work that nobody waits for any more stops', async () => {
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

slices('whoever asks for a turn is told that nobody waits any more, also where there is time left', async () => {
  const work = new Work()
  assert.is(await runWork(work, async () => yieldToEventLoop()), undefined)
  work.abort(new Error('gone'))
  const told = await runWork(work, async () => yieldToEventLoop()).catch((error: Error) => error.message)
  assert.is(told, 'gone')
})

slices('items are made in their order, some at a time', async () => {
  let open = 0
  let most = 0
  const made = await mapInSlices(
    Array.from({ length: 20 }, (_, index) => index),
    async (item) => {
      most = Math.max(most, (open += 1))
      await yieldToEventLoop()
      await new Promise(setImmediate)
      open -= 1
      return item * 2
    },
    8,
  )
  assert.equal(
    made,
    Array.from({ length: 20 }, (_, index) => index * 2),
  )
  assert.is(most, 8)
})

slices.run()
