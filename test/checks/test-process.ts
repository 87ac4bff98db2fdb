import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { styleText } from 'node:util'
import type { SkippedTest } from '../helpers/skip.ts'

/** Results of the tests of a file. */
export interface Counts {
  readonly passed: number
  readonly skipped: number
  readonly total: number
  readonly failed: boolean
  readonly skips: readonly SkippedTest[]
  /** Processor time of the file and of the processes it started; null where the system does not report it. */
  readonly processorSeconds: number | null
}

export interface FileResult extends Counts {
  /** Output of the tests: uvu's line for each suite, and its report of each failure. */
  readonly output: string
  readonly seconds: number
}

/** Seconds that the tests of one file may take. */
const LIMIT = 600

/** Counts of a file before its first suite. */
export const NO_TESTS: Counts = { passed: 0, skipped: 0, total: 0, failed: false, skips: [], processorSeconds: null }
/** Counts of a file that did not run to completion. */
export const FAILED: Counts = { ...NO_TESTS, total: 1, failed: true }

/** Start of the line after the output of a test file; the rest of the line is its `Counts` as JSON. */
export const MARK = '\0done '
const DONE = /\0done (.*)\n/

/**
 * The environment of test processes: with a cache of compiled code, except where coverage is measured. Sites under test
 * must not use the database of the developer.
 */
const testEnvironment = () => ({
  ...process.env,
  PORT: '',
  DATABASE_URL: '',
  ...(process.env['NODE_V8_COVERAGE'] === undefined && { NODE_COMPILE_CACHE: resolve('node_modules/.cache/compiled') }),
})

/** A process that runs test files, one after another: `test-worker.ts`. */
export class TestProcess {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  readonly #names: string[] = []
  #output = ''
  #onDone: ((counts: Counts) => void) | undefined

  constructor() {
    const colorFlags = styleText('red', 'x') === 'x' ? [] : ['--colors']
    this.#child = fork(new URL('test-worker.ts', import.meta.url), colorFlags, { silent: true, env: testEnvironment() })
    this.#ended = this.#end()
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => this.#read(text))
    }
  }

  /** Whether the process has exited. */
  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** Runs a file. It also fails if the process exits, or exceeds the time limit and is killed. */
  async run(name: string): Promise<FileResult> {
    this.#names.push(name)
    const started = performance.now()
    const limit = setTimeout(() => this.#child.kill('SIGKILL'), LIMIT * 1000)
    const done = new Promise<Counts>((resolve) => (this.#onDone = resolve))
    // Ignores the error if the process has exited: `#ended` reports that.
    this.#child.send(name, () => {})
    const counts = await Promise.race([done, this.#ended.then(() => undefined)])
    clearTimeout(limit)
    const seconds = (performance.now() - started) / 1000
    if (counts === undefined) this.#output += this.#describeExit(seconds)
    const output = this.#output
    this.#output = ''
    return { output, seconds, ...(counts ?? FAILED) }
  }

  /** Lets the process exit. @returns a message if its exit code is not 0 */
  async close(): Promise<string | undefined> {
    if (this.#child.connected) this.#child.disconnect()
    await this.#ended
    return this.#child.exitCode === 0 ? undefined : `${this.#output}${this.#describeExit(0)}`
  }

  #read(text: string): void {
    this.#output += text
    const mark = DONE.exec(this.#output)
    if (mark === null) return
    this.#output = this.#output.replace(mark[0], '')
    this.#onDone?.(JSON.parse(mark[1]!) as Counts)
  }

  /** Waits for the exit and then for all output, at most 1 s: a child process of a test can hold the streams open. */
  async #end(): Promise<void> {
    const { stdout, stderr } = this.#child
    const closed = once(this.#child, 'close')
    await once(this.#child, 'exit')
    await Promise.race([closed, delay(1000)])
    stdout?.destroy()
    stderr?.destroy()
  }

  #describeExit(seconds: number): string {
    const { exitCode, signalCode } = this.#child
    const ending = seconds >= LIMIT ? `was not done after ${LIMIT} s` : `ended with ${signalCode ?? `code ${exitCode}`}`
    return `\n  The process of these tests ${ending}. It ran ${this.#names.join(', ')}.\n`
  }
}
