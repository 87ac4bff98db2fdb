import { sql } from './kysely.ts'
import type { Store } from './store.ts'

/** Name under which the options of a database remember its word. */
const OPTION = 'word'
/** The word of a database that remembers none. */
const FIRST_WORD = 'svc'

/**
 * Makes a database speak the word that a site is served with: content types and taxonomies that carry the word are
 * stored by their whole name (`svc_block`), so a database that was made with another word has them renamed, once.
 */
export async function migrateWord(store: Store, word: string): Promise<void> {
  const read = store.db.selectFrom('options').select('value').where('name', '=', OPTION)
  const stored = await store.first(read)
  if (stored?.value === JSON.stringify(word)) return
  await store.inTurn(async (tx) => {
    const known = (await tx.first(read))?.value
    const former = known === undefined ? FIRST_WORD : String(JSON.parse(known))
    const before = `${former}_`
    const renamed = (column: 'type' | 'taxonomy') =>
      sql<string>`cast(${`${word}_`} as text) || substr(${sql.ref(column)}, ${sql.lit(before.length + 1)})`
    const carries = (column: 'type' | 'taxonomy') =>
      sql<boolean>`substr(${sql.ref(column)}, 1, ${sql.lit(before.length)}) = ${before}`
    if (former !== word) {
      const posts = tx.db.updateTable('posts').set({ type: renamed('type') })
      const terms = tx.db.updateTable('terms').set({ taxonomy: renamed('taxonomy') })
      await tx.run(posts.where(carries('type')))
      await tx.run(terms.where(carries('taxonomy')))
    }
    const value = JSON.stringify(word)
    const remember = tx.db.insertInto('options').values({ name: OPTION, value })
    await tx.run(remember.onConflict((on) => on.column('name').doUpdateSet({ value })))
  })
}
