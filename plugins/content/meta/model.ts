import DataLoader from 'dataloader'
import type { RequestCache } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
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

const TABLES = {
  post: ['post_meta', 'post_id'],
  term: ['term_meta', 'term_id'],
  comment: ['comment_meta', 'comment_id'],
  user: ['user_meta', 'user_id'],
} as const satisfies Record<MetaObject, readonly [string, string]>

/** Reads and writes stored meta; what one request reads of many objects comes from one statement. */
export class MetaModel {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
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
    const [table, owner] = tableOf(objectType)
    await this.#store.inTurn(async (store) => {
      await store.run(store.db.deleteFrom(table).where(owner, '=', id).where('key', '=', key))
      if (values.length === 0) return
      const rows = values.map((value) => ({ [owner]: id, key, ...encode(value) }))
      await store.run(store.db.insertInto(table).values(rows))
    })
  }

  #read(objectType: MetaObject, ids: readonly number[], keys?: readonly string[]): Promise<StoredRow[]> {
    const [table, owner] = tableOf(objectType)
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

/** Table and owner column. The four tables differ in the owner's name alone, so one of them stands for all types. */
function tableOf(objectType: MetaObject): readonly ['post_meta', 'post_id'] {
  return TABLES[objectType] as unknown as readonly ['post_meta', 'post_id']
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
