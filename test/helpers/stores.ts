import { randomBytes } from 'node:crypto'
import { accessSync, constants, statfsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createPluginTables } from '../../plugins/storage/store/images.ts'
import { openStore } from '../../plugins/storage/store/open.ts'
import type { Store } from '../../plugins/storage/store/store.ts'

/** An open store on a database of its own, which disposal removes. */
export interface OpenedStore {
  readonly store: Store
  /** What `openStore` was given. */
  readonly url: string
  [Symbol.asyncDispose](): Promise<void>
}

/** A kind of store to run a suite against. */
export interface StoreKind {
  readonly name: string
  open(): Promise<OpenedStore>
}

/** A place for a database that is not there yet. */
export interface Place {
  readonly url: string
  [Symbol.asyncDispose](): Promise<void>
}

/** The same place for one of several sites: it is still there when the site has ended. */
export const shared =
  ({ url }: Place): (() => Promise<Place>) =>
  async () => ({ url, async [Symbol.asyncDispose]() {} })

/** A file system in memory, on Linux: no test database has to survive a power cut. */
const MEMORY_FOLDER = '/dev/shm'
/** Bytes that it must have free. Containers have 64 MB there by default, which the databases of two processes can fill. */
const MIN_FREE_BYTES = 1e9

const folderOfFiles = hasRoom(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir()

/** Whether the tests may write databases to a folder. */
function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= MIN_FREE_BYTES
  } catch {
    return false
  }
}

/** A SQLite file that is not there yet, in a folder of its own. */
export async function emptyFilePlace(): Promise<Place> {
  const folder = await mkdtemp(join(folderOfFiles, 'store-test-'))
  return {
    url: `sqlite:${join(folder, 'site.db')}`,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

/** A SQLite file with the tables of an empty site: a copy of one, which takes a fifth of the time. */
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

/** Makes the tables of an empty site: those of the store, and those of the plugins that come along. */
async function makeTables({ url }: Place): Promise<void> {
  const { defaults } = await import('../../plugins/index.ts')
  const store = await openStore(url)
  await createPluginTables(store, defaults)
  await store.close()
}

/** The file of a SQLite database. */
export const fileOf = ({ url }: Place) => url.slice('sqlite:'.length)

async function memoryPlace(): Promise<Place> {
  return { url: 'sqlite::memory:', async [Symbol.asyncDispose]() {} }
}

/** A PostgreSQL database without anything in it, on the server that the URL names. */
export function emptyPostgresPlace(server: string): Promise<Place> {
  return createDatabase(server, "template template0 encoding 'UTF8'")
}

/** A PostgreSQL database with the tables of an empty site: copied from one, which takes a third of the time. */
export async function postgresPlace(server: string): Promise<Place> {
  postgresTemplate ??= makePostgresTemplate(server)
  return createDatabase(server, `template ${new URL(await postgresTemplate).pathname.slice(1)}`)
}

let postgresTemplate: Promise<string> | undefined

/** Makes what databases are copied from; it is dropped when all tests are done. */
async function makePostgresTemplate(server: string): Promise<string> {
  const place = await emptyPostgresPlace(server)
  process.once('beforeExit', () => void place[Symbol.asyncDispose]())
  await makeTables(place)
  return place.url
}

/** Where databases of tests are kept; '' for where the server keeps others. */
const tablespace = process.env['SVC_TEST_TABLESPACE'] ?? ''

/** A server on which databases are made and dropped, over one connection: to open one takes as long as to copy a database. */
class DatabaseServer {
  readonly #pool: pg.Pool
  readonly #options: Promise<string>

  constructor(url: string) {
    this.#pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
    // A connection that is lost is followed by another.
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
    // From version 15 on a copy is written to the log as well, which takes twice the time.
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
  // What a test writes need not outlive a power cut.
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
 * Kinds of databases to run a suite against: those of SQLite, and PostgreSQL where SVC_TEST_POSTGRES names a server, as
 * `postgres://user@host/database`; that one alone in a run with `--postgres`.
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
