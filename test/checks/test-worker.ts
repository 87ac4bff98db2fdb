// A process of `npm test`: runs test files with uvu, one after another, by name as its parent sends them. Unlike the
// command of uvu, it fails if a `before` hook throws, a file lacks `.run()`, or a test leaves resources open.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { forgetSecrets } from '../../plugins/library/secrets/hide-secrets.ts'
import { startAll } from '../helpers/named-plugins.ts'
import { takeSkippedTests } from '../helpers/skip.ts'
import { processorSeconds } from './processor-time.ts'
import { FAILED, MARK, NO_TESTS, type Counts } from './test-process.ts'

/** Result of a suite in uvu: the printed errors (true for no errors), passed tests, skipped tests, all tests. */
type Outcome = [errors: string | true, passed: number, skipped: number, total: number]

declare global {
  var UVU_DEFER: number
  var UVU_QUEUE: (() => Promise<Outcome>)[][]
}

/** Time that the process can stay alive after the last test. */
const LINGER_MS = 30_000

/** Resources that this process opens itself: its output, and the channel to its parent. */
const own = process.stdout.writable && process.stderr.writable ? process.getActiveResourcesInfo() : []
/** Further open resources after each file. */
const openAfter: { name: string; open: readonly string[] }[] = []
let running: string | undefined

// Set before uvu loads: suites then wait in the queue instead of running on their own.
globalThis.UVU_DEFER = 1
if (process.argv.includes('--colors')) process.env['FORCE_COLOR'] = '1'
await import('uvu')
delete process.env['FORCE_COLOR']

process.on('message', (name: string) => void runFile(name))
process.on('disconnect', () => {
  if (running === undefined) setTimeout(reportOpen, LINGER_MS).unref()
  // The parent has exited, so the results are not needed.
  else process.exit(1)
})

async function runFile(name: string): Promise<void> {
  running = name
  forgetSecrets()
  startAll()
  // The process then exits if a test waits for an event that cannot occur.
  process.channel?.unref()
  const before = processorSeconds()
  const counts = await runSuites(name).catch((error: unknown) =>
    failure(String(error instanceof Error ? error.stack : error)),
  )
  const after = processorSeconds()
  const cost = before === null || after === null ? null : after - before
  running = undefined
  openAfter.push({ name, open: opened() })
  process.channel?.ref()
  const result: Counts = { ...counts, skips: takeSkippedTests(), processorSeconds: cost }
  process.stdout.write(`${MARK}${JSON.stringify(result)}\n`)
}

async function runSuites(name: string): Promise<Counts> {
  globalThis.UVU_QUEUE = [[]]
  await import(pathToFileURL(resolve('test', name)).href)
  const suites = globalThis.UVU_QUEUE[0]!
  if (suites.length === 0) return failure('This file runs no suite. Add `.run()` at its end.')
  const sum = { ...NO_TESTS }
  for (const suite of suites) {
    const [errors, passed, skipped, total] = await suite()
    sum.passed += passed
    sum.skipped += skipped
    sum.total += total
    sum.failed ||= errors !== true || passed < total
    if (errors !== true) process.stdout.write(`\n${errors}\n`)
    else if (passed < total) print('A before hook of this suite threw. Move its code to a test to see the error.')
  }
  return sum
}

function failure(sentence: string): Counts {
  print(sentence)
  return FAILED
}

function print(sentence: string): void {
  process.stdout.write(`\n  ${sentence}\n\n`)
}

/** Returns the kinds of resources that tests have opened and not closed. */
function opened(): string[] {
  const kinds = process.getActiveResourcesInfo()
  for (const kind of own) {
    const index = kinds.indexOf(kind)
    if (index !== -1) kinds.splice(index, 1)
  }
  return kinds
}

/** Reports the open resources, each with the file that left it open. */
function reportOpen(): void {
  const kinds = new Set(opened())
  const named = [...kinds].map((kind) => {
    const ended = openAfter.findLastIndex(({ open }) => !open.includes(kind))
    return `${kind} (since ${openAfter[ended + 1]?.name ?? 'the last test'})`
  })
  print(`The tests left resources open: ${named.join(', ')}`)
  process.exit(1)
}
