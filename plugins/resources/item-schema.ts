import type { ArgumentSchema } from '../../kernel/index.ts'

/** Context of a response: `view` for readers, `embed` for a short form, `edit` for editors. */
export type ItemContext = 'view' | 'edit' | 'embed'

/** Schema of a field of an object. */
export interface PropertySchema extends ArgumentSchema {
  /** Contexts that include the field; all contexts by default. */
  context?: readonly string[]
  /** Whether requests cannot write the field. */
  readonly?: boolean
  /** Schemas of the nested fields, by name. */
  properties?: Record<string, PropertySchema>
  /** Additional keywords for the argument that writes the field; clients do not see them in the schema. */
  arg_options?: ArgumentSchema
}

/** Schema of an object. */
export interface ItemSchema {
  $schema: string
  title: string
  type: 'object'
  properties: Record<string, PropertySchema>
  links?: readonly Record<string, unknown>[]
  [keyword: string]: unknown
}

/** Schema language of objects: JSON Schema draft 4. */
export const SCHEMA_DRAFT = 'http://json-schema.org/draft-04/schema#'

/** Returns a schema without internal keywords. */
export function withoutCallbacks(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (typeof value === 'function' || key === 'arg_options' || key === 'references') return []
      const deeper = typeof value === 'object' && value !== null && !Array.isArray(value) && key === 'properties'
      if (!deeper) return [[key, value]]
      const inner = Object.entries(value as Record<string, Record<string, unknown>>)
      return [[key, Object.fromEntries(inner.map(([name, property]) => [name, withoutCallbacks(property)]))]]
    }),
  )
}
