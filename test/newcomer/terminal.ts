import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { freePort } from '../checks/free-port.ts'
import type { Expectation } from './expectations.ts'

const AS_NEWCOMER = join(import.meta.dirname, 'as-newcomer')

/** Time for a command to end, and for a server to start or stop; on a slow machine `npm ci` takes a minute. */
const COMMAND_TIMEOUT_MS = 300_000

/** Process IDs of running commands, each of which leads a process group. */
const running = new Set<number>()
process.once('exit', () => {
  for (const pid of running) process.kill(-pid, 'SIGKILL')
})

interface RunningServer {
  readonly child: ChildProcess
  /** Resolves once the server and all processes it started have ended. */
  readonly closed: Promise<unknown>
}

/** A terminal of a newcomer, in which commands of the docs run: see `as-newcomer`. */
export class Terminal {
  /** Current folder. */
  cwd: string
  readonly home: string
  readonly #name: string
  readonly #env: NodeJS.ProcessEnv
  readonly #filledIn = new Map<string, string>()
  #port = 0
  #server: RunningServer | null = null

  /**
   * @param name prefix of the lines it logs
   * @param home home folder of the user
   * @param path value of PATH, in which `as-newcomer` finds node and npm
   */
  constructor(name: string, home: string, path: string) {
    this.#name = name
    this.home = this.cwd = home
    const isOfNpm = (key: string) => /^npm_/i.test(key) || key === 'NODE_OPTIONS' || key === 'NODE'
    const own = Object.entries(process.env).filter(([key]) => !isOfNpm(key))
    this.#env = { ...Object.fromEntries(own), PATH: path, SVC_NEWCOMER_PROGRAMS: 'git curl' }
  }

  /** Replaces a placeholder in all commands that follow. */
  replacePlaceholder(placeholder: string, value: string): void {
    this.#filledIn.set(placeholder, value)
  }

  /** URL of the server, without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /**
   * Runs a command as it stands in the docs, and checks its outcome.
   * @returns the output
   * @throws Error with the output if the command fails, or its output is not the expected one
   */
  async run(command: string, expected: Expectation = {}): Promise<string> {
    const started = performance.now()
    if (expected.stopsServer === true || expected.serves === true) await this.stopServer()
    const output = await this.#outcome(this.#completed(command), expected)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`${this.#name}  ${command}  (${seconds} s)`)
    const found = expected.prints?.exec(output)
    if (expected.prints !== undefined) assert.ok(found, `${command} does not print ${expected.prints}:\n${output}`)
    if (expected.placeholder !== undefined) this.replacePlaceholder(expected.placeholder, found![1]!)
    return output
  }

  /** Presses Ctrl-C, and waits until every process of the server has ended. */
  async stopServer(): Promise<void> {
    if (this.#server === null) return
    const { child, closed } = this.#server
    this.#server = null
    process.kill(-child.pid!, 'SIGINT')
    await closed
  }

  /** Sends SIGTERM only to the started process. @returns its exit code */
  async terminate(): Promise<number | null> {
    const { child, closed } = this.#server!
    this.#server = null
    child.kill('SIGTERM')
    await closed
    return child.exitCode
  }

  async #outcome(command: string, expected: Expectation): Promise<string> {
    const folder = /^cd (\S+)$/.exec(command)?.[1]
    if (folder !== undefined) {
      this.cwd = resolve(this.cwd, folder)
      return (await this.#end('pwd')).output
    }
    if (expected.serves === true) return await this.#serve(command)
    const { code, output } = await this.#end(command)
    assert.equal(code, 0, `${command} ended with ${code}:\n${output}`)
    if (!command.startsWith('curl ')) return output
    const status = Number(/(\d+)\s*$/.exec(output)?.[1])
    assert.equal(status, expected.status ?? 200, `${command} received ${status}:\n${output}`)
    return output
  }

  async #end(command: string): Promise<{ code: number | null; output: string }> {
    const { child, output, closed } = this.#spawn(command)
    await closed
    return { code: child.exitCode, output: output() }
  }

  async #serve(command: string): Promise<string> {
    this.#port = await freePort()
    const { child, output, closed } = this.#spawn(command)
    this.#server = { child, closed }
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', () => {
        if (/^Serving \S+/m.test(output())) resolve()
      })
      void closed.then(() => reject(new Error(`${command} ended with ${child.exitCode}:\n${output()}`)))
    })
    for (const path of ['/', '/svc-json/', '/svc-admin/']) {
      const { status } = await fetch(this.url + path)
      assert.equal(status, 200, `GET ${path} after ${command} receives ${status}:\n${output()}`)
    }
    return output()
  }

  #spawn(command: string) {
    // The command starts in the home folder. `exec` keeps the process ID for signals if the command has it, too.
    const script = `cd "$SVC_NEWCOMER_FOLDER" && unset SVC_NEWCOMER_FOLDER && ${command}`
    const child = spawn(AS_NEWCOMER, [this.home, 'sh', '-c', script], {
      env: { ...this.#env, SVC_PORT: String(this.#port), SVC_NEWCOMER_FOLDER: this.cwd },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, as in a terminal, for Ctrl-C.
      detached: true,
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const timeout = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), COMMAND_TIMEOUT_MS)
    running.add(child.pid!)
    const closed = once(child, 'close').finally(() => {
      clearTimeout(timeout)
      running.delete(child.pid!)
    })
    return { child, output: () => text, closed }
  }

  #completed(command: string): string {
    let text = command.replaceAll(':8080', `:${this.#port}`)
    for (const [placeholder, value] of this.#filledIn) text = text.replaceAll(placeholder, value)
    return text
  }
}
