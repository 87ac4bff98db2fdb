import type { ArgumentSchema } from '../../kernel/index.ts'

/** In which context a field shows: `view` for readers, `embed` for a short form, `edit` for editors. */
export type ItemContext = 'view' | 'edit' | 'embed'

/** The schema of one field of an object. */
export interface PropertySchema extends ArgumentSchema {
  /** The contexts the field shows in; without it, in all. */
  context?: readonly string[]
  readonly?: boolean
  properties?: Record<string, PropertySchema>
  /** Further keywords of the argument that writes the field; the shown schema does not have them. */
  arg_options?: ArgumentSchema
}

/** The schema of an object. */
export interface ItemSchema {
  $schema: string
  title: string
  type: 'object'
  properties: Record<string, PropertySchema>
  links?: readonly Record<string, unknown>[]
  [keyword: string]: unknown
}

/** The schema language of objects: draft 4 of JSON Schema. */
export const SCHEMA_DRAFT = 'http://json-schema.org/draft-04/schema#'

/** A schema without what only the server needs. */
export function withoutCallbacks(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (typeof value === 'function' || key === 'arg_options') return []
      const deeper = typeof value === 'object' && value !== null && !Array.isArray(value) && key === 'properties'
      if (!deeper) return [[key, value]]
      const inner = Object.entries(value as Record<string, Record<string, unknown>>)
      return [[key, Object.fromEntries(inner.map(([name, property]) => [name, withoutCallbacks(property)]))]]
    }),
  )
}
