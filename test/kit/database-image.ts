import type { AnyPlugin } from '../../kernel/index.ts'
import { createDatabaseImage, memoryImage, type DatabaseImage } from '../../plugins/storage/store/images.ts'

/** The database of an empty site, created once per process; null if this Node cannot load a database from bytes. */
let image: Promise<DatabaseImage | null> | undefined

/**
 * Runs `start` so that the in-memory databases it opens already have the tables of the plugins, which saves most of the
 * time of a start.
 */
export async function withTables<T>(
  plugins: readonly AnyPlugin[],
  database: string,
  start: () => Promise<T>,
): Promise<T> {
  if (database !== 'sqlite::memory:') return start()
  // Optional plugins create their tables when they start.
  image ??= createDatabaseImage(plugins.filter((plugin) => !('startsIf' in plugin)))
  const bytes = await image
  return bytes === null ? start() : memoryImage.run(bytes, start)
}
