import type { PluginContext } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { checkKey } from './registry.ts'
import type { MetaTables } from './storage.ts'

/** Writes stored meta. */
export class MetaWriter {
  readonly #plugin: PluginContext
  readonly #store: Store
  readonly #tables: MetaTables

  constructor(plugin: PluginContext, tables: MetaTables) {
    this.#plugin = plugin
    this.#store = plugin.services.store
    this.#tables = tables
  }

  /**
   * Replaces all values of an object under the given keys. Runs in the write turn, because two concurrent writes would
   * keep the values of both.
   * @param values by key
   */
  async write(objectType: string, id: number, values: ReadonlyMap<string, readonly unknown[]>): Promise<void> {
    const keys = [...values.keys()]
    for (const key of keys) checkKey(key)
    if (keys.length === 0) return
    const { has, services } = this.#plugin
    if (objectType === 'user' && values.has('roles') && has('roles')) await services.accountChanges.check('roles')
    const [table, owner] = this.#tables.of(objectType)
    const rows = Array.from(values, ([key, list]) =>
      list.map((value) => ({ [owner]: id, key, ...encode(value) })),
    ).flat()
    await this.#store.inTurn(async (store) => {
      const { db } = store
      await Promise.all([
        store.run(db.deleteFrom(table).where(owner, '=', id).where('key', 'in', keys)),
        ...(rows.length > 0 ? [store.run(db.insertInto(table).values(rows))] : []),
      ])
    })
  }

  /** Replaces the values of a post under some keys with the values of another post. */
  async copy(from: number, to: number, keys: readonly string[]): Promise<void> {
    await this.#store.inTurn(async (store) => {
      const { db } = store
      await store.run(db.deleteFrom('post_meta').where('post_id', '=', to).where('key', 'in', keys))
      const values = db
        .selectFrom('post_meta')
        .select((of) => [of.val(to).as('post_id'), 'key', 'value', 'json'])
        .where('post_id', '=', from)
        .where('key', 'in', keys)
        .orderBy('id')
      await store.run(db.insertInto('post_meta').columns(['post_id', 'key', 'value', 'json']).expression(values))
    })
  }
}

/** Encodes a value for storage: scalars as the text that forms and exports use, lists and objects as JSON. */
function encode(value: unknown): { value: string; json: number } {
  if (typeof value === 'object' && value !== null) return { value: JSON.stringify(value), json: 1 }
  if (typeof value === 'string' || typeof value === 'number') return { value: String(value), json: 0 }
  return { value: value === true ? '1' : '', json: 0 }
}
