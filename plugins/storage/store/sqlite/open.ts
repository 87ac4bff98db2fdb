import { StoreError } from '../errors.ts'
import { migrate } from '../migrations/migrate.ts'
import { createStore } from '../sql-store.ts'
import type { Store, StoreOptions } from '../store.ts'
import { SqliteBackend } from './backend.ts'
import { retryWhileBusy } from './busy.ts'
import { SqliteConnection } from './connection.ts'
import { DatabaseFile, unreadable } from './database-file.ts'
import { memoryImage, type DatabaseImage } from './memory-image.ts'
import { COMMON } from './reader.ts'

/**
 * Opens a SQLite database; see `openStore`. One connection writes to the file, in turns, and another one reads, which
 * sees only committed data. `:memory:` has a single connection, so reads take turns as well.
 *
 * @param path path of the file, or `:memory:`
 */
export async function openSqlite(path: string, options: StoreOptions = {}): Promise<Store> {
  const backend = await makeBackend(path, options)
  try {
    await backend.makeDurable(options.log)
    return createStore(backend)
  } catch (error) {
    await backend.close()
    throw error
  }
}

/** Returns the bytes of an in-memory database after `fill`; null if Node cannot load a database from bytes. */
export async function createImage(fill: (store: Store) => Promise<void>): Promise<DatabaseImage | null> {
  if (!SqliteConnection.hasImages) return null
  const writer = opened(':memory:')
  const store = createStore(await makeBackend(':memory:', {}, writer))
  try {
    await fill(store)
    return writer.image()
  } finally {
    await store.close()
  }
}

async function makeBackend(path: string, options: StoreOptions, connection?: SqliteConnection): Promise<SqliteBackend> {
  const file = path === ':memory:' ? null : await DatabaseFile.create(path)
  const writer = connection ?? opened(path)
  try {
    const image = memoryImage.getStore()
    if (image !== undefined && file === null) writer.loadImage(image)
    await prepare(path, writer)
    await migrate(writer, 'sqlite')
    const openReader = () => openToRead(path)
    const reader = file === null ? writer : await openReader()
    return new SqliteBackend({ writer, reader, openReader, file, options })
  } catch (error) {
    writer.close()
    throw error
  }
}

async function openToRead(path: string): Promise<SqliteConnection> {
  const reader = new SqliteConnection(path, { readOnly: true })
  try {
    await retryWhileBusy(() => reader.exec(COMMON))
    return reader
  } catch (error) {
    reader.close()
    throw error
  }
}

/** @throws StoreError STORE_UNREADABLE */
function opened(path: string): SqliteConnection {
  try {
    return new SqliteConnection(path)
  } catch (error) {
    throw unreadable(path, error as Error)
  }
}

/** Sets up the writing connection. Another process that starts at the same time may have locked the file. */
async function prepare(path: string, writer: SqliteConnection): Promise<void> {
  try {
    await retryWhileBusy(() => writer.exec(COMMON))
    // With the log, readers and the writer do not block each other. The switch itself may find the file locked.
    await retryWhileBusy(() => writer.exec('pragma journal_mode = wal'))
    // Prevents corruption by a power cut; `DatabaseFile` makes commits durable. The larger cache and fewer checkpoints
    // halve the system time of an import.
    writer.exec('pragma synchronous = normal; pragma cache_size = -32000; pragma wal_autocheckpoint = 4000')
  } catch (error) {
    throw error instanceof StoreError ? error : unreadable(path, error as Error)
  }
}
