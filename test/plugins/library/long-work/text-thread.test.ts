import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runWork, Work, type RestError } from '../../../../kernel/index.ts'
import { offThread } from '../../../../plugins/library/long-work/index.ts'
import { endIdleTextThread } from '../../../../plugins/library/long-work/text-thread.ts'
import { exhaustMemory, neverEnd, refuse, whereItRuns, whereItRunsWith } from '../../../fixtures/text-functions.ts'

const thread = suite('the thread for long texts')
const from = { importer: import.meta.url, module: '../../../fixtures/text-functions' }
const long = 'a'.repeat(50_001)

const locate = offThread(whereItRuns, from)
const endless = offThread(neverEnd, { ...from, timeLimit: 300 })

thread('runs a function for more than 50,000 characters; the main thread runs it for fewer', async () => {
  assert.equal(locate('a', 'b'), [true, 2])
  assert.equal(locate('a'.repeat(50_000)), [true, 50_000])
  assert.equal(await locate(long), [false, 50_001])
  assert.equal(await locate('a'.repeat(30_000), 'b'.repeat(30_000)), [false, 60_000])
  await endIdleTextThread()
  assert.equal(await locate(long), [false, 50_001], 'starts again after it has ended')
})

thread('counts the characters of the values of objects', async () => {
  const run = offThread(whereItRunsWith, from)
  assert.equal(run({ before: 'a', after: 'b' }), [true, 2])
  assert.equal(await run({ before: 'a'.repeat(30_000), after: 'b'.repeat(30_000) }), [false, 60_000])
})

thread('rejects with the error of a function, and runs the next call', async () => {
  const error = await reasonOf(offThread(refuse, from)(long))
  assert.equal([error.name, error.message], ['RangeError', '50001 characters are too many.'])
  assert.equal(await locate(long), [false, 50_001])
})

thread('ends at the time limit of a call with 503 and Retry-After, and runs the next call', async () => {
  const [late, next] = [reasonOf(endless(long)), locate(long)]
  const error = (await late) as RestError
  assert.equal([error.code, error.status, error.data['retry_after']], ['rest_unavailable', 503, 5])
  assert.match((error.cause as Error).message, 'neverEnd() exceeded 300 ms')
  assert.equal(await next, [false, 50_001])
})

thread('responds with 503 to a call that exhausts its memory, and the process continues', async () => {
  const error = (await reasonOf(offThread(exhaustMemory, from)(long))) as RestError
  assert.equal(
    [error.code, (error.cause as NodeJS.ErrnoException).code],
    ['rest_unavailable', 'ERR_WORKER_OUT_OF_MEMORY'],
  )
  assert.equal(await locate(long), [false, 50_001])
})

thread('lets 20 calls wait and refuses others with 503', async () => {
  const work = new Work()
  const running = runWork(work, () => reasonOf(offThread(neverEnd, from)(long)))
  const waiting = Array.from({ length: 20 }, async () => locate(long))
  const refused = (await reasonOf(locate(long))) as RestError
  assert.equal([refused.code, refused.data['retry_after']], ['rest_unavailable', 5])
  work.abort(new Error('gone'))
  assert.is((await running).message, 'gone')
  assert.equal(
    await Promise.all(waiting),
    Array.from({ length: 20 }, () => [false, 50_001]),
  )
})

thread('does not run a waiting call whose request is aborted', async () => {
  const [running, waiting] = [new Work(), new Work()]
  const results = [running, waiting].map((work) => runWork(work, () => reasonOf(offThread(neverEnd, from)(long))))
  waiting.abort(new Error('left'))
  assert.is((await results[1]!).message, 'left')
  running.abort(new Error('gone'))
  assert.is((await results[0]!).message, 'gone')
})

thread.after(endIdleTextThread)

async function reasonOf(call: unknown): Promise<Error> {
  try {
    await call
  } catch (error) {
    return error as Error
  }
  throw new Error('The call succeeded.')
}

thread.run()
