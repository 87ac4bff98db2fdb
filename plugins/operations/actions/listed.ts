import { validateValue } from '../../requests/arguments/index.ts'
import type { ArgumentSchema } from '../../../kernel/index.ts'

/** Whether the objects of a schema have only the properties that it lists. */
function isClosed({
  properties,
  patternProperties,
  additionalProperties: others,
  anyOf,
  oneOf,
}: ArgumentSchema): boolean {
  return properties !== undefined && [patternProperties, others, anyOf, oneOf].every((keyword) => keyword === undefined)
}

/** Adds `additionalProperties: false` to object schemas that list their properties, unless they allow others. */
export function closed(schema: ArgumentSchema): ArgumentSchema {
  const { properties, items, anyOf, oneOf } = schema
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, closed(part)])),
    }),
    ...(items && { items: closed(items) }),
    ...(anyOf && { anyOf: anyOf.map(closed) }),
    ...(oneOf && { oneOf: oneOf.map(closed) }),
    ...(isClosed(schema) && { additionalProperties: false }),
  }
}

/** Removes properties that the schema does not list from a valid value. */
export function pickListed(value: unknown, schema: ArgumentSchema): unknown {
  const { properties = {}, items, anyOf, oneOf } = schema
  const fitting = [...(anyOf ?? []), ...(oneOf ?? [])].find((part) => validateValue(value, part, 'output') === true)
  const shown = fitting === undefined ? value : pickListed(value, fitting)
  if (typeof shown !== 'object' || shown === null) return shown
  if (Array.isArray(shown)) return items === undefined ? shown : shown.map((item) => pickListed(item, items))
  const entries = Object.entries(shown).filter(([name]) => !isClosed(schema) || Object.hasOwn(properties, name))
  return Object.fromEntries(
    entries.map(([name, part]) => [name, Object.hasOwn(properties, name) ? pickListed(part, properties[name]!) : part]),
  )
}
