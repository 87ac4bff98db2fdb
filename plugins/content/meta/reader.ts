import type { RequestCache } from '../../../kernel/index.ts'
import { loaderOf, sql, type Loader, type Store } from '../../storage/store/index.ts'
import type { MetaObject } from './registry.ts'
import type { MetaTables } from './storage.ts'

/** One stored value. */
export interface MetaRow {
  key: string
  /** A text, or what a stored list or object holds; null when that cannot be read. */
  value: unknown
}

/** The stored values of one object by key, in the order in which they were added. */
export type MetaValues = ReadonlyMap<string, readonly unknown[]>

/** Objects whose changes the store tells one by one. */
const OF_OBJECTS: ReadonlySet<string> = new Set(['post', 'term', 'comment', 'user'])

interface StoredRow {
  owner: number
  key: string
  value: string
  json: number
}

/** Reads stored meta; what one request reads of many objects comes from one statement. */
export class MetaReader {
  readonly #store: Store
  readonly #tables: MetaTables

  constructor(store: Store, tables: MetaTables) {
    this.#store = store
    this.#tables = tables
  }

  /**
   * Loads the values of the given keys.
   * @param name tells the keys of an object type from others; a text of them all would be made for each item of a list
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

  /** The values of many objects under a key, as they are stored now. */
  async valuesOf(objectType: MetaObject, key: string, ids: readonly number[]): Promise<Map<number, unknown[]>> {
    const [table, owner] = this.#tables.of(objectType)
    const rows = this.#store.db
      .selectFrom(table)
      .select([`${owner} as owner`, 'value', 'json'])
      .where(this.#store.isIn(owner, ids))
      .where('key', '=', key)
      .orderBy('id')
    const found = new Map<number, unknown[]>()
    for (const { owner: id, value, json } of await this.#store.all(rows)) {
      const values = found.get(id)
      if (values === undefined) found.set(id, [decode(value, json)])
      else values.push(decode(value, json))
    }
    return found
  }

  /** IDs of the objects that have a text under a key, the one that got it last first. */
  async ownersOf(objectType: MetaObject, key: string, value: string, limit: number): Promise<number[]> {
    const [table, owner] = this.#tables.of(objectType)
    const rows = this.#store.db
      .selectFrom(table)
      .select(`${owner} as owner`)
      .where('key', '=', key)
      // What the index has of it.
      .where(sql`substr(value, 1, 100)`, '=', value.slice(0, 100))
      .where('value', '=', value)
      .where('json', '=', 0)
      .orderBy('id', 'desc')
      .limit(limit)
    return (await this.#store.all(rows)).map((row) => row.owner)
  }

  /** Loads every stored value. */
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

  /** Meta changes with its object; that of plugins with its table. */
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
