// Program of the thread that reads from a SQLite database: receives one statement at a time and returns its rows. Has
// few imports, because the thread loads all of them.
import { parentPort, workerData } from 'node:worker_threads'
import type { ReadStatement } from '../backend.ts'
import { COMMON, SqliteReader, type Rows } from './reader.ts'

export interface ReadTask extends ReadStatement {
  readonly kind: 'all' | 'first'
}

/** The rows, or the parts of an error: an error posted to another thread would lose its codes. */
export type ReadResult =
  Rows | { readonly message: string; readonly code: string | undefined; readonly errcode: number | undefined }

let reader: SqliteReader | undefined

parentPort!.on('message', (task: ReadTask) => {
  parentPort!.postMessage(execute(task))
})

function execute({ sql, values, kind }: ReadTask): ReadResult {
  try {
    reader ??= opened(workerData as string)
    return kind === 'all' ? reader.rows(sql, values) : reader.firstRow(sql, values)
  } catch (error) {
    const { message, code, errcode } = error as Error & { code?: string; errcode?: number }
    return { message, code, errcode }
  }
}

function opened(path: string): SqliteReader {
  const created = new SqliteReader(path, { readOnly: true })
  try {
    created.exec(`${COMMON}; pragma cache_size = -4000`)
    return created
  } catch (error) {
    created.close()
    throw error
  }
}
