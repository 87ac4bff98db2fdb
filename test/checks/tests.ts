// npm test [-- part-of-a-path …]: runs test/**/*.test.ts with uvu, side by side in a process for each core; those that others
// would disturb (see `ALONE` in test-files.ts) run after them, one by one. With SVC_TEST_POSTGRES_ALONE those run that are for
// PostgreSQL. With SVC_TEST_SECONDS no file is begun after so many: those that were left out are listed.
import { availableParallelism } from 'node:os'
import { styleText } from 'node:util'
import { testFiles } from './test-files.ts'
import { TestProcess, type FileResult } from './test-process.ts'

const started = performance.now()
const parts = process.argv.slice(2)
const files = await testFiles(parts, process.env['SVC_TEST_POSTGRES_ALONE'])
const milliseconds = Number(process.env['SVC_TEST_SECONDS'] ?? Infinity) * 1000
const leftOut: string[] = []

if (files.sideBySide.length + files.alone.length === 0) {
  console.error(`No test file has ${parts.join(' or ')} in its path.`)
  process.exit(1)
}

const sum = { passed: 0, skipped: 0, total: 0, failed: false }
// One more than there are cores is no quicker, and with PostgreSQL slower by a quarter (measured on two).
await runAll(files.sideBySide, availableParallelism())
for (const name of files.alone) await runAll([name], 1)

const colour = sum.failed ? 'red' : 'green'
console.log(`\n  Total:     ${sum.total}`)
console.log(styleText(colour, `  Passed:    ${sum.passed}`))
console.log(`  Skipped:   ${sum.skipped === 0 ? 0 : styleText('yellow', String(sum.skipped))}`)
console.log(`  Duration:  ${(performance.now() - started).toFixed(2)}ms\n`)
if (leftOut.length > 0) {
  console.log(styleText('yellow', `  There was no time for ${leftOut.length} files:\n  ${leftOut.join('\n  ')}\n`))
}
if (sum.failed) process.exitCode = 1

/** Runs the files in so many processes, each of which takes the next file when it is done with one. */
async function runAll(names: readonly string[], processes: number): Promise<void> {
  const queue = [...names]
  await Promise.all(Array.from({ length: Math.min(processes, names.length) }, () => runFrom(queue)))
}

/** Takes files from the queue until it is empty; a process that died is followed by another. */
async function runFrom(queue: string[]): Promise<void> {
  let worker: TestProcess | undefined
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    if (performance.now() - started > milliseconds) {
      leftOut.push(name)
      continue
    }
    worker ??= new TestProcess()
    print(name, await worker.run(name))
    if (worker.ended) worker = undefined
  }
  const complaint = await worker?.close()
  if (complaint === undefined) return
  sum.failed = true
  console.error(styleText('red', complaint))
}

function print(name: string, { output, passed, skipped, total, failed, seconds }: FileResult): void {
  sum.passed += passed
  sum.skipped += skipped
  sum.total += total
  sum.failed ||= failed
  const time = styleText('dim', `${seconds.toFixed(1)} s`)
  process.stdout.write(`${styleText(['bold', 'underline', 'white'], name)}  ${time}\n${output}\n`)
}
