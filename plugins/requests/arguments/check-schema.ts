import { shown, type ArgumentSchema } from '../../../kernel/index.ts'
import { TYPES, type SchemaType } from '../../library/schemas/index.ts'
import { hint } from '../../library/suggestions/index.ts'
import { contradiction } from './contradiction.ts'
import { isSchema } from './rules.ts'
import { KEYWORDS_OF, KEYWORD_SYNONYMS, TYPE_SYNONYMS, TYPES_OF, type Dialect } from './schema-words.ts'

export type { Dialect } from './schema-words.ts'

/** Levels of nesting above which a schema is assumed to contain itself. */
const MAX_SCHEMA_DEPTH = 64

/**
 * Describes the first mistake in a schema, worded to follow the name of the argument: `has the type "int": did you mean
 * integer?`. Returns null for a valid schema. A misspelled keyword would otherwise silently disable its check.
 * @param dialect kind of the schema: an argument or property, an option, or a block attribute
 */
export function schemaMistake(schema: unknown, dialect: Dialect = 'argument'): string | null {
  const found = mistakeAt(schema, dialect, '', undefined, 0)
  if (found === null) return null
  return found.path === '' ? found.text : `(at ${found.path}) ${found.text}`
}

/** Returns the first mistake in schemas by name: `the argument "limit" has …`; null if all are valid. */
export function schemasMistake(schemas: unknown, noun: string, dialect: Dialect = 'argument'): string | null {
  if (!isSchema(schemas)) return `the ${noun}s are ${shown(schemas)}: they must be an object of schemas by name`
  for (const [name, schema] of Object.entries(schemas)) {
    const mistake = schemaMistake(schema, dialect)
    if (mistake !== null) return `the ${noun} "${name}" ${mistake}`
  }
  return null
}

interface Mistake {
  /** Path inside the schema: `items.properties.size`, or '' for the schema itself. */
  path: string
  text: string
}

type Outer = SchemaType | readonly SchemaType[] | undefined

function mistakeAt(schema: unknown, dialect: Dialect, path: string, outer: Outer, depth: number): Mistake | null {
  const at = (text: string): Mistake => ({ path, text })
  if (!isSchema(schema)) return at(`is ${shown(schema)}: it must be a schema, such as { type: 'string' }`)
  if (depth > MAX_SCHEMA_DEPTH) return { path: '', text: 'contains itself: write out each level' }
  const keywords = KEYWORDS_OF[dialect]
  for (const [keyword, value] of Object.entries(schema)) {
    // Undefined counts as missing.
    if (keyword.startsWith('x-') || value === undefined) continue
    const rule = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined
    if (rule === undefined) {
      return at(`has the unknown keyword "${keyword}"${hint(keyword, Object.keys(keywords), KEYWORD_SYNONYMS)}`)
    }
    const wrong = rule.wrong?.(value) ?? null
    if (wrong !== null) return at(`has ${keyword}: ${shown(value)}: ${wrong}`)
    const conflict = dialect === 'option' ? null : typeConflict(keyword, schema.type ?? outer, schema)
    if (conflict !== null) return at(conflict)
  }
  const type = schema.type ?? outer
  const wrongType = typeMistake(schema.type, dialect)
  const wrong = wrongType ?? contradiction(schema, type)
  if (wrong !== null) return at(wrong)
  for (const [keyword, inner, passesType] of innerSchemas(schema, dialect)) {
    const found = mistakeAt(
      inner,
      dialect,
      path === '' ? keyword : `${path}.${keyword}`,
      passesType ? type : undefined,
      depth + 1,
    )
    if (found !== null) return found
  }
  return requiredMistake(schema, path)
}

function typeMistake(type: unknown, dialect: Dialect): string | null {
  if (type === undefined) return null
  const validTypes: readonly string[] = dialect === 'block' ? [...TYPES, 'rich-text'] : TYPES
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  if (type === null) return "has the type null: write 'null', in quotes"
  if (types.length === 0) return 'has an empty list of types: name one, or leave type out'
  for (const one of types) {
    if (typeof one === 'string' && validTypes.includes(one)) continue
    // Other libraries accept the constructor as the type.
    const word = typeof one === 'function' ? one.name : String(one)
    if (/[|,]/.test(word)) return `has the type ${shown(one)}: name several types in a list`
    return `has the type ${typeof one === 'function' ? word : shown(one)}${hint(word, validTypes, TYPE_SYNONYMS)}`
  }
  return null
}

/** Returns why a keyword has no effect for the type of its schema; null if it has one. */
function typeConflict(keyword: string, type: unknown, schema: { required?: unknown }): string | null {
  const requiredTypes = keyword === 'required' && Array.isArray(schema.required) ? ['object'] : TYPES_OF[keyword]
  if (requiredTypes === undefined) return null
  const forms = 'anyOf' in schema || 'oneOf' in schema
  if (type === undefined) {
    // Keywords for strings also work without a type.
    return forms || requiredTypes.includes('string')
      ? null
      : `has ${keyword} but no type: add type: '${requiredTypes[0]}'`
  }
  const types = Array.isArray(type) ? type : [type]
  if (types.some((one) => requiredTypes.includes(one as string) || !(TYPES as readonly unknown[]).includes(one)))
    return null
  return `has ${keyword}, which is for ${requiredTypes.join(' and ')}, but the type ${types.join(', ')}`
}

/** Returns the nested schemas: their path, and whether they inherit the type of the enclosing schema. */
function innerSchemas(schema: object, dialect: Dialect): [path: string, schema: unknown, passesType: boolean][] {
  const inner: [string, unknown, boolean][] = []
  for (const [keyword, value] of Object.entries(schema)) {
    const holds = KEYWORDS_OF[dialect][keyword]?.holds
    if (value === undefined || holds === undefined) continue
    if (holds === 'schema' && typeof value !== 'boolean') inner.push([keyword, value, keyword === 'arg_options'])
    if (holds === 'map')
      for (const [name, one] of Object.entries(value as object)) inner.push([`${keyword}.${name}`, one, false])
    if (holds === 'list') (value as unknown[]).forEach((one, index) => inner.push([`${keyword}[${index}]`, one, true]))
  }
  return inner
}

/** Returns a mistake if `required` contains a misspelled property name. */
function requiredMistake(schema: ArgumentSchema, path: string): Mistake | null {
  const { required, properties, patternProperties, additionalProperties } = schema
  const isClosed = additionalProperties === false && patternProperties === undefined
  if (!Array.isArray(required) || !isSchema(properties)) return null
  const names = Object.keys(properties)
  const misspelt = required.find(
    (name: string) => !names.includes(name) && (isClosed || hint(name, names).startsWith(': did')),
  )
  if (misspelt === undefined) return null
  return { path, text: `requires "${misspelt as string}", which is not a property${hint(misspelt as string, names)}` }
}
