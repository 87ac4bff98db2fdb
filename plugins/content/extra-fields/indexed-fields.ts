import { isThenable, type ArgumentSchema, type Awaitable, type PluginContext } from '../../../kernel/index.ts'
import type { PropertySchema } from '../../resources/index.ts'
import { sql, type Store } from '../../storage/store/index.ts'
import {
  comparesOf,
  type IndexedField,
  type IndexedType,
  type ObjectKind,
  type Queryable,
} from '../../storage/field-index/index.ts'
import { errors } from './errors.ts'

/**
 * Index of a field for filtering and sorting lists, which cannot call `get_callback` because it depends on the request.
 */
export interface FieldIndexing {
  /** Type of the indexed values. */
  type: IndexedType
  /**
   * Returns the indexed value of an object, the same for all users; null for no value. Called in the transaction that
   * changes the object, its meta or its terms: it reads through the store and must not write. An error rolls the change
   * back. If the value depends on other data, call `fields.reindex` when that data changes.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- a field knows the rows of its own object types
  value: (row: any, objectType: string) => Awaitable<unknown>
  /** Whether `value` returns a list of values. */
  many?: boolean
  /**
   * Version of `value`. Change it when `value` returns different results for the same objects, so that all values are
   * computed again.
   */
  version?: string | number
}

/** Whose fields they are, and where their rows are. */
export interface FieldOwner {
  readonly kind: ObjectKind
  readonly subtype: string
  readonly objectType: string
}

/** The columns of rows; what only the login needs to know is none of them. */
const ROWS = {
  post: sql`posts.* from posts where`,
  term: sql`terms.* from terms where`,
  comment: sql`comments.* from comments where`,
  user: sql`id, login, slug, name, email, url, registered, status from users where`,
} as const

const SCHEMAS: Readonly<Record<IndexedType, ArgumentSchema>> = {
  text: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date-time' },
}

/** Kinds of objects that have one type of their own; others are content types, and taxonomies. */
export function ownerOf({ has, services }: Pick<PluginContext, 'has' | 'services'>, objectType: string): FieldOwner {
  if (objectType === 'comment' || objectType === 'user') return { kind: objectType, subtype: '', objectType }
  const taxonomies = has('taxonomies') ? services.taxonomies.all() : []
  const taxonomy = taxonomies.find((one) => one.objectType === objectType || one.name === objectType)
  if (taxonomy !== undefined) return { kind: 'term', subtype: taxonomy.name, objectType }
  return { kind: 'post', subtype: objectType, objectType }
}

/** A field as lists go by it. @param plugin whose field it is */
export function indexedField(
  store: Store,
  owner: FieldOwner,
  attribute: string,
  args: Queryable & { index?: FieldIndexing; schema?: PropertySchema | null },
  plugin: string,
): IndexedField {
  const { index, schema, sortable = false, query_callback } = args
  const { type, many = false, value, version = 0 } = index!
  const { kind, subtype, objectType } = owner
  const valueOf = async (row: unknown): Promise<readonly unknown[]> => {
    try {
      const given = value(row, objectType)
      const found = isThenable(given) ? await given : given
      if (!Array.isArray(found)) return [found]
      return many ? found : found.slice(0, 1)
    } catch (cause) {
      throw errors.FIELD_FAILED(plugin, attribute, objectType, { cause })
    }
  }
  return {
    kind,
    subtype,
    key: '',
    name: attribute,
    shown: attribute,
    type,
    schema: { ...SCHEMAS[type], description: schema?.description ?? '' },
    compares: comparesOf(args, type),
    sortable,
    single: !many,
    contexts: schema?.context ?? null,
    query_callback,
    isShownFor: () => true,
    definition: JSON.stringify([many, version]),
    valuesOf: async (ids) => {
      const rows = await store.all(sql<{ id: number }>`select ${ROWS[kind]} ${store.isIn('id', ids)}`)
      const values = new Map<number, readonly unknown[]>()
      for (const row of rows) values.set(row.id, await valueOf(row))
      return values
    },
  }
}
