import type { Worker } from 'node:worker_threads'
import { currentWork, runDetached } from '../../../../kernel/index.ts'
import { moduleUrl, startThread, Semaphore } from '../../../library/long-work/index.ts'
import type { Executor, ReadRow } from '../backend.ts'
import { errors, queueFullError, type StoreError } from '../errors.ts'
import type { Value } from '../parameters.ts'
import type { ReadResult, ReadTask } from './read-thread-program.ts'
import { toObjects, type Rows } from './reader.ts'

/** Maximum number of statements that wait for the thread. */
const MAX_WAITING = 100
/**
 * Memory limit of the thread's JavaScript, in megabytes. SQLite holds all texts that a statement passes to a function
 * until the statement ends: 4 MB per thousand posts of 3 kB. A statement that needs more fails; on the main thread it
 * would end the process.
 */
const MEMORY_LIMIT_MB = 512
/** Milliseconds without a statement after which the thread ends. It takes about 10 MB. */
const IDLE_TIME_MS = 30_000
/**
 * Milliseconds that an abandoned statement can continue: most end within that time, and starting another thread is
 * expensive.
 */
const GRACE_MS = 100

const program = moduleUrl('./read-thread-program', import.meta.url)

/**
 * A thread that executes reads from the file of a SQLite database, one at a time in the order of their calls. SQLite
 * executes a statement without yielding, so a long one would block all requests of the process. Each statement sees
 * everything committed before its call.
 *
 * When a statement exceeds its time limit, or its request is aborted, the caller gets the error immediately and the
 * thread is ended: when SQLite next calls a JavaScript function, otherwise when SQLite returns. The next statement
 * starts another thread.
 */
export class ReadThread implements Executor {
  readonly #path: string
  readonly #time: number
  readonly #places = new Semaphore(1, MAX_WAITING, queueFullError)
  readonly #unfinished = new Set<Promise<void>>()
  #worker: Worker | null = null
  #idleTimer: NodeJS.Timeout | undefined
  #closed = false

  /**
   * @param path path of the database file
   * @param time milliseconds that a statement can take; it waits for its turn for half of that
   */
  constructor(path: string, time = Infinity) {
    this.#path = path
    this.#time = time
  }

  async all(sql: string, values: readonly Value[]): Promise<ReadRow[]> {
    return toObjects(await this.#read({ sql, values, kind: 'all' }))
  }

  async first(sql: string, values: readonly Value[]): Promise<ReadRow | undefined> {
    return toObjects(await this.#read({ sql, values, kind: 'first' }))[0]
  }

  async run(sql: string, values: readonly Value[]): Promise<number> {
    await this.#read({ sql, values, kind: 'all' })
    return 0
  }

  /** Waits for the statements in progress and ends the thread. A later read starts a new one. */
  async end(): Promise<void> {
    while (this.#unfinished.size > 0) await Promise.all(this.#unfinished)
    await this.#stop()
  }

  /** Like `end`, and refuses later reads. */
  async close(): Promise<void> {
    this.#closed = true
    await this.end()
  }

  #read(task: ReadTask): Promise<Rows> {
    if (this.#closed) throw errors.STORE_CLOSED('is closed')
    const { promise, resolve, reject } = Promise.withResolvers<Rows>()
    const signal = currentWork()?.signal
    const execute = () => this.#execute(task, signal, resolve, reject)
    const executed = this.#places.run(execute, { until: performance.now() + this.#time / 2, signal }).catch(reject)
    this.#unfinished.add(executed)
    void executed.then(() => this.#unfinished.delete(executed))
    return promise
  }

  /**
   * Executes a statement in the thread. Resolves when the thread is free, which can be after the caller has received
   * its error.
   */
  async #execute(
    task: ReadTask,
    signal: AbortSignal | undefined,
    resolve: (rows: Rows) => void,
    reject: (error: Error) => void,
  ): Promise<void> {
    const worker = this.#started()
    const { promise, resolve: answer, reject: fail } = Promise.withResolvers<ReadResult>()
    let failure: Error | undefined
    const failed = (error: Error) => (failure = error)
    const exited = () => fail(ended(failure))
    let stopping: NodeJS.Timeout | undefined
    let stopped: Promise<void> | undefined
    const giveUp = (reason: Error, grace: number) => {
      reject(reason)
      stopping ??= setTimeout(() => {
        stopped = this.#stop()
      }, grace)
    }
    const aborted = () => giveUp(signal!.reason as Error, GRACE_MS)
    const overdue = this.#time === Infinity ? undefined : setTimeout(() => giveUp(tookTooLong(), 0), this.#time)
    worker.once('message', answer).once('error', failed).once('exit', exited)
    signal?.addEventListener('abort', aborted)
    // The process must wait for the result, but not for an idle thread.
    worker.ref()
    try {
      worker.postMessage(task)
      const result = await promise
      if ('rows' in result) resolve(result)
      else reject(errorOf(result))
    } finally {
      clearTimeout(overdue)
      clearTimeout(stopping)
      signal?.removeEventListener('abort', aborted)
      worker.off('message', answer).off('error', failed).off('exit', exited)
      worker.unref()
      await stopped
      this.#idleTimer = runDetached(() => setTimeout(() => void this.#stop(), IDLE_TIME_MS).unref())
    }
  }

  /** @throws StoreError STORE_UNAVAILABLE */
  #started(): Worker {
    clearTimeout(this.#idleTimer)
    if (this.#worker !== null) return this.#worker
    try {
      const worker = startThread(program, MEMORY_LIMIT_MB, this.#path)
      // An error without a statement in progress only ends the thread.
      worker.on('error', () => {})
      worker.on('exit', () => {
        if (this.#worker === worker) this.#worker = null
      })
      this.#worker = worker
      return worker
    } catch (error) {
      throw ended(error as Error)
    }
  }

  /** Stops the statement in progress and ends the thread. Resolves when the thread has closed the file. */
  async #stop(): Promise<void> {
    clearTimeout(this.#idleTimer)
    const worker = this.#worker
    this.#worker = null
    await worker?.terminate()
  }
}

/** Rebuilds an error of the thread. */
function errorOf({ message, code, errcode }: Exclude<ReadResult, Rows>): Error {
  // A missing code must not become a property with undefined: the property distinguishes errors of the two databases.
  const codes = { ...(code !== undefined && { code }), ...(errcode !== undefined && { errcode }) }
  return Object.assign(new Error(message), codes)
}

function ended(cause: Error | undefined): StoreError {
  return errors.STORE_UNAVAILABLE(`its reading thread has ended (${cause?.message ?? 'it was stopped'})`, {
    cause,
  })
}

function tookTooLong(): StoreError {
  return errors.STORE_UNAVAILABLE('the statement exceeded the time limit of a request')
}
