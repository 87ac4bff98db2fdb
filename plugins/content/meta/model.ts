import DataLoader from 'dataloader'
import { OwnedMap, type RequestCache } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { errors } from './errors.ts'
import { checkKey, type MetaObject } from './fields.ts'

/** One stored value. */
export interface MetaRow {
  key: string
  /** A text, or what a stored list or object holds; null when that cannot be read. */
  value: unknown
}

/** The stored values of one object by key, in the order in which they were added. */
export type MetaValues = ReadonlyMap<string, readonly unknown[]>

interface StoredRow {
  owner: number
  key: string
  value: string
  json: number
}

/** Where the meta of one type of objects is stored. */
export interface MetaStorage {
  /** A table with the columns `id`, `key`, `value` (texts), `json` (0 or 1) and that of the owner. */
  readonly table: string
  /** The column that holds the ID of the object. */
  readonly owner: string
}

const TABLES: Readonly<Record<string, MetaStorage>> = {
  post: { table: 'post_meta', owner: 'post_id' },
  term: { table: 'term_meta', owner: 'term_id' },
  comment: { table: 'comment_meta', owner: 'comment_id' },
  user: { table: 'user_meta', owner: 'user_id' },
}

/** Reads and writes stored meta; what one request reads of many objects comes from one statement. */
export class MetaModel {
  readonly #store: Store
  readonly #added = new OwnedMap<MetaStorage>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Says where the meta of further objects is stored. */
  addObjectType(objectType: string, storage: MetaStorage): void {
    this.#added.set(objectType, storage)
  }

  /** Loads the values of the given keys. */
  loader(objectType: MetaObject, keys: readonly string[], scope: RequestCache): DataLoader<number, MetaValues> {
    return scope.get(`meta ${objectType} ${keys.join(' ')}`, () =>
      batched(async (ids) => {
        const byOwner = new Map(ids.map((id) => [id, new Map<string, unknown[]>()]))
        if (keys.length > 0) {
          for (const { owner, key, value, json } of await this.#read(objectType, ids, keys)) {
            const values = byOwner.get(owner)!
            const list = values.get(key)
            if (list === undefined) values.set(key, [decode(value, json)])
            else list.push(decode(value, json))
          }
        }
        return (id) => byOwner.get(id)!
      }),
    )
  }

  /** Loads every stored value. */
  rows(objectType: MetaObject, scope: RequestCache): DataLoader<number, MetaRow[]> {
    return scope.get(`meta ${objectType}`, () =>
      batched(async (ids) => {
        const byOwner = new Map(ids.map((id): [number, MetaRow[]] => [id, []]))
        for (const { owner, key, value, json } of await this.#read(objectType, ids)) {
          byOwner.get(owner)!.push({ key, value: decode(value, json) })
        }
        return (id) => byOwner.get(id)!
      }),
    )
  }

  /** Stores `values` in place of all that the object has under the key; in turn, or two at once would leave both. */
  async write(objectType: MetaObject, id: number, key: string, values: readonly unknown[]): Promise<void> {
    checkKey(key)
    const [table, owner] = this.#tableOf(objectType)
    await this.#store.inTurn(async (store) => {
      await store.run(store.db.deleteFrom(table).where(owner, '=', id).where('key', '=', key))
      if (values.length === 0) return
      const rows = values.map((value) => ({ [owner]: id, key, ...encode(value) }))
      await store.run(store.db.insertInto(table).values(rows))
    })
  }

  #read(objectType: MetaObject, ids: readonly number[], keys?: readonly string[]): Promise<StoredRow[]> {
    const [table, owner] = this.#tableOf(objectType)
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

  /** Table and owner column. The tables differ in these names alone, so one of them stands for all types. */
  #tableOf(objectType: MetaObject): readonly ['post_meta', 'post_id'] {
    const storage = this.#added.get(objectType) ?? TABLES[objectType]
    if (storage === undefined) throw errors.META_OBJECT_UNKNOWN(objectType)
    return [storage.table, storage.owner] as unknown as readonly ['post_meta', 'post_id']
  }
}

function batched<V>(read: (ids: readonly number[]) => Promise<(id: number) => V>): DataLoader<number, V> {
  return new DataLoader<number, V>(async (ids) => ids.map(await read(ids)), { maxBatchSize: 1000 })
}

function decode(value: string, json: number): unknown {
  if (json === 0) return value
  try {
    return JSON.parse(value)
  } catch {
    return null
  }
}

/** How a value is kept: scalars as the text that forms and exports write, the rest as JSON. */
function encode(value: unknown): { value: string; json: number } {
  if (typeof value === 'object' && value !== null) return { value: JSON.stringify(value), json: 1 }
  if (typeof value === 'string' || typeof value === 'number') return { value: String(value), json: 0 }
  return { value: value === true ? '1' : '', json: 0 }
}
