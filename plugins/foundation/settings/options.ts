import { currentWork, runDetached } from '../../../kernel/index.ts'
import { dependsOn } from '../../library/caching/index.ts'
import type { AccountChanges } from '../../people/roles/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { errors } from './errors.ts'
import type { Settings } from './settings.ts'

/** Stored values of the site by name: settings and options of plugins. */
export interface SiteOptions {
  /**
   * Returns the value of an option. Do not modify it: it is cached.
   * @param name name of the option
   * @param fallback returned if no value is stored and the setting with this name has no default
   */
  get<T = unknown>(name: string, fallback: T): Promise<T>
  get<T = unknown>(name: string): Promise<T | undefined>
  /**
   * Returns the values of several options.
   * @returns values by name; undefined for options without a value or default
   */
  many<Name extends string>(names: readonly Name[]): Promise<Record<Name, unknown>>
  /**
   * Reads the values of several options from the database, including recent writes of other processes. Use it for
   * decisions in a transaction; each call runs a statement.
   * @returns values by name; undefined for options without a value or default
   */
  fresh<Name extends string>(names: readonly Name[]): Promise<Record<Name, unknown>>
  /**
   * Stores the value of an option.
   * @param name at most 191 characters
   * @param value any JSON value
   * @throws OPTION_NAME_TOO_LONG; OPTION_NOT_JSON for values that are not JSON; OPTION_DERIVED for a setting that is
   * computed
   */
  set(name: string, value: unknown): Promise<void>
  /**
   * Changes the value of an option without losing concurrent changes: they wait until it is stored.
   * @param change receives the stored value or default and returns the new value; an unchanged value is not stored
   * @throws OPTION_NAME_TOO_LONG, OPTION_NOT_JSON, OPTION_DERIVED
   */
  update<T = unknown>(name: string, change: (value: T | undefined) => T): Promise<void>
  /** Deletes the stored value of an option, which restores the default. */
  delete(name: string): Promise<void>
}

/** Maximum characters of a name, because names are indexed. */
const MAX_NAME_CHARACTERS = 191
/** Options that decide who gets an account, with which role, and where notices about accounts are sent. */
const ACCOUNT_OPTIONS: ReadonlySet<string> = new Set(['admin_email', 'default_role', 'email', 'users_can_register'])
/** Cache tags of all options. */
const OPTIONS = ['table:options']
const TABLES = ['options']

/**
 * Creates the options service. It reads the whole `options` table in one statement and caches it until an option
 * changes.
 */
export function createSiteOptions(
  store: Store,
  settings: Pick<Settings, 'get'>,
  accountChanges: AccountChanges,
): SiteOptions {
  let read: { at: number; values: Promise<ReadonlyMap<string, Stored>> } | null = null

  const all = store.db.selectFrom('options').select(['name', 'value'])
  const load = async (query = all) => {
    const rows = await store.all(query, [])
    return new Map(rows.map(({ name, value }) => [name, new Stored(value)]))
  }
  const stored = () => {
    const at = store.changes.state(TABLES)
    // Values read within a transaction can be rolled back, so they are not cached.
    if (at === null || currentWork()?.readsFresh === true) return load()
    if (read === null || !store.changes.unchanged(OPTIONS, read.at)) {
      // Other requests share this read, so aborting the first request must not abort it.
      const fresh = { at, values: runDetached(() => load()) }
      // Errors are returned to the waiting callers but not cached.
      fresh.values.catch(() => {
        if (read === fresh) read = null
      })
      read = fresh
    }
    return read.values
  }
  const valueOf = (values: ReadonlyMap<string, Stored>, name: string): unknown => {
    const setting = settings.get(name)
    if (setting?.read !== undefined) return setting.read()
    const storedValue = values.get(name)
    return storedValue === undefined ? (setting?.default ?? setting?.initial) : storedValue.value
  }
  const valuesOf = <Name extends string>(values: ReadonlyMap<string, Stored>, names: readonly Name[]) =>
    Object.fromEntries(names.map((name) => [name, valueOf(values, name)])) as Record<Name, unknown>
  const checkAccountOption = async (name: string, text: string | null) => {
    if (!ACCOUNT_OPTIONS.has(name)) return
    const row = await store.first(store.db.selectFrom('options').select('value').where('name', '=', name))
    if ((row?.value ?? null) !== text) await accountChanges.check('option')
  }
  const options: SiteOptions = {
    async get<T>(name: string, fallback?: T) {
      dependsOn(`option:${name}`)
      return (valueOf(await stored(), name) ?? fallback) as T
    },
    async many<Name extends string>(names: readonly Name[]) {
      dependsOn(...names.map((name) => `option:${name}`))
      return valuesOf(await stored(), names)
    },
    async fresh<Name extends string>(names: readonly Name[]) {
      dependsOn(...names.map((name) => `option:${name}`))
      return valuesOf(await load(all.where('name', 'in', names).orderBy('name')), names)
    },
    async set(name, value) {
      if (settings.get(name)?.read !== undefined) throw errors.OPTION_DERIVED(name)
      if (name.length > MAX_NAME_CHARACTERS) throw errors.OPTION_NAME_TOO_LONG(name, MAX_NAME_CHARACTERS)
      const text = JSON.stringify(value) as string | undefined
      if (text === undefined) throw errors.OPTION_NOT_JSON(name)
      await checkAccountOption(name, text)
      const write = store.db.insertInto('options').values({ name, value: text })
      await store.run(write.onConflict((conflict) => conflict.column('name').doUpdateSet({ value: text })))
    },
    async update<T>(name: string, change: (value: T | undefined) => T) {
      await store.inTurn(async (tx) => {
        const select = tx.db.selectFrom('options').select('value').where('name', '=', name)
        // `set` does not take the write turn, so the row is locked.
        const row = await tx.first(tx.dialect === 'postgres' ? select.forUpdate() : select)
        const before =
          row === undefined ? (settings.get(name)?.default ?? settings.get(name)?.initial) : JSON.parse(row.value)
        const after = change(before as T | undefined)
        if (after !== before) await options.set(name, after)
      })
    },
    async delete(name) {
      await checkAccountOption(name, null)
      await store.run(store.db.deleteFrom('options').where('name', '=', name))
    },
  }
  return options
}

/** A stored value, parsed on first use, so that an invalid value does not affect others. */
class Stored {
  readonly #text: string
  #parsed: { value: unknown } | null = null

  constructor(text: string) {
    this.#text = text
  }

  get value(): unknown {
    this.#parsed ??= { value: JSON.parse(this.#text) as unknown }
    return this.#parsed.value
  }
}
