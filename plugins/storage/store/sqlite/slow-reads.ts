import type { ReadStatement } from '../backend.ts'
import type { Value } from '../parameters.ts'
import { SlowSql } from '../slow-sql.ts'
import { FreeThreads } from './free-threads.ts'
import { ReadThreads } from './read-threads.ts'

/** Milliseconds from which on a statement is too long for others to wait behind it. */
const slowTime = 20
/** Milliseconds from which on it is, however busy the machine may be otherwise. */
const surelySlow = 250
/** Threads for what is slow, and for what has to show whether it is. */
const threads = { slow: 2, untried: 1 }
/** Bytes of a file below which no statement takes very long, unless it looks for text. */
const largeFile = 32 * 1024 * 1024
/** Milliseconds for which the size of the file is taken for the same. */
const sizeMemory = 10_000
/** From here on a list is read from far behind, and a value is a list of very many. */
const far = { offset: 1000, length: 500 }

/** Which reads of a database file are slow, and the threads that execute them. */
export class SlowReads {
  readonly #known = new SlowSql(searchesText)
  readonly #slow: ReadThreads
  readonly #untried: ReadThreads
  readonly #fileSize: () => number
  #size = { large: false, until: 0 }

  /** @param time milliseconds that a statement may take; @param fileSize reads how many bytes the file has */
  constructor(path: string, time = Infinity, fileSize: () => number) {
    const common = { free: new FreeThreads(path), time, onRead: this.#noteThreadTime }
    this.#slow = new ReadThreads({ ...common, threads: threads.slow })
    this.#untried = new ReadThreads({ ...common, threads: threads.untried })
    this.#fileSize = fileSize
  }

  /**
   * Where a statement is executed that might take long. In a small file that is one that looks for text, or has taken long. In a
   * large one each has to show first that it is quick, and those that count up to far rows, or are about very many, do so each
   * time; they have a thread that no search keeps busy.
   */
  threadsFor({ sql, values }: ReadStatement, now: number): ReadThreads | undefined {
    if (this.#known.has(sql)) return this.#slow
    if (this.#known.isSuspect(sql)) return this.#untried
    if (!this.#isLarge(now)) return undefined
    return !this.#known.isQuick(sql) || goesFar(sql, values) ? this.#untried : undefined
  }

  #isLarge(now: number): boolean {
    if (now > this.#size.until) this.#size = { large: this.#fileSize() >= largeFile, until: now + sizeMemory }
    return this.#size.large
  }

  /** Notes how long a read took on the loop, where a machine that is busy with something else counts too. */
  recordTime(sql: string, took: number): void {
    if (took > surelySlow) this.#known.note(sql)
    else if (took > slowTime) this.#known.markSuspect(sql)
  }

  /** Notes how long a read took in a thread, which tells it from what others did meanwhile. */
  readonly #noteThreadTime = (sql: string, took: number): void => {
    if (took > slowTime) this.#known.note(sql)
    else this.#known.markQuick(sql)
  }

  /** Waits for what is under way and ends the threads. A later read makes others. */
  async end(): Promise<void> {
    await Promise.all([this.#slow.end(), this.#untried.end()])
  }

  /** The same, and no later read makes others. */
  async close(): Promise<void> {
    await Promise.all([this.#slow.close(), this.#untried.close()])
  }
}

/** Whether a statement looks for text: then it reads as many rows as there are, unless there is an index for it. */
function searchesText(sql: string): boolean {
  return /text_contains\(|\bposts_(?:text|brief)\b| like /.test(sql)
}

/** Whether a statement skips many rows, or has a value that lists very many. */
function goesFar(sql: string, values: readonly Value[]): boolean {
  let numbers = false
  for (const value of values) {
    if (typeof value === 'string' && value.length > far.length) return true
    numbers ||= typeof value === 'number' && value > far.offset
  }
  return numbers && sql.includes(' offset ')
}
