import type { Store } from '../../storage/store/index.ts'
import { checkKey } from './registry.ts'
import type { MetaTables } from './storage.ts'

/** Writes stored meta. */
export class MetaWriter {
  readonly #store: Store
  readonly #tables: MetaTables

  constructor(store: Store, tables: MetaTables) {
    this.#store = store
    this.#tables = tables
  }

  /** Stores `values` in place of all that the object has under the key; in turn, or two at once would leave both. */
  async write(objectType: string, id: number, key: string, values: readonly unknown[]): Promise<void> {
    checkKey(key)
    const [table, owner] = this.#tables.of(objectType)
    await this.#store.inTurn(async (store) => {
      await store.run(store.db.deleteFrom(table).where(owner, '=', id).where('key', '=', key))
      if (values.length === 0) return
      const rows = values.map((value) => ({ [owner]: id, key, ...encode(value) }))
      await store.run(store.db.insertInto(table).values(rows))
    })
  }
}

/** How a value is stored: scalars as the text that forms and exports write, the rest as JSON. */
function encode(value: unknown): { value: string; json: number } {
  if (typeof value === 'object' && value !== null) return { value: JSON.stringify(value), json: 1 }
  if (typeof value === 'string' || typeof value === 'number') return { value: String(value), json: 0 }
  return { value: value === true ? '1' : '', json: 0 }
}
