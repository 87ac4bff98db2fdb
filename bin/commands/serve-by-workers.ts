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
 * @param watched if not null, the workers are replaced when the config file or a file of the site's plugins changes
 * @returns exit code: 0 after a signal, 1 when a worker could not start or the site cannot go on
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
  // On every system: left to the system, one worker gets most connections.
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ stdio: ['inherit', 'inherit', 'inherit', 'ipc', 'pipe'] })
  const workers = new Workers(config, count)
  stop.atOnce = () => workers.kill()
  void stop.asked.then(() => workers.stop(0))
  if (watched !== null) {
    // Only a process that watches loads what that takes.
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
 * The workers of a site: the first one makes it ready, then the others start. One that ends is started again, one that is
 * blocked is replaced, and all are replaced when the site's code has changed.
 */
class Workers {
  readonly #count: number
  readonly #log: Logger
  readonly #stopWithin: number
  readonly #over = Promise.withResolvers<number>()
  readonly #running = new Map<number, Worker>()
  /** Workers that take the place of a running one once they serve, by number. */
  readonly #successors = new Map<
    number,
    { readonly worker: Worker; settle(this: void, failure: StartFailure | null): void }
  >()
  /** What closes the connections that workers have not taken. */
  readonly #releases = new Map<Worker, (age?: number) => void>()
  /** Called when a replaced worker has no idle connection any more, by which clients would get responses of the code of before. */
  readonly #leaving = new Map<Worker, () => void>()
  /** Those that others have replaced, with the timers that kill those that are blocked. */
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
  /** Called when a worker of a watched site has loaded a file. */
  onLoaded = (_file: string, _hash: string | null): void => {}
  /** Called once all workers serve. */
  onStarted = (): void => {}

  constructor(config: SiteConfig, count: number) {
    this.#count = count
    this.#log = createLog(config.log, pino.destination({ dest: 2, sync: true }))
    this.#stopWithin = config.limits.requestTimeout + STOP_WITHIN
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
    for (const worker of this.#all()) if (worker.isConnected()) worker.send(STOP)
    setTimeout(() => this.kill(), this.#stopWithin).unref()
    // Also those that a request of a worker itself waits for.
    setInterval(() => this.#releases.forEach((release) => release(UNTAKEN_FOR)), UNTAKEN_FOR).unref()
    this.#endWithLast()
  }

  /** Ends them at once. */
  kill(): void {
    for (const worker of this.#all()) worker.process.kill('SIGKILL')
  }

  /**
   * Replaces the workers one after the other by new ones, which load the site again: an old worker gets no new connections
   * once the new one serves, finishes its requests, imports and jobs, and stops. If a new worker cannot start, the old one
   * and those after it go on.
   * @returns the failure, or null once all are replaced; does not resolve if the workers are stopped
   */
  async replaceAll(): Promise<StartFailure | null> {
    for (let number = 1; number <= this.#count; number += 1) {
      const failure = await this.#replace(number)
      if (failure !== null) return failure
    }
    return null
  }

  #replace(number: number): Promise<StartFailure | null> {
    return new Promise((settle) => {
      if (this.#code === null) this.#successors.set(number, { worker: this.#fork(number), settle })
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
    worker.on('error', (err) => this.#log.warn({ err, worker: number }, 'a worker is out of reach'))
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'over') return this.stop(1)
      if (message.type === 'failed') return void (failure = message)
      if (message.type === 'left') return this.#leaving.get(worker)?.()
      if (message.type === 'loaded') return this.onLoaded(message.file, message.hash)
      proof = setTimeout(() => this.#ends.delete(number), STEADY_SERVING_MS).unref()
      this.#succeed(number, worker)
      this.#serves(number, message.sentence)
    })
    createInterface({ input: worker.process.stdio[REPORT_DESCRIPTOR] as Readable }).on('line', (line) => {
      const report = parseReport(line)
      if (report === null) this.#log.warn({ worker: number }, 'a report of a worker is not valid, and is ignored')
      else this.#reported(number, worker, report)
    })
    worker.once('exit', (code: number | null, signal: string | null) => {
      clearTimeout(proof)
      // One that has ended in order has left its last connection to another worker.
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

  /** Puts a worker that serves now in the place of the one before it, which finishes its work and stops. */
  #succeed(number: number, worker: Worker): void {
    const successor = this.#successors.get(number)
    if (successor?.worker !== worker) return
    const before = this.#running.get(number)
    this.#successors.delete(number)
    this.#running.set(number, worker)
    if (before !== undefined) {
      this.#replaced.set(before, undefined)
      // One that has just been started has no work to finish.
      if (before.isConnected()) before.send(this.#code === null && this.#serving.has(number) ? FINISH : STOP)
    }
    const settle = () => {
      if (before !== undefined) this.#leaving.delete(before)
      if (this.#code === null) successor.settle(null)
    }
    if (before === undefined) settle()
    else this.#leaving.set(before, settle)
  }

  /** Acts on the end of a worker that did not come to serve. */
  #failed(number: number, failure: StartFailure): void {
    const { settle } = this.#successors.get(number)!
    this.#successors.delete(number)
    if (this.#code !== null) return this.#endWithLast()
    // The worker that it was to replace has ended in the meantime.
    if (!this.#running.has(number)) this.#startLater(number)
    settle(failure)
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
    this.onStarted()
  }

  /** Acts on a report of the watchdog of a worker. */
  #reported(number: number, worker: Worker, report: WatchdogReport): void {
    // It does not serve yet, and reports again if it stays blocked.
    if (this.#successors.get(number)?.worker === worker) return
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
    this.#log.info({ worker: number, pid: worker.process.pid }, `Worker ${number}, which was replaced, has ended.`)
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
      if (!this.#running.has(number) && !this.#successors.has(number)) this.#start(number)
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
