import type { AnyPlugin } from '../../../kernel/index.ts'
import { PluginMigrations } from './plugin-tables/migrate-plugin.ts'
import type { Store } from './store.ts'
import type { DatabaseImage } from './sqlite/memory-image.ts'
import { createImage } from './sqlite/open.ts'

export { memoryImage, type DatabaseImage } from './sqlite/memory-image.ts'

/**
 * Returns the bytes of an empty database with the tables of the store and of the plugins, for `memoryImage`. Null if
 * Node cannot load a database from bytes (before 26.1).
 */
export function createDatabaseImage(plugins: readonly AnyPlugin[]): Promise<DatabaseImage | null> {
  return createImage((store) => createPluginTables(store, plugins))
}

/** Creates the tables of the plugins in a store. */
export async function createPluginTables(store: Store, plugins: readonly AnyPlugin[]): Promise<void> {
  const tables = new PluginMigrations(store)
  for (const { name, migrations = [] } of plugins) await tables.migrate(name, migrations)
}
