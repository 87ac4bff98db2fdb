import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runWork, Work } from '../../../../kernel/index.ts'
import { HashQueue, type HashLine } from '../../../../plugins/people/passwords/hash-queue.ts'

const queue = suite('hash queue')

/** Tasks by name, each of which the test ends; `started` lists them in the order in which they started. */
function tasks(hashes: HashQueue) {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const run = (name: string, line: HashLine = 'others') =>
    hashes.run(line, async () => {
      started.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return name
    })
  const end = async (name: string) => {
    ends.get(name)!()
    await new Promise(setImmediate)
  }
  return { started, run, end }
}
const nothing = () => {}
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  )

queue('limits running and waiting tasks', async () => {
  const { started, run, end } = tasks(new HashQueue({ concurrency: 2, waiting: 2 }))
  for (const name of ['a', 'b', 'c', 'd']) run(name).catch(nothing)
  await new Promise(setImmediate)
  assert.equal(started, ['a', 'b'])
  assert.is(await codeOf(run('e')), 'password_queue_full')
  await end('a')
  assert.equal(started, ['a', 'b', 'c'])
  run('f').catch(nothing)
  for (const name of ['b', 'c', 'd', 'f']) await end(name)
  assert.equal(started, ['a', 'b', 'c', 'd', 'f'])
})

queue('serves its lines in turns, with separate places', async () => {
  const { started, run, end } = tasks(new HashQueue({ concurrency: 1, waiting: 3 }))
  for (const name of ['a', 'x', 'y', 'z']) run(name).catch(nothing)
  assert.is(await codeOf(run('w')), 'password_queue_full')
  for (const name of ['k', 'l']) run(name, 'known').catch(nothing)
  for (const name of ['n', 'm']) run(name, 'new').catch(nothing)
  while (started.length < 8) await end(started.at(-1)!)
  assert.equal(started.slice(1).sort(), ['k', 'l', 'm', 'n', 'x', 'y', 'z'])
  assert.equal(started.slice(1, 4).sort(), ['k', 'n', 'x'])
  assert.equal(started.slice(4, 7).sort(), ['l', 'm', 'y'])
})

queue('drops the tasks of aborted requests', async () => {
  const { started, run, end } = tasks(new HashQueue({ concurrency: 1, waiting: 1 }))
  run('a').catch(nothing)
  const work = new Work()
  const aborted = codeOf(runWork(work, () => run('gone')))
  work.abort(new Error('The client has gone.'))
  assert.is(await aborted, 'The client has gone.')
  assert.is(await codeOf(runWork(work, () => run('later'))), 'The client has gone.')
  run('b').catch(nothing)
  await end('a')
  await end('b')
  assert.equal(started, ['a', 'b'])
})

queue('limits the places of one network', async () => {
  const { started, run, end } = tasks(new HashQueue({ concurrency: 1, waiting: 4 }))
  run('first').catch(nothing)
  const from = (network: string, name: string, line?: HashLine) => {
    return codeOf(runWork(new Work(null, network), () => run(name, line)))
  }
  const answers = ['a', 'b', 'c', 'd'].map((name) => from('192.0.2.1', name))
  assert.equal(await Promise.all(answers.slice(2)), ['password_queue_full', 'password_queue_full'])
  answers.push(from('192.0.2.2', 'e'), from('192.0.2.1', 'f', 'known'))
  for (let count = 0; count < 5; count += 1) await end(started.at(-1)!)
  assert.equal(started.sort(), ['a', 'b', 'e', 'f', 'first'])
})

queue('continues after a failed task', async () => {
  const hashes = new HashQueue({ concurrency: 1, waiting: 1 })
  const failed = codeOf(hashes.run('new', () => Promise.reject(new Error('no memory'))))
  const next = codeOf(hashes.run('new', async () => {}))
  assert.equal([await failed, await next], ['no memory', 'done'])
})

queue.run()
