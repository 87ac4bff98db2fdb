import cluster, { type Worker } from 'node:cluster'
import type { Serializable } from 'node:child_process'
import { pino, type Logger } from 'pino'
import { checkPort, createLog } from '../../kernel/host.ts'
import type { SiteConfig } from '../../kernel/index.ts'
import { printFailure } from './failure.ts'
import type { StopRequest } from './stop-request.ts'
import { environmentOf, STOP, type WorkerMessage } from './worker.ts'

/** Milliseconds before a worker that has ended is started again: twice as many each time, from the first to the second. */
const PAUSES = [100, 30_000] as const
/** Milliseconds of serving after which that begins anew. */
const PROOF = 60_000
/** Milliseconds that workers have to stop, beside those that a request may take. */
const STOP_WITHIN = 10_000

/**
 * Serves a site by several processes, which share its port, until SIGTERM or SIGINT. This one loads no site: it accepts
 * connections and hands them to the workers in turn.
 * @param stop request to stop the process
 * @returns exit code: 0 after a signal, 1 when a worker could not start or the site cannot go on
 */
export async function serveByWorkers(config: SiteConfig, count: number, stop: StopRequest): Promise<number> {
  try {
    await checkPort(config.port, config.host)
  } catch (error) {
    return printFailure(error)
  }
  // On every system: left to the system, one worker gets most connections.
  cluster.schedulingPolicy = cluster.SCHED_RR
  const workers = new Workers(config, count)
  stop.atOnce = () => workers.kill()
  void stop.asked.then(() => workers.stop(0))
  return workers.serve()
}

/** The workers of a site: the first one makes it ready, then the others start. One that ends is started again. */
class Workers {
  readonly #count: number
  readonly #log: Logger
  readonly #stopWithin: number
  readonly #over = Promise.withResolvers<number>()
  readonly #running = new Map<number, Worker>()
  /** Numbers of those that serve. */
  readonly #serving = new Set<number>()
  /** How often each has ended without having served for long. */
  readonly #ends = new Map<number, number>()
  readonly #pauses = new Set<NodeJS.Timeout>()
  /** Whether the first one has served, so that the others were started. */
  #isReady = false
  /** Whether all have served at the same time, so that nothing is wrong with the config. */
  #started = false
  /** The exit code once they are to stop. */
  #code: number | null = null

  constructor(config: SiteConfig, count: number) {
    this.#count = count
    this.#log = createLog(config.log, pino.destination({ dest: 2, sync: true }))
    this.#stopWithin = config.limits.time + STOP_WITHIN
  }

  serve(): Promise<number> {
    this.#start(1)
    return this.#over.promise
  }

  /** Has them stop in good order. */
  stop(code: number): void {
    if (this.#code !== null) return
    this.#code = code
    for (const pause of this.#pauses) clearTimeout(pause)
    for (const worker of this.#running.values()) worker.send(STOP)
    setTimeout(() => this.kill(), this.#stopWithin).unref()
    this.#endWithLast()
  }

  /** Ends them at once. */
  kill(): void {
    for (const worker of this.#running.values()) worker.process.kill('SIGKILL')
  }

  #start(number: number): void {
    const joins = this.#serving.size > 0
    const worker = cluster.fork(environmentOf({ number, count: this.#count, joins }))
    const release = keepLastConnection(worker)
    let proof: NodeJS.Timeout | undefined
    let text = ''
    this.#running.set(number, worker)
    worker.on('error', (err) => this.#log.warn({ err, worker: number }, 'a worker is out of reach'))
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'over') return this.stop(1)
      if (message.type === 'failed') return void (text = message.text)
      proof = setTimeout(() => this.#ends.delete(number), PROOF).unref()
      this.#serves(number, message.sentence)
    })
    worker.once('exit', (code: number | null, signal: string | null) => {
      clearTimeout(proof)
      release()
      this.#running.delete(number)
      this.#serving.delete(number)
      this.#ended(number, text || `Worker ${number} ended with ${signal ?? code}.`, signal ?? code)
    })
  }

  #serves(number: number, sentence: string): void {
    this.#serving.add(number)
    if (this.#started) return
    if (!this.#isReady) for (let other = 2; other <= this.#count; other += 1) this.#start(other)
    this.#isReady = true
    if (this.#serving.size < this.#count) return
    this.#started = true
    console.log(sentence)
  }

  /** @param end exit code of the worker, or the signal that ended it */
  #ended(number: number, why: string, end: number | string | null): void {
    if (this.#code !== null) {
      // A signal that was sent to all processes may reach a worker before it listens.
      if (end !== 0 && end !== 'SIGTERM' && end !== 'SIGINT') this.#code = 1
      return this.#endWithLast()
    }
    // The site cannot start. A worker that was killed does not show that.
    if (!this.#started && typeof end === 'number' && end !== 0) {
      console.error(why)
      return this.stop(1)
    }
    const ends = this.#ends.get(number) ?? 0
    this.#ends.set(number, ends + 1)
    const pause = Math.min(PAUSES[0] * 2 ** ends, PAUSES[1])
    this.#log.error({ worker: number, pause }, `${why} It is started again.`)
    const timer = setTimeout(() => {
      this.#pauses.delete(timer)
      this.#start(number)
    }, pause)
    this.#pauses.add(timer)
  }

  #endWithLast(): void {
    if (this.#running.size === 0) this.#over.resolve(this.#code!)
  }
}

/**
 * Remembers the connection that was handed to a worker last. Node forgets one that the worker had not taken yet when it
 * was killed, and its client would wait for ever.
 * @returns closes that connection, unless the worker has taken it
 */
function keepLastConnection({ process: child }: Worker): () => void {
  let last: { close?(): void } | undefined
  const send = child.send.bind(child) as (message: Serializable, ...rest: unknown[]) => boolean
  child.send = (message: Serializable, handle?: unknown, ...rest: unknown[]) => {
    if (handle) last = handle
    return send(message, handle, ...rest)
  }
  // It is closed here already where the worker has taken it.
  return () => last?.close?.()
}
