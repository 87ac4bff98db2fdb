import { definePlugin } from '../../../kernel/index.ts'
import { openDatabase } from './open.ts'
import { PluginMigrations } from './plugin-tables/migrate-plugin.ts'
import type { Store } from './store.ts'
// Registers the errors with the plugin.
import './transfer/errors.ts'
import { migrateWord } from './word-migration.ts'

export { expressionBuilder, isExpression, sql } from './kysely.ts'
export { EVERYTHING, type Change, type Facts as ChangeFacts, type StoreChanges } from './changes/change.ts'
export { changeOfRow } from './changes/collect.ts'
export { idsWithAncestors } from './ancestors.ts'
export { orderAsGiven } from './as-given.ts'
export { describeQuery } from './describe-query.ts'
export { isAmong, rowsQuery, valuesQuery, type RowColumns } from './expressions.ts'
export { withoutIndexes } from './indexes.ts'
export { openDatabase } from './open.ts'
export { commentPrefix, postPrefix } from './changes/tags.ts'
export { isStorable, storableText } from './storable.ts'
export { cursorPage, isBehind, type SortColumn } from './keyset.ts'
export type { Loader, LoaderTags } from './loader.ts'
export { loaderOf, rowsOf } from './loaders.ts'
export { real } from './parameters.ts'
export { databaseSize, databaseVersion } from './database-size.ts'
export type { Migrations, SqlWords } from './plugin-tables/migration.ts'
export { PRIVATE_FILE, PRIVATE_FOLDER, warnAboutPermissions } from './private-files.ts'
export { tablePrefix } from './plugin-tables/prefix.ts'
export { removePluginData, type RemovedData } from './plugin-tables/remove-data.ts'
export type * from './schema.ts'
export type { LoadSpan, SqlSpan, TransactionSpan } from './tracing.ts'
/** Loads the functions that copy a database. */
export const loadTransfer = () => import('./transfer/transfer.ts')
export type { TransferOptions, TransferredTable } from './transfer/transfer.ts'
export { isForeignKeyViolation, type SqlQuery, type Statement, type Store } from './store.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * The database, as configured by `database`.
     * @example
     * const { store } = services
     * const rows = await store.all(store.db.selectFrom('posts').select(['id', 'title']).where('author_id', '=', 1))
     * await store.transaction(async (tx) => {
     *   await tx.run(tx.db.updateTable('posts').set({ menu_order: 1 }).where('id', '=', 12))
     * })
     */
    store: Store
  }
}

/** Opens the database and migrates its schema. */
export default definePlugin({
  name: 'store',
  provides: ['store', 'transactions'],
  secrets: ['database'],
  // Migrating a large database takes long.
  deadline: 3600,
  async apply({ config, log, provide, onRemove, giveUp }) {
    const { database, durability, limits } = config
    const store = await openDatabase(database, { time: limits.requestTimeout, durability, log, onLost: giveUp })
    onRemove(() => store.close(), 'database')
    await migrateWord(store, config.word)
    provide('store', store)
    provide('transactions', store)
    provide('migrations', new PluginMigrations(store))
  },
})
