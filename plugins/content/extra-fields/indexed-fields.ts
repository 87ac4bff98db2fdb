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

/** How lists filter and sort by a field. They cannot call `get_callback`, which depends on a request. */
export interface FieldIndexing {
  /** Type that values are compared as. */
  type: IndexedType
  /**
   * Returns the value of an object for lists, the same for all users; null for no value. It runs inside the transaction
   * that changes the object, its meta or its terms: it must read through the store and must not write. If it throws,
   * the change is rolled back. If the value depends on other data, call `extraFields.reindex` when that data changes.
   * @param row the stored row of the object
   * @param objectType the object type of the registration
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- a field knows the rows of its own object types
  value: (row: any, objectType: string) => Awaitable<unknown>
  /** Whether `value` returns a list of values. */
  many?: boolean
  /** Change it when `value` returns different values for the same objects: all values are then computed again. */
  version?: string | number
}

/** Object type of a field, and the table of its rows. */
export interface FieldOwner {
  readonly kind: ObjectKind
  readonly subtype: string
  readonly objectType: string
}

/** Columns of the rows passed to `value`; password hashes are excluded. */
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

/**
 * Returns the owner of an object type. Comments and users have one type each; other names are taxonomies or content
 * types.
 */
export function ownerOf({ has, services }: Pick<PluginContext, 'has' | 'services'>, objectType: string): FieldOwner {
  if (objectType === 'comment' || objectType === 'user') return { kind: objectType, subtype: '', objectType }
  const taxonomies = has('taxonomies') ? services.taxonomies.all() : []
  const taxonomy = taxonomies.find((one) => one.objectType === objectType || one.name === objectType)
  if (taxonomy !== undefined) return { kind: 'term', subtype: taxonomy.name, objectType }
  return { kind: 'post', subtype: objectType, objectType }
}

/** Returns the field index definition of a field. @param plugin name of the plugin that registered the field */
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
      const result = value(row, objectType)
      const values = isThenable(result) ? await result : result
      if (!Array.isArray(values)) return [values]
      return many ? values : values.slice(0, 1)
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
