import type { RawBuilder } from 'kysely'
import { sql } from './kysely.ts'
import type { Store } from './store.ts'

/** Name of the option that stores the word of a database. */
const OPTION = 'word'
/** The word of a database without the option. */
const FIRST_WORD = 'svc'

/** Meta key of the content type or taxonomy that a menu item links to. */
const MENU_ITEM_OBJECT = '_menu_item_object'

type Column = 'type' | 'taxonomy' | 'value'

/**
 * Renames content types and taxonomies that contain the word of the site, such as `svc_block`, also in menu items, in
 * the change log and in webhooks, if the site is configured with another word than the one the database was created
 * with. Content is not changed: blocks find these types under the names of any word (`Branding.ownTypeName`).
 */
export async function migrateWord(store: Store, word: string): Promise<void> {
  const read = store.db.selectFrom('options').select('value').where('name', '=', OPTION)
  const stored = await store.first(read)
  if (stored?.value === JSON.stringify(word)) return
  await store.inTurn(async (tx) => {
    const storedJson = (await tx.first(read))?.value
    const former = storedJson === undefined ? FIRST_WORD : String(JSON.parse(storedJson))
    const before = `${former}_`
    const renamed = (column: Column) =>
      sql<string>`cast(${`${word}_`} as text) || substr(${sql.ref(column)}, ${sql.lit(before.length + 1)})`
    const carries = (column: Column) =>
      sql<boolean>`substr(${sql.ref(column)}, 1, ${sql.lit(before.length)}) = ${before}`
    // Quoted names in JSON texts.
    const inList = (json: RawBuilder<unknown>) =>
      sql<string>`replace(${json}, cast(${`"${before}`} as text), cast(${`"${word}_`} as text))`
    const renamedIn = (column: 'before' | 'after') => inList(sql.ref(column))
    // Tags contain names after a colon or an equals sign: `posts:type=svc_block`.
    const inTags = [':', '='].reduce<RawBuilder<string>>(
      (tags, mark) => sql`replace(${tags}, cast(${mark + before} as text), cast(${`${mark}${word}_`} as text))`,
      sql.ref('tags'),
    )
    if (former !== word) {
      const posts = tx.db.updateTable('posts').set({ type: renamed('type') })
      const terms = tx.db.updateTable('terms').set({ taxonomy: renamed('taxonomy') })
      await tx.run(posts.where(carries('type')))
      await tx.run(terms.where(carries('taxonomy')))
      const meta = tx.db.updateTable('post_meta').set({ value: renamed('value') })
      await tx.run(meta.where('key', '=', MENU_ITEM_OBJECT).where(carries('value')))
      // Change feeds show former changes under the new names, to the users who may read these types.
      const changes = tx.db.updateTable('changes')
      await tx.run(
        changes
          .set({ type: renamed('type'), before: renamedIn('before'), after: renamedIn('after') })
          .where(carries('type')),
      )
      await tx.run(tx.db.updateTable('changes').set({ tags: inTags }).where('tags', 'like', `%${before}%`))
      await tx.run(tx.db.updateTable('webhooks').set({ types: inList(sql.ref('types')) }))
    }
    const value = JSON.stringify(word)
    const remember = tx.db.insertInto('options').values({ name: OPTION, value })
    await tx.run(remember.onConflict((on) => on.column('name').doUpdateSet({ value })))
  })
}
