import { Worker } from 'node:worker_threads'
import { currentWork, Semaphore, runDetached, type WaitOptions } from '../../../../kernel/index.ts'
import { errors, tooMany, type StoreError } from '../errors.ts'
import type { Executor, ReadRow } from '../backend.ts'
import type { ReadAnswer, ReadTask } from './read-thread.ts'
import { toObjects, type Rows } from './reader.ts'
import type { Value } from '../parameters.ts'

/** How many statements wait for one at most. */
const queueLimit = 100
/**
 * Megabytes that a thread may use for JavaScript. All texts that a statement hands to a function are kept until it ends: 4 MB
 * for each thousand posts of 3 kB. A statement that needs more fails; it would have ended the process otherwise.
 */
const memoryLimit = 512
/** Milliseconds for which a thread is kept that nobody needs. */
const idleTime = 30_000
/** Milliseconds that a statement nobody waits for any more may go on: most end by themselves, and a thread is costly to make. */
const grace = 100

/** Where the program of a thread is: beside this file, compiled if this one is. */
const program = new URL(`./read-thread${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)

export interface ReadThreadsOptions {
  path: string
  /** How many read at once. */
  threads: number
  /** Milliseconds that a statement may take, and that a caller waits for its turn. */
  time: number
  /** Is told how many milliseconds the database took for SQL. */
  onRead: (sql: string, took: number) => void
}

/**
 * Threads that read from the file of a SQLite database. SQLite executes a statement in one go, and nothing else runs in the
 * thread meanwhile; so those that take long are executed here, each by one thread, the others wait in their order. A
 * statement whose time is over, or that nobody waits for any more, is stopped by ending its thread: at once where it
 * calls back into JavaScript, else when SQLite comes to the end of its step; others have the place from then on.
 *
 * Each statement sees all that was committed before it was asked for. Threads are made when they are needed.
 */
export class ReadThreads implements Executor {
  readonly #options: ReadThreadsOptions
  readonly #gate: Semaphore
  readonly #free: ReadThread[] = []
  readonly #underWay = new Set<Promise<void>>()
  #idle: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: ReadThreadsOptions) {
    this.#options = options
    this.#gate = new Semaphore(options.threads, queueLimit, tooMany)
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

  /** Waits for what is under way and ends the threads. A later read makes others. */
  async end(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
    await this.#endFree()
  }

  /** The same, and no later read makes others. */
  async close(): Promise<void> {
    this.#closed = true
    await this.end()
  }

  #read(task: ReadTask): Promise<Rows> {
    if (this.#closed) throw errors.STORE_CLOSED('is closed')
    const { promise, resolve, reject } = Promise.withResolvers<Rows>()
    const patience = { until: performance.now() + this.#options.time / 2, signal: currentWork()?.signal }
    // The place is free once the thread is, which may be later than the caller is told.
    const executed = this.#gate.run(() => this.#execute(task, patience, resolve, reject), patience).catch(reject)
    this.#underWay.add(executed)
    void executed.then(() => this.#underWay.delete(executed))
    return promise
  }

  /** Has a thread execute a statement; resolves when the place is free again. */
  async #execute(
    task: ReadTask,
    { signal }: WaitOptions,
    resolve: (rows: Rows) => void,
    reject: (error: Error) => void,
  ): Promise<void> {
    const thread = this.#free.pop() ?? new ReadThread(this.#options.path)
    let stopping: NodeJS.Timeout | undefined
    const giveUp = (reason: Error, milliseconds: number) => {
      reject(reason)
      stopping ??= setTimeout(() => void thread.end(), milliseconds)
    }
    const aborted = () => giveUp(signal!.reason as Error, grace)
    const overdue = startTimer(this.#options.time, () => giveUp(tookTooLong(), 0))
    signal?.addEventListener('abort', aborted)
    try {
      const { rows, took } = await thread.read(task)
      this.#options.onRead(task.sql, took)
      resolve(rows)
    } finally {
      signal?.removeEventListener('abort', aborted)
      clearTimeout(overdue)
      clearTimeout(stopping)
      if (thread.ending) await thread.end()
      else this.#keep(thread)
    }
  }

  #keep(thread: ReadThread): void {
    this.#free.push(thread)
    if (this.#idle === undefined)
      this.#idle = runDetached(() => setTimeout(() => void this.#endFree(), idleTime).unref())
    else this.#idle.refresh()
  }

  async #endFree(): Promise<void> {
    clearTimeout(this.#idle)
    this.#idle = undefined
    await Promise.all(this.#free.splice(0).map((thread) => thread.end()))
  }
}

/** One thread, which executes one statement at a time. */
class ReadThread {
  readonly #worker: Worker
  #reading: PromiseWithResolvers<{ rows: Rows; took: number }> | undefined
  #failure: Error | undefined
  #ending = false

  constructor(path: string) {
    this.#worker = startWorker(path)
    this.#worker.unref()
    this.#worker.on('message', (answer: ReadAnswer) => this.#settle(answer))
    this.#worker.on('error', (error: Error) => (this.#failure = error))
    this.#worker.on('exit', () => {
      this.#ending = true
      this.#reading?.reject(stopped(this.#failure))
    })
  }

  /** Whether it executes nothing any more. */
  get ending(): boolean {
    return this.#ending
  }

  async read(task: ReadTask): Promise<{ rows: Rows; took: number }> {
    this.#reading = Promise.withResolvers()
    // The process waits for the answer, but not for a thread that has nothing to do.
    this.#worker.ref()
    this.#worker.postMessage(task)
    try {
      return await this.#reading.promise
    } finally {
      this.#reading = undefined
      this.#worker.unref()
    }
  }

  /** Stops what it executes; resolves once it has closed the file. */
  async end(): Promise<void> {
    this.#ending = true
    await this.#worker.terminate()
  }

  #settle(answer: ReadAnswer): void {
    if ('rows' in answer) this.#reading?.resolve(answer)
    else this.#reading?.reject(errorOf(answer))
  }
}

/** The error that the thread met. */
function errorOf({ message, code, errcode }: Exclude<ReadAnswer, { rows: Rows }>): Error {
  // Codes that are not there must not be there as undefined: those of the two databases are told apart by that.
  const codes = { ...(code !== undefined && { code }), ...(errcode !== undefined && { errcode }) }
  return Object.assign(new Error(message), codes)
}

/** @throws StoreError STORE_UNAVAILABLE */
function startWorker(path: string): Worker {
  try {
    // It outlives the request that it is made for.
    return runDetached(
      () => new Worker(program, { workerData: path, resourceLimits: { maxOldGenerationSizeMb: memoryLimit } }),
    )
  } catch (error) {
    throw stopped(error as Error)
  }
}

function startTimer(milliseconds: number, act: () => void): NodeJS.Timeout | undefined {
  return milliseconds === Infinity ? undefined : setTimeout(act, milliseconds)
}

function tookTooLong(): StoreError {
  return errors.STORE_UNAVAILABLE('the statement took longer than a request may take')
}

function stopped(cause: Error | undefined): StoreError {
  return errors.STORE_UNAVAILABLE(`the thread that reads from it has ended (${cause?.message ?? 'it was stopped'})`, {
    cause,
  })
}
