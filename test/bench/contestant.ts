import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createHistogram } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import type { Question } from './server.ts'

/** Results of one round of load. */
export interface Round {
  /** Responses per second. */
  rate: number
  /** Median and 99th percentile of the response time in milliseconds. */
  p50: number
  p99: number
  /** Processor time of the server per request in microseconds. */
  cpu: number
}

/**
 * Keeps this process awake between responses: waking it would take processor time from the server, especially from a slow one.
 * Returns a function that ends this.
 */
function stayAwake(): () => void {
  let awake = true
  const turn = () => {
    if (awake) setImmediate(turn)
  }
  turn()
  return () => void (awake = false)
}

/** The request to send. */
export interface Load {
  path: string
  headers?: Readonly<Record<string, string>> | undefined
  method?: 'GET' | 'POST' | undefined
  /** Body. In a text, each request replaces `{n}` with another number. */
  body?: string | Buffer | undefined
}

/** Start of the numbers for bodies, which differs for each run on a site. */
let bodies = Date.now() * 1000

/** Replaces `{n}` in a body with a unique number. */
export function bodyOf({ body }: Load): string | Buffer | undefined {
  return typeof body === 'string' ? body.replaceAll('{n}', String((bodies += 1))) : body
}

/** A server in a separate process. */
export class Contestant implements AsyncDisposable {
  readonly url: string
  readonly #process: ChildProcess

  private constructor(process: ChildProcess, url: string) {
    this.#process = process
    this.url = url
  }

  /**
   * Starts a server and waits until it listens.
   * @param args arguments of `server.ts`
   * @param profiles folder for a CPU profile
   */
  static async start(args: readonly string[], profiles?: string): Promise<Contestant> {
    const execArgv = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]
    const child = fork(fileURLToPath(new URL('./server.ts', import.meta.url)), args, { execArgv })
    const failed = once(child, 'exit').then(([code]) => {
      throw new Error(`The server ${args[0]} ended with code ${String(code)}.`)
    })
    const [url] = (await Promise.race([once(child, 'message'), failed])) as [string]
    failed.catch(() => {})
    return new Contestant(child, url)
  }

  async query(question: Question): Promise<number> {
    this.#process.send(question)
    const [answer] = (await once(this.#process, 'message')) as [number]
    return answer
  }

  /**
   * Requests a URL with a number of concurrent connections.
   * @throws Error for a status other than 2xx and 304
   */
  async load(load: Load, connections: number, seconds: number): Promise<Round> {
    const { path, headers = {}, method = 'GET', body } = load
    const latencies = createHistogram()
    const url = new URL(`${this.url}${path}`).href
    // A single request first: after it, the server has finished the work of the previous round.
    await (await fetch(url, { headers, method, body: bodyOf(load) ?? null })).arrayBuffer()
    const before = await this.query('cpu')
    const resting = stayAwake()
    const varied = (request: autocannon.Request) => ({ ...request, body: bodyOf(load)! })
    const requests = typeof body === 'string' ? [{ setupRequest: varied }] : undefined
    const options = {
      url,
      headers: { ...headers },
      method,
      connections,
      duration: seconds,
      sampleInt: 100,
      ...(body !== undefined && { body }),
      ...(requests !== undefined && { requests }),
    }
    const result = await new Promise<autocannon.Result>((resolve, reject) => {
      const running = autocannon(options, (error: Error | null, done) => (error ? reject(error) : resolve(done)))
      running.on('response', (_client, _status, _bytes, milliseconds) => {
        latencies.record(Math.max(1, Math.round(milliseconds * 1000)))
      })
    })
    resting()
    const spent = (await this.query('cpu')) - before
    const answered = result['2xx'] + result['3xx']
    const refused = result['4xx'] + result['5xx']
    if (refused + result.errors > 0 || answered === 0) {
      throw new Error(`${path}: ${answered} answers, ${refused} refusals, ${result.errors} errors.`)
    }
    return {
      rate: answered / result.duration,
      p50: latencies.percentile(50) / 1000,
      p99: latencies.percentile(99) / 1000,
      cpu: spent / answered,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.disconnect()
    await ended
  }
}
