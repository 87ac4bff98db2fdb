import { OwnedMap } from '../../../kernel/index.ts'
import { errors } from './errors.ts'

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

/** The tables that meta is stored in, by type of object. */
export class MetaTables {
  readonly #added = new OwnedMap<MetaStorage>('meta table')

  add(objectType: string, storage: MetaStorage): void {
    this.#added.set(objectType, storage)
  }

  /** The types of objects that have meta. */
  get types(): string[] {
    return [...Object.keys(TABLES), ...this.#added.keys()]
  }

  /**
   * Table and owner column. The tables differ in these names alone, so one of them stands for all types.
   * @throws META_OBJECT_UNKNOWN
   */
  of(objectType: string): readonly ['post_meta', 'post_id'] {
    const storage = this.#added.get(objectType) ?? TABLES[objectType]
    if (storage === undefined) throw errors.META_OBJECT_UNKNOWN(objectType)
    return [storage.table, storage.owner] as unknown as readonly ['post_meta', 'post_id']
  }
}
