import type { RequestCache } from '../../../kernel/index.ts'
import { loaderOf, sql, type Loader, type Store } from '../../storage/store/index.ts'
import type { MetaObject } from './registry.ts'
import type { MetaTables } from './storage.ts'

/** One stored value. */
export interface MetaRow {
  key: string
  /** A string, or the parsed JSON of a list or object; null if it cannot be parsed. */
  value: unknown
}

/** Stored values of an object by key, in insertion order. */
export type MetaValues = ReadonlyMap<string, readonly unknown[]>

/** Object types whose changes have cache tags per object. */
const OF_OBJECTS: ReadonlySet<string> = new Set(['post', 'term', 'comment', 'user'])

interface StoredRow {
  owner: number
  key: string
  value: string
  json: number
}

/** Reads stored meta. Within a request, reads of several objects share one statement. */
export class MetaReader {
  readonly #store: Store
  readonly #tables: MetaTables

  constructor(store: Store, tables: MetaTables) {
    this.#store = store
    this.#tables = tables
  }

  /**
   * Returns a loader for the values of the given keys.
   * @param name identifies the keys in the request cache; a joined string of the keys would be built for each item of a
   * list
   */
  loader(objectType: MetaObject, keys: readonly string[], name: unknown, scope: RequestCache): Loader<MetaValues> {
    const read = async (ids: readonly number[]) => {
      const byOwner = new Map(ids.map((id) => [id, new Map<string, unknown[]>()]))
      if (keys.length > 0) {
        for (const { owner, key, value, json } of await this.#read(objectType, ids, keys)) {
          const values = byOwner.get(owner)!
          const list = values.get(key)
          if (list === undefined) values.set(key, [decode(value, json)])
          else list.push(decode(value, json))
        }
      }
      return ids.map((id): MetaValues => byOwner.get(id)!)
    }
    return loaderOf(scope, name, read, this.#tagsOf(objectType))
  }

  /** Returns the current values of several objects under a key, by ID. */
  async valuesOf(objectType: MetaObject, key: string, ids: readonly number[]): Promise<Map<number, unknown[]>> {
    const [table, owner] = this.#tables.of(objectType)
    const rows = this.#store.db
      .selectFrom(table)
      .select([`${owner} as owner`, 'value', 'json'])
      .where(this.#store.isIn(owner, ids))
      .where('key', '=', key)
      .orderBy('id')
    const valuesById = new Map<number, unknown[]>()
    for (const { owner: id, value, json } of await this.#store.all(rows)) {
      const values = valuesById.get(id)
      if (values === undefined) valuesById.set(id, [decode(value, json)])
      else values.push(decode(value, json))
    }
    return valuesById
  }

  /** Returns the IDs of objects with a string value under a key, most recently added first. */
  async ownersOf(objectType: MetaObject, key: string, value: string, limit: number): Promise<number[]> {
    const [table, owner] = this.#tables.of(objectType)
    const rows = this.#store.db
      .selectFrom(table)
      .select(`${owner} as owner`)
      .where('key', '=', key)
      // Prefix that the database index contains.
      .where(sql`substr(value, 1, 100)`, '=', value.slice(0, 100))
      .where('value', '=', value)
      .where('json', '=', 0)
      .orderBy('id', 'desc')
      .limit(limit)
    return (await this.#store.all(rows)).map((row) => row.owner)
  }

  /** Returns a loader for all stored values of objects. */
  rows(objectType: MetaObject, scope: RequestCache): Loader<MetaRow[]> {
    const read = async (ids: readonly number[]) => {
      const byOwner = new Map(ids.map((id): [number, MetaRow[]] => [id, []]))
      for (const { owner, key, value, json } of await this.#read(objectType, ids)) {
        byOwner.get(owner)!.push({ key, value: decode(value, json) })
      }
      return ids.map((id) => byOwner.get(id)!)
    }
    return loaderOf(scope, `meta ${objectType}`, read, this.#tagsOf(objectType))
  }

  /** Returns the cache tags: the object for built-in types, the whole table for types of plugins. */
  #tagsOf(objectType: MetaObject): { of(id: number): string[] } {
    if (OF_OBJECTS.has(objectType)) return { of: (id) => [`${objectType}:${id}`] }
    const [table] = this.#tables.of(objectType)
    return { of: () => [`table:${table}`] }
  }

  #read(objectType: MetaObject, ids: readonly number[], keys?: readonly string[]): Promise<StoredRow[]> {
    const [table, owner] = this.#tables.of(objectType)
    const query = this.#store.forIds(`meta ${objectType} ${JSON.stringify(keys)}`, ids, (some) => {
      const rows = this.#store.db
        .selectFrom(table)
        .select([`${owner} as owner`, 'key', 'value', 'json'])
        .where(owner, 'in', some)
        .orderBy('id')
      return keys === undefined ? rows : rows.where('key', 'in', keys)
    })
    return this.#store.all(query)
  }
}

function decode(value: string, json: number): unknown {
  if (json === 0) return value
  try {
    return JSON.parse(value)
  } catch {
    return null
  }
}
