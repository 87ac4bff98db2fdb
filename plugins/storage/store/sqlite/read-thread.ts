// The program of a thread that reads from a SQLite database: gets one statement at a time, returns its rows. It loads no
// more than that takes, for each thread has a copy of what it loads.
import { parentPort, workerData } from 'node:worker_threads'
import { COMMON, SqliteReader, type Rows } from './reader.ts'
import type { ReadStatement } from '../backend.ts'

export interface ReadTask extends ReadStatement {
  readonly kind: 'all' | 'first'
}

/** What became of it. Errors are taken apart: what crosses to another thread as an error has lost its codes. */
export type ReadResult =
  /** `took` so many milliseconds, what others did on the machine meanwhile left out. */
  | { readonly rows: Rows; readonly took: number }
  | { readonly message: string; readonly code: string | undefined; readonly errcode: number | undefined }

/** Milliseconds from which on a statement is slow, whatever the reason. */
const SURELY_SLOW = 250

let reader: SqliteReader | undefined

parentPort!.on('message', (task: ReadTask) => {
  parentPort!.postMessage(execute(task))
})

function execute({ sql, values, kind }: ReadTask): ReadResult {
  try {
    reader ??= opened(workerData as string)
    const [start, before] = [performance.now(), process.threadCpuUsage()]
    const rows = kind === 'all' ? reader.rows(sql, values) : reader.firstRow(sql, values)
    const { user, system } = process.threadCpuUsage(before)
    const took = performance.now() - start
    // A machine that is busy otherwise makes everything slow; a disk may make a statement very slow.
    return { rows, took: took > SURELY_SLOW ? took : (user + system) / 1000 }
  } catch (error) {
    const { message, code, errcode } = error as Error & { code?: string; errcode?: number }
    return { message, code, errcode }
  }
}

function opened(path: string): SqliteReader {
  const made = new SqliteReader(path, { readOnly: true })
  try {
    made.exec(`${COMMON}; pragma cache_size = -4000`)
    return made
  } catch (error) {
    made.close()
    throw error
  }
}
