import { runDetached } from '../../../../kernel/index.ts'
import type { Connection } from '../backend.ts'

/** Posts indexed in one transaction. */
const POSTS_PER_BATCH = 32
/** Bytes of text indexed in one transaction, which takes about 10 ms. A longer post is indexed alone. */
const BYTES_PER_BATCH = 65_536
/** Milliseconds from a write to the first batch. */
const WAKE_DELAY_MS = 1000
/** The pause after a batch, as a multiple of its duration. */
const REST_FACTOR = 4
/** Trigrams of a long text that are looked up; the comparison checks the rest. */
const MAX_TRIGRAMS = 40

/**
 * Updates the trigram indexes behind `searchPosts()` and `findPosts()`. Triggers queue the IDs of changed posts; a
 * background task indexes them: 3 kB take 0.2 ms in a batch, and four times as long within each write. Searches treat
 * queued posts as candidates, so results are complete while the index lags.
 */
export class TextIndex {
  readonly #withConnection: <T>(use: (connection: Connection) => Promise<T>) => Promise<T>
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  /** @param withConnection lends the writing connection to one caller at a time */
  constructor(withConnection: <T>(use: (connection: Connection) => Promise<T>) => Promise<T>) {
    this.#withConnection = withConnection
  }

  /** Schedules the next batch. */
  wake(): void {
    this.#schedule(WAKE_DELAY_MS)
  }

  /** Stops indexing. The next process that opens the file continues with the queue. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #schedule(milliseconds: number): void {
    if (this.#stopped || this.#timer) return
    // Detached from the request: writers do not wait for it.
    this.#timer = runDetached(() => setTimeout(() => void this.#work(), milliseconds).unref())
  }

  async #work(): Promise<void> {
    // Ignores errors: the next write reports a locked file or a full disk.
    const milliseconds = await this.#withConnection(indexBatch).catch(() => undefined)
    this.#timer = undefined
    if (milliseconds !== undefined) this.#schedule(milliseconds * REST_FACTOR)
  }
}

/** Indexes one batch of queued posts. Returns its duration in milliseconds, or undefined if the queue is empty. */
async function indexBatch(connection: Connection): Promise<number | undefined> {
  const start = performance.now()
  const ids = (await nextInQueue(connection)).join()
  if (ids === '') return undefined
  await connection.begin()
  try {
    await connection.exec(`delete from posts_text where rowid in (${ids});
      delete from posts_brief where rowid in (${ids});
      insert into posts_text (rowid, title, excerpt, content)
        select id, title, excerpt, content from posts where id in (${ids});
      insert into posts_brief (rowid, title, excerpt) select id, title, excerpt from posts where id in (${ids});
      delete from posts_text_queue where post_id in (${ids})`)
    await connection.commit()
  } catch (error) {
    await connection.rollback()
    throw error
  }
  return performance.now() - start
}

/** Returns the IDs of the next batch. */
async function nextInQueue(connection: Connection): Promise<unknown[]> {
  const lengths = 'octet_length(title) + octet_length(excerpt) + octet_length(content)'
  const queued = await connection.all(
    `select post_id, coalesce((select ${lengths} from posts where id = post_id), 0) as bytes from posts_text_queue limit ?`,
    [POSTS_PER_BATCH],
  )
  let bytes = 0
  const rest = queued.findIndex((row, index) => (bytes += Number(row.bytes)) > BYTES_PER_BATCH && index > 0)
  return queued.slice(0, rest === -1 ? undefined : rest).map((row) => row.post_id)
}

/**
 * Returns the query of the text index for posts that contain all texts: `match` in the syntax of FTS5, and `scan` if
 * the texts are too short for it and every post must be read.
 */
export function textQuery(texts: readonly string[]): { match: string; scan: boolean } {
  const trigrams = new Set<string>()
  for (const text of texts) {
    const characters = Array.from(text.replaceAll('\0', ''))
    for (let i = 0; i + 3 <= characters.length && trigrams.size < MAX_TRIGRAMS; i++) {
      const trigram = characters.slice(i, i + 3).join('')
      trigrams.add(`"${trigram.replaceAll('"', '""')}"`)
    }
  }
  // An empty phrase matches nothing.
  return trigrams.size > 0 ? { match: [...trigrams].join(' AND '), scan: false } : { match: '""', scan: true }
}
