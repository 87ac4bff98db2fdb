import { currentWork, Semaphore, type WaitOptions } from '../../../../kernel/index.ts'
import { errors, tooMany, type StoreError } from '../errors.ts'
import type { Executor, ReadRow } from '../backend.ts'
import type { FreeThreads } from './free-threads.ts'
import type { ReadTask } from './read-thread.ts'
import { toObjects, type Rows } from './reader.ts'
import type { Value } from '../parameters.ts'

/** How many statements wait for one at most. */
const queueLimit = 100
/** Milliseconds that a statement nobody waits for any more may go on: most end by themselves, and a thread is costly to make. */
const grace = 100

export interface ReadThreadsOptions {
  /** Threads that nobody needs; others have them as well. */
  free: FreeThreads
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
  readonly #underWay = new Set<Promise<void>>()
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
    await this.#options.free.end()
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
    const thread = this.#options.free.take()
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
      else this.#options.free.keep(thread)
    }
  }
}

function startTimer(milliseconds: number, act: () => void): NodeJS.Timeout | undefined {
  return milliseconds === Infinity ? undefined : setTimeout(act, milliseconds)
}

function tookTooLong(): StoreError {
  return errors.STORE_UNAVAILABLE('the statement took longer than a request may take')
}
