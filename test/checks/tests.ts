// npm test [-- part-of-a-path …]: runs test/**/*.test.ts with uvu, side by side in one process per core. Files of
// `ALONE` in test-files.ts run after them, one by one. Without a path, files named *.long.test.ts are skipped; `--long`
// runs only these, and `--all` every file. `--postgres` runs only the suites for PostgreSQL, on the server in
// SVC_TEST_POSTGRES.
import { availableParallelism } from 'node:os'
import { parseArgs, styleText } from 'node:util'
import { processorSeconds } from './processor-time.ts'
import { failuresIn } from './test-failures.ts'
import { testFiles } from './test-files.ts'
import { TestProcess, type FileResult } from './test-process.ts'

/** Maximum number of files whose full output is printed; in larger runs, passed files print one line. */
const MAX_FILES_IN_FULL = 8

const started = performance.now()
const options = { long: { type: 'boolean' }, all: { type: 'boolean' }, postgres: { type: 'boolean' } } as const
const { values, positionals: parts } = parseArgs({ options, allowPositionals: true })
const { long = false, all = parts.length > 0, postgres = false } = values
if (postgres) {
  if (!process.env['SVC_TEST_POSTGRES'])
    fail('Set SVC_TEST_POSTGRES to the URL of a database: postgres://user@host/name')
  // For test/helpers/stores.ts in the test processes.
  process.env['SVC_TEST_POSTGRES_ALONE'] = '1'
}
const kind = long ? 'long' : all || postgres ? 'all' : 'quick'
const { parallel, isolated } = await testFiles({ parts, kind, onPostgres: postgres })
const fileCount = parallel.length + isolated.length

if (fileCount === 0) fail(`No test file has ${parts.join(' or ')} in its path.`)

const sum = { passed: 0, skipped: 0, total: 0, failed: false }
const failures: string[] = []
const skipped = new Map<string, string[]>()
let done = 0

// One process more than there are cores saves no time, and costs a quarter more with PostgreSQL (measured on two
// cores).
await runAll(parallel, availableParallelism())
for (const name of isolated) await runAll([name], 1)
printSummary()
if (sum.failed) process.exitCode = 1

/** Runs the files in several processes, each of which starts the next file when one is finished. */
async function runAll(names: readonly string[], processes: number): Promise<void> {
  const queue = [...names]
  await Promise.all(Array.from({ length: Math.min(processes, names.length) }, () => runFrom(queue)))
}

/** Runs files from the queue until it is empty. Replaces a process that has exited. */
async function runFrom(queue: string[]): Promise<void> {
  let worker: TestProcess | undefined
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    worker ??= new TestProcess()
    record(name, await worker.run(name))
    if (worker.ended) worker = undefined
  }
  const problem = await worker?.close()
  if (problem === undefined) return
  sum.failed = true
  failures.push(problem)
  console.error(styleText('red', problem))
}

function fail(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}

function record(name: string, result: FileResult): void {
  sum.passed += result.passed
  sum.skipped += result.skipped
  sum.total += result.total
  sum.failed ||= result.failed
  done += 1
  if (result.failed) failures.push(...failuresIn(name, result.output))
  for (const { test, reason } of result.skips) {
    const tests = skipped.get(reason) ?? []
    skipped.set(reason, [...tests, `${name}  ${test}`])
  }
  const { seconds, processorSeconds: processor, passed, failed, output } = result
  const cost = `${seconds.toFixed(1)} s${processor === null ? '' : `, processor ${processor.toFixed(1)} s`}`
  const title = styleText(['bold', 'underline', 'white'], name)
  const line = `${styleText('dim', `${done}/${fileCount}`)} ${title}  ${passed} passed  ${styleText('dim', cost)}`
  // In large runs, passed files print one line.
  const isShort = fileCount > MAX_FILES_IN_FULL && !failed
  process.stdout.write(isShort ? `${line}\n` : `${line}\n${output.trimEnd()}\n\n`)
}

function printSummary(): void {
  for (const [reason, tests] of skipped) {
    console.log(styleText('yellow', `  Skipped, because ${reason}:\n`))
    console.log(`${tests.map((test) => `  - ${test}`).join('\n')}\n`)
  }
  if (failures.length > 0) {
    console.log(styleText('red', `  Failures:\n`))
    for (const failure of failures) console.log(`${failure.trimEnd()}\n`)
  }
  const processor = processorSeconds()
  console.log(`  Total:     ${sum.total}`)
  console.log(styleText(sum.failed ? 'red' : 'green', `  Passed:    ${sum.passed}`))
  console.log(`  Skipped:   ${sum.skipped === 0 ? 0 : styleText('yellow', String(sum.skipped))}`)
  console.log(`  Duration:  ${((performance.now() - started) / 1000).toFixed(1)} s`)
  if (processor !== null) console.log(`  Processor: ${processor.toFixed(1)} s\n`)
}
