import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf, RestError, type Migration } from '../../../../kernel/index.ts'
import { shapeMistake, type Shapes } from '../../../library/advice/index.ts'
import { EVERYTHING } from '../changes/change.ts'
import { isStorable } from '../storable.ts'
import { StoreError, type Store } from '../store.ts'
import { controlIn } from './control-words.ts'
import { errors } from './errors.ts'
import { databaseObjects, type DatabaseObject } from './objects.ts'
import type { Migrations, SqlWords } from './migration.ts'
import { tablePrefix } from './prefix.ts'

/** Milliseconds to wait for other processes that are migrating the database. */
const MAX_WAIT_MS = 3_600_000
/** Milliseconds between two attempts to get a turn. */
const RETRY_DELAY_MS = 200

const SHAPES: Shapes<Migration> = { name: 'text', sql: ['text', 'function', 'object'], run: 'function' }
/** Property names of other migration tools, for hints. */
const KEY_SYNONYMS = { up: 'sql', query: 'sql', statements: 'sql', id: 'name', title: 'name', execute: 'run' }

interface Applied {
  readonly plugin: string
  readonly name: string
  readonly hash: string
}

/** Runs the migrations of plugins and records them in the table `plugin_migrations`. */
export class PluginMigrations implements Migrations {
  readonly #store: Store
  /** The migrations that had run when the site started, read once for all plugins. */
  #applied: Promise<readonly Applied[]> | undefined
  /** Migrations of the plugins that have started, by plugin. */
  readonly #started = new Map<string, readonly Migration[]>()

  constructor(store: Store) {
    this.#store = store
  }

  /** @throws MIGRATION_* */
  async migrate(plugin: string, migrations: readonly Migration[]): Promise<void> {
    this.#started.set(plugin, migrations)
    const steps = new Steps(plugin, migrations, this.#store.dialect)
    const applied = await (this.#applied ??= appliedIn(this.#store))
    if (steps.after(applied) === undefined) return
    this.#applied = undefined
    while (await this.#next(steps));
  }

  async createTables(store: Store): Promise<void> {
    const others = new PluginMigrations(store)
    for (const [plugin, migrations] of this.#started) await others.migrate(plugin, migrations)
  }

  /** Runs the next migration; returns false after the last one. */
  async #next(steps: Steps): Promise<boolean> {
    const until = performance.now() + MAX_WAIT_MS
    for (;;) {
      let hasStarted = false
      try {
        return await this.#store.inTurn((tx) => {
          hasStarted = true
          return runNext(tx, steps)
        })
      } catch (error) {
        const isBusy = error instanceof StoreError && error.code === 'STORE_BUSY'
        if (!isBusy || hasStarted || performance.now() > until) throw error
        await delay(RETRY_DELAY_MS)
      }
    }
  }
}

/** The migrations of a plugin, as its author wrote them. */
class Steps {
  readonly plugin: string
  readonly words: SqlWords
  readonly #migrations: readonly Migration[]

  /** @throws MIGRATION_INVALID, MIGRATION_NAME_TAKEN */
  constructor(plugin: string, migrations: readonly Migration[], dialect: Store['dialect']) {
    this.plugin = plugin
    this.words = { ...WORDS[dialect], dialect, prefix: tablePrefix(plugin) }
    this.#migrations = migrations
    for (const [index, migration] of migrations.entries()) {
      const wrong = mistakeIn(migration, dialect)
      if (wrong !== null) throw errors.MIGRATION_INVALID(plugin, shownName(migration, index), wrong)
    }
    const names = migrations.map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) throw errors.MIGRATION_NAME_TAKEN(twice, plugin)
  }

  /**
   * Returns the first migration that has not run, or undefined.
   * @throws MIGRATION_CHANGED, MIGRATION_MOVED, MIGRATION_GONE, MIGRATION_PREFIX_TAKEN
   */
  after(applied: readonly Applied[]): Migration | undefined {
    const { plugin, words } = this
    const other = applied.find((one) => one.plugin !== plugin && tablePrefix(one.plugin) === words.prefix)
    if (other !== undefined) throw errors.MIGRATION_PREFIX_TAKEN(plugin, words.prefix, other.plugin)
    const own = applied.filter((one) => one.plugin === plugin)
    for (const [index, { name, hash }] of own.entries()) {
      const migration = this.#migrations[index]
      if (!this.#migrations.some((one) => one.name === name)) throw errors.MIGRATION_GONE(name, plugin)
      if (migration!.name !== name) throw errors.MIGRATION_MOVED(migration!.name, plugin, name)
      if (hash !== hashOf(this.sqlOf(migration!))) throw errors.MIGRATION_CHANGED(name, plugin)
    }
    return this.#migrations[own.length]
  }

  sqlOf({ sql = '' }: Migration): string {
    if (typeof sql === 'function') return sql(this.words)
    return typeof sql === 'string' ? sql : sql[this.words.dialect]
  }
}

/** Returns the mistake in a migration, or null. Plugins in JavaScript are not type-checked. */
function mistakeIn(migration: Migration, dialect: Store['dialect']): string | null {
  const wrong = shapeMistake(migration, SHAPES, KEY_SYNONYMS)
  if (wrong !== null) return wrong
  const { name, sql, run } = migration
  if (name === undefined || name === '' || !isStorable(name))
    return 'has no name, or a name that a database cannot store'
  if (sql === undefined && run === undefined) return 'has neither sql nor run'
  if (typeof sql === 'object' && typeof sql[dialect] !== 'string') return `has no sql for ${dialect}`
  return null
}

const shownName = (migration: Partial<Migration> | null, index: number) =>
  (migration?.name ?? '') === '' ? `number ${index + 1}` : String(migration!.name)

const WORDS = {
  sqlite: { id: 'integer primary key', integer: 'integer', text: 'text' },
  postgres: {
    id: 'bigint generated by default as identity primary key',
    integer: 'bigint',
    text: 'text collate "C"',
  },
} as const

/** Returns a hash of the SQL without regard to whitespace. It does not cover `run`. */
function hashOf(sql: string): string {
  return createHash('sha256').update(sql.trim().replaceAll(/\s+/g, ' ')).digest('hex').slice(0, 32)
}

function appliedIn(store: Store): Promise<Applied[]> {
  return store.all(store.db.selectFrom('plugin_migrations').select(['plugin', 'name', 'hash']).orderBy('position'), [])
}

async function runNext(tx: Store, steps: Steps): Promise<boolean> {
  const applied = await appliedIn(tx)
  const next = steps.after(applied)
  if (next === undefined) return false
  const { plugin, words } = steps
  const refuseControl = (script: string) => {
    const statement = controlIn(script)
    if (statement !== undefined) throw errors.MIGRATION_ENDS_TRANSACTION(next.name, plugin, statement)
  }
  const text = steps.sqlOf(next)
  refuseControl(text)
  try {
    // Migrations have no time limit.
    if (tx.dialect === 'postgres') await tx.script('set local statement_timeout = 0; set local lock_timeout = 0')
    const before = await databaseObjects(tx)
    if (text !== '') await tx.script(text)
    await next.run?.(tx, words)
    checkNames(before, await databaseObjects(tx), plugin, next.name, words.prefix)
    const position = applied.filter((one) => one.plugin === plugin).length
    const row = { plugin, position, name: next.name, hash: hashOf(text), applied: new Date().toISOString() }
    await tx.run(tx.db.insertInto('plugin_migrations').values(row))
    await tx.changes.touch([EVERYTHING])
  } catch (cause) {
    if (cause instanceof RestError) throw cause
    throw errors.MIGRATION_FAILED(next.name, plugin, messageOf(cause), { cause })
  }
  return true
}

/** @throws MIGRATION_NAME_FOREIGN, MIGRATION_DROPS_FOREIGN */
function checkNames(
  before: readonly DatabaseObject[],
  after: readonly DatabaseObject[],
  plugin: string,
  migration: string,
  prefix: string,
): void {
  const shown = ({ type, name }: DatabaseObject) => `${type} ${name}`
  const foreign = ({ name }: DatabaseObject) => !name.toLowerCase().startsWith(prefix)
  const [namesBefore, namesAfter] = [before, after].map((objects) => new Set(objects.map(shown)))
  const created = after.find((one) => foreign(one) && !namesBefore!.has(shown(one)))
  if (created !== undefined) throw errors.MIGRATION_NAME_FOREIGN(migration, plugin, shown(created), prefix)
  const dropped = before.find((one) => foreign(one) && !namesAfter!.has(shown(one)))
  if (dropped !== undefined) throw errors.MIGRATION_DROPS_FOREIGN(migration, plugin, shown(dropped), prefix)
}
