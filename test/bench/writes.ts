import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openStore } from '../../plugins/storage/store/open.ts'
import type { Store } from '../../plugins/storage/store/store.ts'
import { markdownTable } from './table.ts'

const WRITERS = [1, 16]
const SECONDS = 4
const ROUNDS = 3

/**
 * Measures transactions of two statements per second, of one writer and of many concurrent writers, with full and relaxed
 * durability. The stores take turns; the report contains the best round of each.
 * @param database URL of an empty PostgreSQL database; without it, new SQLite files
 */
export async function compareWrites(database?: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-bench-writes-'))
  try {
    const rows = ['full', 'relaxed'].map((durability) => [durability, ...WRITERS.map(() => 0)])
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const row of rows) {
        const durability = row[0] as 'full' | 'relaxed'
        const store = await openStore(database ?? `sqlite:${path.join(folder, `${durability}.db`)}`, { durability })
        for (const [index, writers] of WRITERS.entries()) {
          row[index + 1] = Math.max(Number(row[index + 1]), await rate(store, writers))
        }
        await store.close()
      }
    }
    const head = ['durability', ...WRITERS.map((writers) => `transactions/s, ${writers} at once`)]
    return markdownTable(
      head,
      rows.map((row) => row.map(String)),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function rate(store: Store, writers: number): Promise<number> {
  const { db } = store
  const post = db
    .insertInto('posts')
    .values({ title: 'A title', content: 'Some words. '.repeat(100) })
    .returning('id')
  const end = performance.now() + SECONDS * 1000
  let done = 0
  const write = async () => {
    while (performance.now() < end) {
      await store.transaction(async (tx) => {
        const { id } = (await tx.first(post))!
        await tx.run(db.insertInto('post_meta').values({ post_id: id, key: 'key', value: 'value' }))
      })
      done += 1
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
  return Math.round(done / SECONDS)
}
