import cluster, { type Worker } from 'node:cluster'
import type { Serializable } from 'node:child_process'
import type { Readable } from 'node:stream'
import { createInterface } from 'node:readline'
import { pino, type Logger } from 'pino'
import { checkPort, createLog } from '../config/index.ts'
import type { SiteConfig } from '../../kernel/index.ts'
import { printFailure } from './failure.ts'
import { memoryEnvironment } from './memory.ts'
import type { StopRequest } from './stop-request.ts'
import { blockedSentence, parseReport, seconds, type WatchdogReport } from './watchdog-report.ts'
import { environmentOf, FINISH, REPORT_DESCRIPTOR, STOP, type StartFailure, type WorkerMessage } from './worker.ts'

/** Shortest and longest pause before a worker that ended is restarted. The pause doubles each time the worker ends. */
const MIN_RESTART_PAUSE_MS = 100
const MAX_RESTART_PAUSE_MS = 30_000
/** Time of serving after which the next pause is the shortest again. */
const STEADY_SERVING_MS = 60_000
/** Time that workers have to stop, in addition to the request timeout. Then they are killed. */
const STOP_TIMEOUT_MS = 10_000
/** During the stop, a connection is closed if its worker has not accepted it within this time. */
const UNACCEPTED_TIMEOUT_MS = 500
/** Time without an answer after which a blocked worker is killed. */
const KILL_BLOCKED_AFTER_MS = 10_000
/**
 * Interval of the ticks of this process. More than `SUSPENDED_AFTER_MS` between two ticks means that it was suspended.
 */
const TICK_MS = 250
const SUSPENDED_AFTER_MS = 1000

/**
 * Serves a site with several processes, which share its port, until SIGTERM or SIGINT. The primary does not load the
 * site: it accepts connections and hands them to the workers in turn. Once all workers have served, a worker that ends
 * is restarted, without a limit on the number of restarts.
 * @param stop request to stop the process
 * @param watched if not null, replaces the workers when the config file or a file of the site's plugins changes
 * @returns exit code: 0 after a signal, 1 when a worker could not start or stop cleanly, or the site cannot continue
 */
export async function serveByWorkers(
  config: SiteConfig,
  count: number,
  stop: StopRequest,
  watched: { readonly configFile: string | null } | null,
): Promise<number> {
  try {
    await checkPort(config.port, config.host)
  } catch (error) {
    return printFailure(error)
  }
  // The default on Windows, SCHED_NONE, gives most connections to one worker.
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ stdio: ['inherit', 'inherit', 'inherit', 'ipc', 'pipe'] })
  const workers = new Workers(config, count)
  stop.onSecondSignal = () => workers.kill()
  void stop.requested.then(() => workers.stop(0))
  if (watched !== null) {
    // Loaded only with --watch.
    const { SiteWatcher } = await import('./watch.ts')
    const watcher = new SiteWatcher(watched.configFile, () => workers.replaceAll())
    workers.onLoaded = (file, hash) => watcher.noteLoaded(file, hash)
    workers.onStarted = () => {
      watcher.start()
      console.log('Watching the files of its plugins: a change restarts the site.')
    }
  }
  return workers.serve()
}

/**
 * The workers of a site. The first worker prepares the site (database, migrations), then the others start. A worker that
 * ends is restarted, a blocked worker is replaced, and all are replaced when the site's code has changed.
 */
class Workers {
  readonly #count: number
  readonly #log: Logger
  readonly #stopTimeoutMs: number
  readonly #exitCode = Promise.withResolvers<number>()
  readonly #running = new Map<number, Worker>()
  /** Workers that will replace a running worker once they serve, by number. */
  readonly #successors = new Map<
    number,
    { readonly worker: Worker; finish(this: void, failure: StartFailure | null): void }
  >()
  /** Functions that close the connection last handed to a worker if the worker has not accepted it. */
  readonly #releases = new Map<Worker, (age?: number) => void>()
  /** Called when a replaced worker has closed its idle connections, so that no client gets responses of the old code. */
  readonly #leaving = new Map<Worker, () => void>()
  /** Replaced workers that have not ended. Blocked ones have a timer that kills them. */
  readonly #replaced = new Map<Worker, NodeJS.Timeout | undefined>()
  /** Numbers of the workers that serve. */
  readonly #serving = new Set<number>()
  /** How often each worker has ended without serving for `STEADY_SERVING_MS`. */
  readonly #ends = new Map<number, number>()
  readonly #pauses = new Set<NodeJS.Timeout>()
  /** The replacements that plugins have asked for. */
  #requested: Promise<void> = Promise.resolve()
  /** Whether the first worker has served and the others were started. */
  #isReady = false
  /** Whether all workers have served at the same time, which shows that the config works. */
  #started = false
  /** `performance.now()` at the last tick, and when the process last resumed after a suspension. */
  #tickedAt = performance.now()
  #resumedAt = Number.NEGATIVE_INFINITY
  /** The exit code once the workers must stop; null while they serve. */
  #code: number | null = null
  /** Called when a worker of a watched site has loaded a file. */
  onLoaded = (_file: string, _hash: string | null): void => {}
  /** Called once all workers serve. */
  onStarted = (): void => {}

  constructor(config: SiteConfig, count: number) {
    this.#count = count
    this.#log = createLog(config.log, pino.destination({ dest: 2, sync: true }))
    this.#stopTimeoutMs = config.limits.requestTimeout + STOP_TIMEOUT_MS
  }

  serve(): Promise<number> {
    setInterval(() => this.#tick(), TICK_MS).unref()
    this.#start(1)
    return this.#exitCode.promise
  }

  /** Stops the workers gracefully, and kills them after the request timeout plus `STOP_TIMEOUT_MS`. */
  stop(code: number): void {
    if (this.#code !== null) return
    this.#code = code
    for (const pause of this.#pauses) clearTimeout(pause)
    for (const worker of this.#all()) if (worker.isConnected()) worker.send(STOP)
    setTimeout(() => this.kill(), this.#stopTimeoutMs).unref()
    // A worker's own request can wait for such a connection.
    const releaseAll = () => this.#releases.forEach((release) => release(UNACCEPTED_TIMEOUT_MS))
    setInterval(releaseAll, UNACCEPTED_TIMEOUT_MS).unref()
    this.#endWithLast()
  }

  /** Kills all workers. */
  kill(): void {
    for (const worker of this.#all()) worker.process.kill('SIGKILL')
  }

  /**
   * Replaces the workers one after the other with new ones, which load the site again. Once a new worker serves, the old one
   * gets no new connections, finishes its requests, imports and jobs, and stops. If a new worker cannot start, the old one
   * and the remaining ones continue.
   * @returns the failure, or null once all are replaced; does not resolve if the workers are stopped
   */
  async replaceAll(): Promise<StartFailure | null> {
    for (let number = 1; number <= this.#count; number += 1) {
      const failure = await this.#replace(number)
      if (failure !== null) return failure
    }
    return null
  }

  /** Replaces all workers at the request of a plugin. A request during the replacement is followed by another one. */
  #replaceFor(reason: string): void {
    const log = this.#log
    this.#requested = this.#requested.then(async () => {
      log.info(`Replacing the workers, because ${reason}.`)
      const failure = await this.replaceAll()
      if (failure !== null) log.error(`The workers continue with the plugins they have: ${failure.text}`)
    })
  }

  #replace(number: number): Promise<StartFailure | null> {
    return new Promise((finish) => {
      if (this.#code === null) this.#successors.set(number, { worker: this.#fork(number), finish })
    })
  }

  #all(): Worker[] {
    const successors = Array.from(this.#successors.values(), ({ worker }) => worker)
    return [...this.#running.values(), ...successors, ...this.#replaced.keys()]
  }

  #start(number: number): void {
    this.#running.set(number, this.#fork(number))
  }

  #fork(number: number): Worker {
    const joins = this.#serving.size > 0
    const worker = cluster.fork({ ...memoryEnvironment(), ...environmentOf({ number, count: this.#count, joins }) })
    const release = keepLastConnection(worker)
    this.#releases.set(worker, release)
    let proof: NodeJS.Timeout | undefined
    let failure: StartFailure = { text: '', missing: null }
    worker.on('error', (err) => this.#log.warn({ err, worker: number }, 'cannot communicate with a worker'))
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'over') return this.stop(1)
      if (message.type === 'failed') return void (failure = message)
      if (message.type === 'left') return this.#leaving.get(worker)?.()
      if (message.type === 'replace') return this.#replaceFor(message.reason)
      if (message.type === 'loaded') return this.onLoaded(message.file, message.hash)
      proof = setTimeout(() => this.#ends.delete(number), STEADY_SERVING_MS).unref()
      this.#succeed(number, worker)
      this.#serves(number, message.sentence)
    })
    createInterface({ input: worker.process.stdio[REPORT_DESCRIPTOR] as Readable }).on('line', (line) => {
      const report = parseReport(line)
      if (report === null) this.#log.warn({ worker: number }, 'ignoring an invalid report of a worker')
      else this.#reported(number, worker, report)
    })
    worker.once('exit', (code: number | null, signal: string | null) => {
      clearTimeout(proof)
      // A worker that has ended normally has left its last connection to another worker.
      if (code !== 0 || this.#code !== null) release()
      this.#releases.delete(worker)
      this.#leaving.get(worker)?.()
      if (this.#replaced.has(worker)) return this.#replacedEnded(number, worker)
      const text = failure.text || `Worker ${number} ended with ${signal ?? code}.`
      if (this.#successors.get(number)?.worker === worker) return this.#failed(number, { ...failure, text })
      this.#running.delete(number)
      this.#serving.delete(number)
      this.#ended(number, text, signal ?? code)
    })
    return worker
  }

  /** Replaces the old worker of this number with one that serves now. The old one finishes its work and stops. */
  #succeed(number: number, worker: Worker): void {
    const successor = this.#successors.get(number)
    if (successor?.worker !== worker) return
    const before = this.#running.get(number)
    this.#successors.delete(number)
    this.#running.set(number, worker)
    if (before !== undefined) {
      this.#replaced.set(before, undefined)
      // An old worker that does not serve yet has no work to finish.
      if (before.isConnected()) before.send(this.#code === null && this.#serving.has(number) ? FINISH : STOP)
    }
    const finish = () => {
      if (before !== undefined) this.#leaving.delete(before)
      if (this.#code === null) successor.finish(null)
    }
    if (before === undefined) finish()
    else this.#leaving.set(before, finish)
  }

  /** Handles the end of a successor that never served. */
  #failed(number: number, failure: StartFailure): void {
    const { finish } = this.#successors.get(number)!
    this.#successors.delete(number)
    if (this.#code !== null) return this.#endWithLast()
    // The worker to replace has ended in the meantime.
    if (!this.#running.has(number)) this.#startLater(number)
    finish(failure)
  }

  #serves(number: number, sentence: string): void {
    this.#serving.add(number)
    // During the stop, no further workers must start.
    if (this.#started || this.#code !== null) return
    if (!this.#isReady) for (let other = 2; other <= this.#count; other += 1) this.#start(other)
    this.#isReady = true
    if (this.#serving.size < this.#count) return
    this.#started = true
    console.log(sentence)
    this.onStarted()
  }

  /** Handles a report of a worker's watchdog. */
  #reported(number: number, worker: Worker, report: WatchdogReport): void {
    // A successor does not serve yet, and reports again if it stays blocked.
    if (this.#successors.get(number)?.worker === worker) return
    const isReplaced = this.#replaced.has(worker)
    if (report.type === 'answers') {
      if (!isReplaced) return
      clearTimeout(this.#replaced.get(worker))
      const sentence = `Worker ${number} answers again after ${seconds(report.after)} s.`
      this.#log.warn({ worker: number }, `${sentence} It finishes its work and stops.`)
      // Its imports and jobs can take long: only another block ends it early.
      if (this.#code === null) worker.send(FINISH)
      return
    }
    this.#tick()
    if (this.#isJustResumed) return
    this.#killAfter(worker, KILL_BLOCKED_AFTER_MS - report.after)
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

  /** Detects by a late tick that this process was suspended. */
  #tick(): void {
    const now = performance.now()
    if (now - this.#tickedAt > SUSPENDED_AFTER_MS) this.#resumedAt = now
    this.#tickedAt = now
  }

  /** Whether this process was suspended until now. Its reports are outdated: a worker that is still blocked sends another. */
  get #isJustResumed(): boolean {
    return performance.now() - this.#resumedAt < SUSPENDED_AFTER_MS
  }

  #killAfter(worker: Worker, ms: number): void {
    clearTimeout(this.#replaced.get(worker))
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), Math.max(0, ms)).unref()
    this.#replaced.set(worker, timer)
  }

  #replacedEnded(number: number, worker: Worker): void {
    clearTimeout(this.#replaced.get(worker))
    this.#replaced.delete(worker)
    this.#log.info({ worker: number, pid: worker.process.pid }, `The replaced worker ${number} has ended.`)
    if (this.#code !== null) this.#endWithLast()
  }

  /** @param end exit code of the worker, or the signal that ended it */
  #ended(number: number, reason: string, end: number | string | null): void {
    if (this.#code !== null) {
      // A signal to all processes can reach a worker before it handles signals.
      if (end !== 0 && end !== 'SIGTERM' && end !== 'SIGINT') this.#code = 1
      return this.#endWithLast()
    }
    // An exit code means that the site cannot start. A signal does not.
    if (!this.#started && typeof end === 'number' && end !== 0) {
      console.error(reason)
      return this.stop(1)
    }
    const pause = this.#startLater(number)
    this.#log.error({ worker: number, pause }, `${reason} Restarting it.`)
  }

  /** @returns milliseconds until the worker is started */
  #startLater(number: number): number {
    const ends = this.#ends.get(number) ?? 0
    this.#ends.set(number, ends + 1)
    const pause = Math.min(MIN_RESTART_PAUSE_MS * 2 ** ends, MAX_RESTART_PAUSE_MS)
    const timer = setTimeout(() => {
      this.#pauses.delete(timer)
      if (!this.#running.has(number) && !this.#successors.has(number)) this.#start(number)
    }, pause)
    this.#pauses.add(timer)
    return pause
  }

  #endWithLast(): void {
    if (this.#all().length === 0) this.#exitCode.resolve(this.#code!)
  }
}

/**
 * Remembers the connection that was last handed to a worker. Node drops a connection without closing it if the worker is
 * killed before it accepts the connection, or closes the port as the last worker. Its client would wait forever.
 * @returns a function that closes that connection unless the worker has accepted it; with an age in milliseconds, only if
 * it was handed over at least that long ago
 */
function keepLastConnection({ process: child }: Worker): (age?: number) => void {
  let last: { close?(): void } | undefined
  let sentAt = 0
  const send = child.send.bind(child) as (message: Serializable, ...rest: unknown[]) => boolean
  child.send = (message: Serializable, handle?: unknown, ...rest: unknown[]) => {
    if (handle) [last, sentAt] = [handle, performance.now()]
    return send(message, handle, ...rest)
  }
  // If the worker has accepted it, the handle of this process is closed already.
  return (age = 0) => {
    if (performance.now() - sentAt >= age) last?.close?.()
  }
}
