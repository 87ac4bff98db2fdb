import { shown, type ArgumentSchema } from '../../../kernel/index.ts'
import { TYPES, type SchemaType } from '../../library/schemas/index.ts'
import { hint } from '../../library/suggestions/index.ts'
import { contradiction } from './contradiction.ts'
import { isSchema } from './rules.ts'
import { KEYWORDS_OF, MEANT_KEYWORDS, MEANT_TYPES, TYPES_OF, type Dialect } from './schema-words.ts'

export type { Dialect } from './schema-words.ts'

/** Deeper than any schema is; one that holds itself has no end. */
const MAX_SCHEMA_DEPTH = 64

/**
 * Describes the first mistake in a schema, in words that follow the name of its argument: `has the type "int": did you mean
 * integer?`. Null for a valid schema. A wrong word in a schema would switch off its checks without a message.
 * @param dialect whether it is the schema of an argument or a property, of an option, or of an attribute of a block
 */
export function schemaMistake(schema: unknown, dialect: Dialect = 'argument'): string | null {
  const found = mistakeAt(schema, dialect, '', undefined, 0)
  if (found === null) return null
  return found.path === '' ? found.text : `(at ${found.path}) ${found.text}`
}

/** The first wrong schema of some by name: `the argument "limit" has …`. */
export function schemasMistake(schemas: unknown, what: string, dialect: Dialect = 'argument'): string | null {
  if (!isSchema(schemas)) return `the ${what}s are ${shown(schemas)}: they must be an object of schemas by name`
  for (const [name, schema] of Object.entries(schemas)) {
    const mistake = schemaMistake(schema, dialect)
    if (mistake !== null) return `the ${what} "${name}" ${mistake}`
  }
  return null
}

interface Mistake {
  /** Where in the schema: `items.properties.size`; '' for the schema itself. */
  path: string
  text: string
}

type Outer = SchemaType | readonly SchemaType[] | undefined

function mistakeAt(schema: unknown, dialect: Dialect, path: string, outer: Outer, depth: number): Mistake | null {
  const at = (text: string): Mistake => ({ path, text })
  if (!isSchema(schema)) return at(`is ${shown(schema)}: it must be a schema, such as { type: 'string' }`)
  if (depth > MAX_SCHEMA_DEPTH) return { path: '', text: 'holds itself: write the levels out' }
  const keywords = KEYWORDS_OF[dialect]
  for (const [keyword, value] of Object.entries(schema)) {
    // What is undefined is as good as left out.
    if (keyword.startsWith('x-') || value === undefined) continue
    const rule = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined
    if (rule === undefined) {
      return at(`has the unknown keyword "${keyword}"${hint(keyword, Object.keys(keywords), MEANT_KEYWORDS)}`)
    }
    const wrong = rule.wrong?.(value) ?? null
    if (wrong !== null) return at(`has ${keyword}: ${shown(value)}: ${wrong}`)
    const unmet = dialect === 'option' ? null : unmetType(keyword, schema.type ?? outer, schema)
    if (unmet !== null) return at(unmet)
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
  const known: readonly string[] = dialect === 'block' ? [...TYPES, 'rich-text'] : TYPES
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  if (type === null) return "has the type null: write 'null', in quotes"
  if (types.length === 0) return 'has an empty list of types: name one, or leave type out'
  for (const one of types) {
    if (typeof one === 'string' && known.includes(one)) continue
    // Other libraries take the constructor.
    const word = typeof one === 'function' ? one.name : String(one)
    if (/[|,]/.test(word)) return `has the type ${shown(one)}: name several types in a list`
    return `has the type ${typeof one === 'function' ? word : shown(one)}${hint(word, known, MEANT_TYPES)}`
  }
  return null
}

/** Why a keyword has no effect beside the type of its schema; null where it has. */
function unmetType(keyword: string, type: unknown, schema: { required?: unknown }): string | null {
  const wanted = keyword === 'required' && Array.isArray(schema.required) ? ['object'] : TYPES_OF[keyword]
  if (wanted === undefined) return null
  const forms = 'anyOf' in schema || 'oneOf' in schema
  if (type === undefined) {
    // Texts are checked without a type, too.
    return forms || wanted.includes('string') ? null : `has ${keyword} but no type: add type: '${wanted[0]}'`
  }
  const types = Array.isArray(type) ? type : [type]
  if (types.some((one) => wanted.includes(one as string) || !(TYPES as readonly unknown[]).includes(one))) return null
  return `has ${keyword}, which is for ${wanted.join(' and ')}, but the type ${types.join(', ')}`
}

/** The schemas in a schema: where they are, and whether they have the type around them. */
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

/** A name that must be given, and is misspelt. */
function requiredMistake(schema: ArgumentSchema, path: string): Mistake | null {
  const { required, properties, patternProperties, additionalProperties } = schema
  const isClosed = additionalProperties === false && patternProperties === undefined
  if (!Array.isArray(required) || !isSchema(properties)) return null
  const names = Object.keys(properties)
  const misspelt = required.find(
    (name: string) => !names.includes(name) && (isClosed || hint(name, names).startsWith(': did')),
  )
  if (misspelt === undefined) return null
  return { path, text: `requires "${misspelt as string}", which is no property${hint(misspelt as string, names)}` }
}
