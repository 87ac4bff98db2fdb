import { OwnedMap } from '../../../kernel/index.ts'
import { errors } from './errors.ts'

/** Table with the meta of an object type. */
export interface MetaStorage {
  /** A table with the columns `id`, `key`, `value` (both text), `json` (0 or 1) and the owner column. */
  readonly table: string
  /** Column with the ID of the object. */
  readonly owner: string
}

const TABLES: Readonly<Record<string, MetaStorage>> = {
  post: { table: 'post_meta', owner: 'post_id' },
  term: { table: 'term_meta', owner: 'term_id' },
  comment: { table: 'comment_meta', owner: 'comment_id' },
  user: { table: 'user_meta', owner: 'user_id' },
}

/** The meta tables by object type. */
export class MetaTables {
  readonly #added = new OwnedMap<MetaStorage>('meta table')

  add(objectType: string, storage: MetaStorage): void {
    this.#added.set(objectType, storage)
  }

  /** Object types that have meta. */
  get types(): string[] {
    return [...Object.keys(TABLES), ...this.#added.keys()]
  }

  /**
   * Returns the table and the owner column. Only these names differ between tables, so the return type names one of
   * them.
   * @throws META_OBJECT_UNKNOWN
   */
  of(objectType: string): readonly ['post_meta', 'post_id'] {
    const storage = this.#added.get(objectType) ?? TABLES[objectType]
    if (storage === undefined) throw errors.META_OBJECT_UNKNOWN(objectType)
    return [storage.table, storage.owner] as unknown as readonly ['post_meta', 'post_id']
  }
}
