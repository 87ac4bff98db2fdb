import type { ArgumentSchema } from '../../../kernel/index.ts'

/** Returns a copy of the schema with `additionalProperties: false` at every object that does not set it. */
export function closedSchema<S extends ArgumentSchema>(schema: S): S {
  const copy: ArgumentSchema = { ...schema }
  if (copy.properties !== undefined) {
    const properties = Object.entries(copy.properties).map(([name, property]) => [name, closedSchema(property)])
    copy.properties = Object.fromEntries(properties)
  }
  if (copy.items !== undefined) copy.items = closedSchema(copy.items)
  if ([copy.type].flat().includes('object')) copy.additionalProperties ??= false
  return copy as S
}

/** Returns a value without the properties that its schema refuses. */
export function withoutRefused(value: unknown, schema: ArgumentSchema): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { items, properties = {}, patternProperties, additionalProperties } = schema
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => withoutRefused(item, items))
  if (additionalProperties !== false || patternProperties !== undefined) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      Object.hasOwn(properties, name) ? [[name, withoutRefused(inner, properties[name]!)]] : [],
    ),
  )
}
