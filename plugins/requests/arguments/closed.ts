import type { ArgumentSchema } from '../../../kernel/index.ts'

/** The schema with `additionalProperties: false` wherever it does not say otherwise. */
export function closedSchema<S extends ArgumentSchema>(schema: S): S {
  const copy: ArgumentSchema = { ...schema }
  if (copy.properties !== undefined) {
    const inner = Object.entries(copy.properties).map(([name, property]) => [name, closedSchema(property)])
    copy.properties = Object.fromEntries(inner)
  }
  if (copy.items !== undefined) copy.items = closedSchema(copy.items)
  if ([copy.type].flat().includes('object')) copy.additionalProperties ??= false
  return copy as S
}

/** A value without the properties that its schema refuses. */
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
