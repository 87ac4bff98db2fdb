import cluster, { type Worker } from 'node:cluster'
import type { Serializable } from 'node:child_process'
import type { Readable } from 'node:stream'
import { createInterface } from 'node:readline'
import { pino, type Logger } from 'pino'
import { checkPort, createLog } from '../../kernel/host.ts'
import type { SiteConfig } from '../../kernel/index.ts'
import { printFailure } from './failure.ts'
import type { StopRequest } from './stop-request.ts'
import { blockedSentence, parseReport, seconds, type WatchdogReport } from './watchdog-report.ts'
import { environmentOf, FINISH, REPORT_DESCRIPTOR, STOP, type WorkerMessage } from './worker.ts'

/** Milliseconds before a worker that has ended is started again: twice as many each time, from the first to the second. */
const PAUSES = [100, 30_000] as const
/** Milliseconds of serving after which that begins anew. */
const STEADY_SERVING_MS = 60_000
/** Milliseconds that workers have to stop, beside those that a request may take. */
const STOP_WITHIN = 10_000
/** Milliseconds after which no worker takes a connection any more that was handed over during the stop. */
const UNTAKEN_FOR = 500
/** Milliseconds without an answer after which a blocked worker is killed. */
const KILL_BLOCKED_AFTER = 10_000
/** Milliseconds between two ticks of this process, and without one after which it was suspended. */
const TICK_MS = 250
const SUSPENDED_AFTER = 1000

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
  cluster.setupPrimary({ stdio: ['inherit', 'inherit', 'inherit', 'ipc', 'pipe'] })
  const workers = new Workers(config, count)
  stop.atOnce = () => workers.kill()
  void stop.asked.then(() => workers.stop(0))
  return workers.serve()
}

/**
 * The workers of a site: the first one makes it ready, then the others start. One that ends is started again, and one that
 * is blocked is replaced.
 */
class Workers {
  readonly #count: number
  readonly #log: Logger
  readonly #stopWithin: number
  readonly #over = Promise.withResolvers<number>()
  readonly #running = new Map<number, Worker>()
  /** What closes the connections that workers have not taken. */
  readonly #releases = new Map<Worker, (age?: number) => void>()
  /** Those that were blocked, so that others have replaced them, with the timers that kill those that are blocked still. */
  readonly #replaced = new Map<Worker, NodeJS.Timeout | undefined>()
  /** Numbers of those that serve. */
  readonly #serving = new Set<number>()
  /** How often each has ended without having served for long. */
  readonly #ends = new Map<number, number>()
  readonly #pauses = new Set<NodeJS.Timeout>()
  /** Whether the first one has served, so that the others were started. */
  #isReady = false
  /** Whether all have served at the same time, so that nothing is wrong with the config. */
  #started = false
  /** When this process last ticked, and when it was last late by a suspension, by its clock. */
  #ticked = performance.now()
  #resumed = Number.NEGATIVE_INFINITY
  /** The exit code once they are to stop. */
  #code: number | null = null

  constructor(config: SiteConfig, count: number) {
    this.#count = count
    this.#log = createLog(config.log, pino.destination({ dest: 2, sync: true }))
    this.#stopWithin = config.limits.time + STOP_WITHIN
  }

  serve(): Promise<number> {
    setInterval(() => this.#tick(), TICK_MS).unref()
    this.#start(1)
    return this.#over.promise
  }

  /** Has them stop in good order. */
  stop(code: number): void {
    if (this.#code !== null) return
    this.#code = code
    for (const pause of this.#pauses) clearTimeout(pause)
    for (const worker of this.#all()) worker.send(STOP)
    setTimeout(() => this.kill(), this.#stopWithin).unref()
    // Also those that a request of a worker itself waits for.
    setInterval(() => this.#releases.forEach((release) => release(UNTAKEN_FOR)), UNTAKEN_FOR).unref()
    this.#endWithLast()
  }

  /** Ends them at once. */
  kill(): void {
    for (const worker of this.#all()) worker.process.kill('SIGKILL')
  }

  #all(): Worker[] {
    return [...this.#running.values(), ...this.#replaced.keys()]
  }

  #start(number: number): void {
    const joins = this.#serving.size > 0
    const worker = cluster.fork(environmentOf({ number, count: this.#count, joins }))
    const release = keepLastConnection(worker)
    this.#releases.set(worker, release)
    let proof: NodeJS.Timeout | undefined
    let text = ''
    this.#running.set(number, worker)
    worker.on('error', (err) => this.#log.warn({ err, worker: number }, 'a worker is out of reach'))
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'over') return this.stop(1)
      if (message.type === 'failed') return void (text = message.text)
      proof = setTimeout(() => this.#ends.delete(number), STEADY_SERVING_MS).unref()
      this.#serves(number, message.sentence)
    })
    createInterface({ input: worker.process.stdio[REPORT_DESCRIPTOR] as Readable }).on('line', (line) => {
      const report = parseReport(line)
      if (report === null) this.#log.warn({ worker: number }, 'a report of a worker is not valid, and is ignored')
      else this.#reported(number, worker, report)
    })
    worker.once('exit', (code: number | null, signal: string | null) => {
      clearTimeout(proof)
      release()
      this.#releases.delete(worker)
      if (this.#replaced.has(worker)) return this.#replacedEnded(number, worker)
      this.#running.delete(number)
      this.#serving.delete(number)
      this.#ended(number, text || `Worker ${number} ended with ${signal ?? code}.`, signal ?? code)
    })
  }

  #serves(number: number, sentence: string): void {
    this.#serving.add(number)
    // One that serves just as all are to stop must not have others started.
    if (this.#started || this.#code !== null) return
    if (!this.#isReady) for (let other = 2; other <= this.#count; other += 1) this.#start(other)
    this.#isReady = true
    if (this.#serving.size < this.#count) return
    this.#started = true
    console.log(sentence)
  }

  /** Acts on a report of the watchdog of a worker. */
  #reported(number: number, worker: Worker, report: WatchdogReport): void {
    const isReplaced = this.#replaced.has(worker)
    if (report.type === 'answers') {
      if (!isReplaced) return
      clearTimeout(this.#replaced.get(worker))
      const sentence = `Worker ${number} answers again after ${seconds(report.after)} s.`
      this.#log.warn({ worker: number }, `${sentence} It finishes its work and stops.`)
      // An import or a job of it may take long: nothing but another block ends it early.
      if (this.#code === null) worker.send(FINISH)
      return
    }
    this.#tick()
    if (this.#isJustResumed) return
    this.#killAfter(worker, KILL_BLOCKED_AFTER - report.after)
    if (isReplaced) return
    this.#running.delete(number)
    this.#serving.delete(number)
    const { pid } = worker.process
    const { requests } = report
    const sentence = blockedSentence(`Worker ${number}`, report)
    if (this.#code !== null) return this.#log.error({ worker: number, blocked: pid, requests }, sentence)
    const pause = this.#startLater(number)
    this.#log.error({ worker: number, blocked: pid, requests, pause }, `${sentence} Another worker takes its place.`)
  }

  /** Notices that this process was suspended: its ticks are late then. */
  #tick(): void {
    const now = performance.now()
    if (now - this.#ticked > SUSPENDED_AFTER) this.#resumed = now
    this.#ticked = now
  }

  /** Whether this process was suspended until now. Reports are out of date then: a worker that is still blocked sends another. */
  get #isJustResumed(): boolean {
    return performance.now() - this.#resumed < SUSPENDED_AFTER
  }

  #killAfter(worker: Worker, ms: number): void {
    clearTimeout(this.#replaced.get(worker))
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), Math.max(0, ms)).unref()
    this.#replaced.set(worker, timer)
  }

  #replacedEnded(number: number, worker: Worker): void {
    clearTimeout(this.#replaced.get(worker))
    this.#replaced.delete(worker)
    this.#log.info({ worker: number, blocked: worker.process.pid }, `Worker ${number}, which was blocked, has ended.`)
    if (this.#code !== null) this.#endWithLast()
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
    const pause = this.#startLater(number)
    this.#log.error({ worker: number, pause }, `${why} It is started again.`)
  }

  /** @returns milliseconds until it is started */
  #startLater(number: number): number {
    const ends = this.#ends.get(number) ?? 0
    this.#ends.set(number, ends + 1)
    const pause = Math.min(PAUSES[0] * 2 ** ends, PAUSES[1])
    const timer = setTimeout(() => {
      this.#pauses.delete(timer)
      this.#start(number)
    }, pause)
    this.#pauses.add(timer)
    return pause
  }

  #endWithLast(): void {
    if (this.#all().length === 0) this.#over.resolve(this.#code!)
  }
}

/**
 * Remembers the connection that was handed to a worker last. Node forgets one that the worker had not taken yet when it
 * was killed, or when it had closed the port as the last of all workers, and its client would wait for ever.
 * @returns closes that connection, unless the worker has taken it; called with an age in milliseconds, it leaves one
 * that was handed over more recently
 */
function keepLastConnection({ process: child }: Worker): (age?: number) => void {
  let last: { close?(): void } | undefined
  let sent = 0
  const send = child.send.bind(child) as (message: Serializable, ...rest: unknown[]) => boolean
  child.send = (message: Serializable, handle?: unknown, ...rest: unknown[]) => {
    if (handle) [last, sent] = [handle, performance.now()]
    return send(message, handle, ...rest)
  }
  // It is closed here already where the worker has taken it.
  return (age = 0) => {
    if (performance.now() - sent >= age) last?.close?.()
  }
}
