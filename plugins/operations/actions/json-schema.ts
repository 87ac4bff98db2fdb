import type { ArgumentSchema } from '../../../kernel/index.ts'

/** Keywords with the same meaning in argument schemas and JSON Schema. */
const KEYWORDS = [
  'title',
  'description',
  'default',
  'type',
  'enum',
  'format',
  'multipleOf',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
] as const satisfies readonly (keyof ArgumentSchema)[]

/**
 * Converts an argument schema to JSON Schema (2020-12): required properties become a list, and exclusive bounds become
 * numbers.
 */
export function toJsonSchema(schema: ArgumentSchema): Record<string, unknown> {
  const jsonSchema: Record<string, unknown> = {}
  for (const keyword of KEYWORDS) if (schema[keyword] !== undefined) jsonSchema[keyword] = schema[keyword]
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof schema[exclusive] === 'number') jsonSchema[exclusive] = schema[exclusive]
    if (schema[exclusive] !== true || jsonSchema[bound] === undefined) continue
    jsonSchema[exclusive] = jsonSchema[bound]
    delete jsonSchema[bound]
  }
  const { properties, patternProperties, additionalProperties: others, items, anyOf, oneOf } = schema
  if (properties !== undefined) jsonSchema['properties'] = eachToJsonSchema(properties)
  if (patternProperties !== undefined) jsonSchema['patternProperties'] = eachToJsonSchema(patternProperties)
  if (others !== undefined)
    jsonSchema['additionalProperties'] = typeof others === 'boolean' ? others : toJsonSchema(others)
  if (items !== undefined) jsonSchema['items'] = toJsonSchema(items)
  if (anyOf !== undefined) jsonSchema['anyOf'] = anyOf.map(toJsonSchema)
  if (oneOf !== undefined) jsonSchema['oneOf'] = oneOf.map(toJsonSchema)
  const required = requiredOf(schema)
  if (required.length > 0) jsonSchema['required'] = required
  return jsonSchema
}

/** Names of the required properties of an object, declared by a list or by flags. */
export function requiredOf({ properties = {}, required }: ArgumentSchema): string[] {
  const listed = Array.isArray(required) ? (required as string[]) : []
  const marked = Object.keys(properties).filter((name) => properties[name]?.required === true)
  return [...new Set([...listed, ...marked])]
}

function eachToJsonSchema(schemas: Readonly<Record<string, ArgumentSchema>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toJsonSchema(schema)]))
}
