import type { ArgumentSchema, Awaitable, RestRequest } from '../../../kernel/index.ts'

/** The kinds of objects whose lists can be filtered and sorted by fields. */
export const KINDS = ['post', 'term', 'comment', 'user'] as const
export type ObjectKind = (typeof KINDS)[number]

/** The comparisons of a value; `exists` checks whether there is a value. */
export const COMPARES = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'not_in', 'exists'] as const
export type Compare = (typeof COMPARES)[number]

/** The types of values: texts compare byte by byte, dates as instants. */
export type IndexedType = 'text' | 'number' | 'date' | 'boolean'

/** A condition on a field. One value of the field must meet all conditions on it. */
export type FieldCondition = ({ meta: string } | { field: string }) & {
  /** The comparison; `eq` by default. */
  compare?: Compare
  /** The value to compare with; for `in` and `not_in` a list, for `exists` true or false. */
  value: unknown
}

/** Orders of a list besides its columns: `meta.price`, or `field.NAME` for a field that a plugin adds. */
export type FieldOrder = `meta.${string}` | `field.${string}`

/** Options of a registration that let lists be filtered or sorted by the field. */
export interface Queryable {
  /** Allows filters: all comparisons, or the listed ones. */
  filterable?: boolean | readonly Compare[]
  /** Allows sorting, by the first value of the field. */
  sortable?: boolean
  /**
   * Decides whether a request may filter or sort by the field, in addition to the check that its user may read the
   * field.
   */
  query_callback?: (request: RestRequest) => Awaitable<boolean>
}

/** A field whose values are indexed for lists. */
export interface IndexedField {
  readonly kind: ObjectKind
  /** The content type, taxonomy or comment type that has the field; '' for all. */
  readonly subtype: string
  /** Meta key; '' for a field computed from the whole object. */
  readonly key: string
  /** Name of the field; '' for meta. */
  readonly name: string
  /** Name of the field in requests; null if requests cannot use it. */
  readonly shown: string | null
  readonly type: IndexedType
  /** Schema of one value. */
  readonly schema: ArgumentSchema
  readonly compares: readonly Compare[]
  readonly sortable: boolean
  /** Whether an object has at most one value. */
  readonly single: boolean
  /** Contexts that show the field; null for all. */
  readonly contexts: readonly string[] | null
  readonly query_callback: Queryable['query_callback'] | undefined
  /** Whether objects of a subtype show the field. */
  readonly isShownFor: (subtype: string) => boolean
  /** Fingerprint of how values are computed. If it changes, the values are indexed again. */
  readonly definition: string
  /** Returns the values of objects, as responses show them. */
  readonly valuesOf: (ids: readonly number[]) => Promise<ReadonlyMap<number, readonly unknown[]>>
}

/** Returns the name of a field in conditions and orders: `meta.price`. */
export function orderOfField({ key, name }: Pick<IndexedField, 'key' | 'name'>): FieldOrder {
  return key === '' ? `field.${name}` : `meta.${key}`
}

/** Returns the name of the order by a field in requests. */
export function requestOrderOf({ key, shown }: IndexedField): FieldOrder {
  return `${key === '' ? 'field' : 'meta'}.${shown!}`
}

/** Returns the comparisons that a registration allows. */
export function comparesOf({ filterable = false }: Queryable, type: IndexedType): readonly Compare[] {
  const allowed = filterable === true ? COMPARES : filterable === false ? [] : filterable
  // Range comparisons of a boolean add nothing to `eq`.
  return type === 'boolean' ? allowed.filter((compare) => !RANGES.has(compare)) : allowed
}

const RANGES: ReadonlySet<Compare> = new Set(['gt', 'gte', 'lt', 'lte'])
