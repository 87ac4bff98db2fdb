import { runDetached } from '../../../../kernel/index.ts'
import type { Connection } from '../backend.ts'

/** Posts indexed in one go. */
const batchSize = 32
/** Bytes of text indexed in one go, which takes some 10 ms; a post that is longer is indexed alone. */
const batchBytes = 65_536
/** Milliseconds from a write to the first batch. */
const wakeDelay = 1000
/** How many times as long as a batch took the pause after it lasts. */
const restFactor = 4
/** How many trigrams of a long text are looked up; the rest is left to the comparison. */
const trigramLimit = 40

/**
 * Keeps the trigram indexes behind `searchPosts()` and `findPosts()`. Triggers queue the ids of posts that changed, and this works the
 * queue off in the background: indexing 3 kB takes 0.2 ms in a batch and four times that within each write. A search
 * treats queued posts as candidates, so no result waits for the index.
 */
export class TextIndex {
  readonly #withConnection: <T>(use: (connection: Connection) => Promise<T>) => Promise<T>
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  /** @param withConnection gives the writing connection to one caller at a time */
  constructor(withConnection: <T>(use: (connection: Connection) => Promise<T>) => Promise<T>) {
    this.#withConnection = withConnection
  }

  /** Lets the index catch up soon. */
  wake(): void {
    this.#schedule(wakeDelay)
  }

  /** Leaves the rest of the queue to the next process that opens the file. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #schedule(milliseconds: number): void {
    if (this.#stopped || this.#timer) return
    // Whoever writes does not wait for it.
    this.#timer = runDetached(() => setTimeout(() => void this.#work(), milliseconds).unref())
  }

  async #work(): Promise<void> {
    // A file locked by another process, or a full disk, is met again and told by the next write.
    const milliseconds = await this.#withConnection(indexBatch).catch(() => undefined)
    this.#timer = undefined
    if (milliseconds !== undefined) this.#schedule(milliseconds * restFactor)
  }
}

/** Indexes some of the posts that are queued; returns how many milliseconds that took, undefined without any. */
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

/** As many of the posts that are queued as are indexed in one go. */
async function nextInQueue(connection: Connection): Promise<unknown[]> {
  const lengths = 'octet_length(title) + octet_length(excerpt) + octet_length(content)'
  const queued = await connection.all(
    `select post_id, coalesce((select ${lengths} from posts where id = post_id), 0) as bytes from posts_text_queue limit ?`,
    [batchSize],
  )
  let bytes = 0
  const rest = queued.findIndex((row, index) => (bytes += Number(row.bytes)) > batchBytes && index > 0)
  return queued.slice(0, rest === -1 ? undefined : rest).map((row) => row.post_id)
}

/**
 * What to ask the index for posts that have all of some texts: `match` in the language of FTS5, and `scan` where they are
 * too short for it and every post has to be read.
 */
export function textQuery(texts: readonly string[]): { match: string; scan: boolean } {
  const trigrams = new Set<string>()
  for (const text of texts) {
    const characters = Array.from(text.replaceAll('\0', ''))
    for (let i = 0; i + 3 <= characters.length && trigrams.size < trigramLimit; i++) {
      const trigram = characters.slice(i, i + 3).join('')
      trigrams.add(`"${trigram.replaceAll('"', '""')}"`)
    }
  }
  // An empty phrase is found nowhere.
  return trigrams.size > 0 ? { match: [...trigrams].join(' AND '), scan: false } : { match: '""', scan: true }
}
