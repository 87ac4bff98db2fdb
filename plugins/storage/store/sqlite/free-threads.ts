import type { Worker } from 'node:worker_threads'
import { moduleUrl, runDetached, startThread } from '../../../../kernel/index.ts'
import { errors, type StoreError } from '../errors.ts'
import type { ReadResult, ReadTask } from './read-thread.ts'
import type { Rows } from './reader.ts'

/**
 * Megabytes that a thread may use for JavaScript. All texts that a statement hands to a function are kept until it ends: 4 MB
 * for each thousand posts of 3 kB. A statement that needs more fails; it would have ended the process otherwise.
 */
const memoryLimit = 512
/** Milliseconds for which one thread is kept that nobody needs, and others beside it: each takes 10 MB. */
const idleTime = 30_000
const surplusTime = 2000
const program = moduleUrl('./read-thread', import.meta.url)

/** Threads that nobody needs at the moment, for whoever needs one next. */
export class FreeThreads {
  readonly #path: string
  readonly #free: { thread: ReadThread; timer: NodeJS.Timeout }[] = []

  /** @param path of the database file that they read from */
  constructor(path: string) {
    this.#path = path
  }

  /** The one that was needed last, or a new one. */
  take(): ReadThread {
    const last = this.#free.pop()
    clearTimeout(last?.timer)
    return last?.thread ?? new ReadThread(this.#path)
  }

  /** Keeps a thread for a while. */
  keep(thread: ReadThread): void {
    const wait = this.#free.length === 0 ? idleTime : surplusTime
    const end = () => {
      this.#free.splice(this.#free.indexOf(free), 1)
      void thread.end()
    }
    const free = { thread, timer: runDetached(() => setTimeout(end, wait).unref()) }
    this.#free.push(free)
  }

  async end(): Promise<void> {
    const all = this.#free.splice(0)
    for (const { timer } of all) clearTimeout(timer)
    await Promise.all(all.map(({ thread }) => thread.end()))
  }
}

/** One thread, which executes one statement at a time. */
class ReadThread {
  readonly #worker: Worker
  #reading: PromiseWithResolvers<{ rows: Rows; took: number }> | undefined
  #failure: Error | undefined
  /** Whether it executes nothing any more. */
  ending = false

  constructor(path: string) {
    this.#worker = startWorker(path)
    this.#worker.unref()
    this.#worker.on('message', (result: ReadResult) => this.#settle(result))
    this.#worker.on('error', (error: Error) => (this.#failure = error))
    this.#worker.on('exit', () => {
      this.ending = true
      this.#reading?.reject(stopped(this.#failure))
    })
  }

  async read(task: ReadTask): Promise<{ rows: Rows; took: number }> {
    this.#reading = Promise.withResolvers()
    // The process waits for the result, but not for a thread that has nothing to do.
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
    this.ending = true
    await this.#worker.terminate()
  }

  #settle(result: ReadResult): void {
    if ('rows' in result) this.#reading?.resolve(result)
    else this.#reading?.reject(errorOf(result))
  }
}

/** The error that the thread met. */
function errorOf({ message, code, errcode }: Exclude<ReadResult, { rows: Rows }>): Error {
  // Codes that are not there must not be there as undefined: those of the two databases are told apart by that.
  const codes = { ...(code !== undefined && { code }), ...(errcode !== undefined && { errcode }) }
  return Object.assign(new Error(message), codes)
}

/** @throws StoreError STORE_UNAVAILABLE */
function startWorker(path: string): Worker {
  try {
    return startThread(program, memoryLimit, path)
  } catch (error) {
    throw stopped(error as Error)
  }
}

function stopped(cause: Error | undefined): StoreError {
  return errors.STORE_UNAVAILABLE(`the thread that reads from it has ended (${cause?.message ?? 'it was stopped'})`, {
    cause,
  })
}
