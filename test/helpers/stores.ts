import { randomBytes } from 'node:crypto'
import { accessSync, constants, statfsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createPluginTables } from '../../plugins/storage/store/images.ts'
import { openStore } from '../../plugins/storage/store/open.ts'
import type { Store } from '../../plugins/storage/store/store.ts'

/** An open store on a separate database, which disposal removes. */
export interface OpenedStore {
  readonly store: Store
  /** The URL passed to `openStore`. */
  readonly url: string
  [Symbol.asyncDispose](): Promise<void>
}

/** A kind of store to run a suite against. */
export interface StoreKind {
  readonly name: string
  open(): Promise<OpenedStore>
}

/** The place of a database that does not exist yet. */
export interface Place {
  readonly url: string
  [Symbol.asyncDispose](): Promise<void>
}

/** The same place without its disposal, for one of several sites that share it. */
export const shared =
  ({ url }: Place): (() => Promise<Place>) =>
  async () => ({ url, async [Symbol.asyncDispose]() {} })

/** The file system in memory of Linux: test databases need not survive a power failure. */
const MEMORY_FOLDER = '/dev/shm'
/** Required free bytes. Containers have 64 MB by default, which the databases of two processes can fill. */
const MIN_FREE_BYTES = 1e9

const folderOfFiles = hasRoom(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir()

/** Whether a folder is writable and has enough room for test databases. */
function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= MIN_FREE_BYTES
  } catch {
    return false
  }
}

/** Returns the path of a new SQLite file in a separate folder. */
export async function emptyFilePlace(): Promise<Place> {
  const folder = await mkdtemp(join(folderOfFiles, 'store-test-'))
  return {
    url: `sqlite:${join(folder, 'site.db')}`,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

/** Returns a SQLite file with the tables of an empty site: copies one, which takes a fifth of the time. */
export async function filePlace(): Promise<Place> {
  fileTemplate ??= makeFileTemplate()
  const place = await emptyFilePlace()
  await writeFile(fileOf(place), await fileTemplate)
  return place
}

let fileTemplate: Promise<Buffer> | undefined

async function makeFileTemplate(): Promise<Buffer> {
  await using place = await emptyFilePlace()
  await makeTables(place)
  return await readFile(fileOf(place))
}

/** Creates the tables of an empty site: those of the store and the default plugins. */
async function makeTables({ url }: Place): Promise<void> {
  const { defaults } = await import('../../plugins/index.ts')
  const store = await openStore(url)
  // Optional plugins create their tables when they start.
  await createPluginTables(
    store,
    defaults.filter((plugin) => !('startsIf' in plugin)),
  )
  await store.close()
}

/** Returns the file of a SQLite database. */
export const fileOf = ({ url }: Place) => url.slice('sqlite:'.length)

async function memoryPlace(): Promise<Place> {
  return { url: 'sqlite::memory:', async [Symbol.asyncDispose]() {} }
}

/** Creates an empty PostgreSQL database on a server. */
export function emptyPostgresPlace(server: string): Promise<Place> {
  return createDatabase(server, "template template0 encoding 'UTF8'")
}

/** Creates a PostgreSQL database with the tables of an empty site: copies one, which takes a third of the time. */
export async function postgresPlace(server: string): Promise<Place> {
  postgresTemplate ??= makePostgresTemplate(server)
  return createDatabase(server, `template ${new URL(await postgresTemplate).pathname.slice(1)}`)
}

let postgresTemplate: Promise<string> | undefined

/** Creates the template from which databases are copied. It is dropped after all tests. */
async function makePostgresTemplate(server: string): Promise<string> {
  const place = await emptyPostgresPlace(server)
  process.once('beforeExit', () => void place[Symbol.asyncDispose]())
  await makeTables(place)
  return place.url
}

/** Tablespace of the test databases; '' for the default of the server. */
const tablespace = process.env['SVC_TEST_TABLESPACE'] ?? ''

/** Creates and drops databases on a server over one connection: opening one takes as long as copying a database. */
class DatabaseServer {
  readonly #pool: pg.Pool
  readonly #options: Promise<string>

  constructor(url: string) {
    this.#pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
    // The pool replaces a lost connection.
    this.#pool.on('error', () => {})
    this.#options = this.#creationOptions()
  }

  async create(name: string, how: string): Promise<void> {
    await this.#pool.query(`create database ${name} ${how} ${await this.#options}`)
  }

  async drop(name: string): Promise<void> {
    await this.#pool.query(`drop database ${name} with (force)`)
  }

  async #creationOptions(): Promise<string> {
    const { rows } = await this.#pool.query<{ version: string }>(
      "select current_setting('server_version_num') as version",
    )
    // The default strategy of version 15 and later also writes the copy to the WAL, which takes twice the time.
    const strategy = Number(rows[0]!.version) >= 150_000 ? 'strategy file_copy' : ''
    return `${tablespace === '' ? '' : `tablespace ${tablespace}`} ${strategy}`
  }
}

const servers = new Map<string, DatabaseServer>()

async function createDatabase(url: string, how: string): Promise<Place> {
  const server = servers.get(url) ?? new DatabaseServer(url)
  servers.set(url, server)
  const name = `svc_test_${randomBytes(6).toString('hex')}`
  await server.create(name, how)
  const place = new URL(url)
  place.pathname = `/${name}`
  // Writes of a test need not survive a power failure.
  place.searchParams.set('options', '-c synchronous_commit=off')
  return { url: place.href, [Symbol.asyncDispose]: () => server.drop(name) }
}

async function openAt(place: Place): Promise<OpenedStore> {
  try {
    const store = await openStore(place.url)
    return {
      store,
      url: place.url,
      async [Symbol.asyncDispose]() {
        await store.close()
        await place[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await place[Symbol.asyncDispose]()
    throw error
  }
}

const server = process.env['SVC_TEST_POSTGRES']

/**
 * Returns the kinds of databases to run a suite against: SQLite, and PostgreSQL if SVC_TEST_POSTGRES contains the URL of a
 * server, such as `postgres://user@host/database`; only PostgreSQL in a run with `--postgres`.
 */
export function kindsOf<T>(sqlite: readonly T[], postgres: (server: string) => T): readonly T[] {
  if (!server) return sqlite
  return process.env['SVC_TEST_POSTGRES_ALONE'] ? [postgres(server)] : [...sqlite, postgres(server)]
}

/** Every kind of store. */
export const stores: readonly StoreKind[] = kindsOf(
  [
    { name: 'SQLite file', open: async () => openAt(await filePlace()) },
    { name: 'SQLite memory', open: async () => openAt(await memoryPlace()) },
  ],
  (server) => ({ name: 'PostgreSQL', open: async () => openAt(await postgresPlace(server)) }),
)

/** Every kind of database to serve a site from. */
export const places: readonly { name: string; make: () => Promise<Place> }[] = kindsOf(
  [{ name: 'SQLite', make: memoryPlace }],
  (server) => ({ name: 'PostgreSQL', make: () => postgresPlace(server) }),
)
