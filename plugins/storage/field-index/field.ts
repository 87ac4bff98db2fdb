import type { ArgumentSchema, Awaitable, RestRequest } from '../../../kernel/index.ts'

/** The kinds of objects whose lists go by fields. */
export const KINDS = ['post', 'term', 'comment', 'user'] as const
export type ObjectKind = (typeof KINDS)[number]

/** How a value is compared with others; `exists` is about whether there is one. */
export const COMPARES = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'not_in', 'exists'] as const
export type Compare = (typeof COMPARES)[number]

/** What values are: texts compare byte by byte, dates as instants. */
export type IndexedType = 'text' | 'number' | 'date' | 'boolean'

/** A condition on a field; those on the same field have to be met by the same one of its values. */
export type FieldCondition = ({ meta: string } | { field: string }) & {
  /** `eq` unless it says otherwise. */
  compare?: Compare
  /** A value of the field; a list of them for `in` and `not_in`; for `exists` true or false. */
  value: unknown
}

/** What a list can be ordered by beside columns: `meta.price`, and the order of a field that a plugin adds. */
export type FieldOrder = `meta.${string}` | `field.${string}`

/** How a registration says that lists may go by it. */
export interface Queryable {
  /** Whether lists may be limited by it: by every comparison, or by some. */
  filterable?: boolean | readonly Compare[]
  /** Whether lists may be ordered by it: by its first value. */
  sortable?: boolean
  /** Decides who may limit and order lists by it, beside whoever may see it. */
  query_callback?: (request: RestRequest) => Awaitable<boolean>
}

/** A field whose values are kept for lists. */
export interface IndexedField {
  readonly kind: ObjectKind
  /** The content type, taxonomy or comment type that has it; '' for all. */
  readonly subtype: string
  /** Key of the meta; '' for a field that is made of the whole object. */
  readonly key: string
  /** Name of the field; '' for meta. */
  readonly name: string
  /** What requests call it; null where they do not know it. */
  readonly shown: string | null
  readonly type: IndexedType
  /** The schema of one value. */
  readonly schema: ArgumentSchema
  readonly compares: readonly Compare[]
  readonly sortable: boolean
  /** Whether an object has one value at most. */
  readonly single: boolean
  /** The contexts that show it; null for all. */
  readonly contexts: readonly string[] | null
  readonly query_callback: Queryable['query_callback'] | undefined
  /** Whether objects of a subtype show it. */
  readonly isShownFor: (subtype: string) => boolean
  /** Another text whenever the values of the same objects would be others. */
  readonly definition: string
  /** The values of objects, as they are shown. */
  readonly valuesOf: (ids: readonly number[]) => Promise<ReadonlyMap<number, readonly unknown[]>>
}

/** What conditions and orders call a field: `meta.price`. */
export function orderOfField({ key, name }: Pick<IndexedField, 'key' | 'name'>): FieldOrder {
  return key === '' ? `field.${name}` : `meta.${key}`
}

/** What a request calls the order by a field. */
export function requestOrderOf({ key, shown }: IndexedField): FieldOrder {
  return `${key === '' ? 'field' : 'meta'}.${shown!}`
}

/** The comparisons that a registration allows. */
export function comparesOf({ filterable = false }: Queryable, type: IndexedType): readonly Compare[] {
  const allowed = filterable === true ? COMPARES : filterable === false ? [] : filterable
  // One of two values is not greater in a way that says more than which it is.
  return type === 'boolean' ? allowed.filter((compare) => !RANGES.has(compare)) : allowed
}

const RANGES: ReadonlySet<Compare> = new Set(['gt', 'gte', 'lt', 'lte'])
