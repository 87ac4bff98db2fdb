import { linearPattern } from './linear-pattern.ts'
import { isSchema } from './rules.ts'
import type { ArgumentSchema } from '../../../kernel/index.ts'
import { FORMAT_NAMES } from '../../library/schemas/index.ts'
import { hint } from '../../library/suggestions/index.ts'

/** Kind of a schema. Arguments and properties have callbacks and contexts; options are checked as JSON Schema. */
export type Dialect = 'argument' | 'option' | 'block'

/** Rule for the value of a keyword. */
interface Rule {
  /** Returns why a value is invalid, or null. */
  wrong?: (value: unknown) => string | null
  /** Whether the value contains one schema, a map of schemas by name, or a list. */
  holds?: 'schema' | 'map' | 'list'
}

const must =
  (expected: string, is: (value: unknown) => boolean): NonNullable<Rule['wrong']> =>
  (value) =>
    is(value) ? null : `it must be ${expected}`

const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value)
const text: Rule = { wrong: must('a text', (value) => typeof value === 'string') }
const flag: Rule = { wrong: must('true or false', (value) => typeof value === 'boolean') }
const number: Rule = { wrong: must('a number', isNumber) }
const count: Rule = {
  wrong: must('a whole number, 0 or more', (value) => Number.isInteger(value) && Number(value) >= 0),
}
const bound: Rule = {
  wrong: must(
    'a number, or true together with minimum or maximum',
    (value) => typeof value === 'boolean' || isNumber(value),
  ),
}
const reference: Rule = {
  wrong: must('the name of a source, or { source: string, … }', (value) => {
    return typeof value === 'string' || (isSchema(value) && 'source' in value && typeof value.source === 'string')
  }),
}
const step: Rule = { wrong: must('a number above 0', (value) => isNumber(value) && Number(value) > 0) }
const values: Rule = {
  wrong: must('a non-empty list of values', (value) => Array.isArray(value) && value.length > 0),
}
const anything: Rule = {}
const callback: Rule = {
  wrong: must('a function, or null', (value) => value === null || typeof value === 'function'),
}
const schema: Rule = { wrong: must('a schema', isSchema), holds: 'schema' }
const schemaOrFlag: Rule = {
  wrong: must('true, false or a schema', (value) => typeof value === 'boolean' || isSchema(value)),
  holds: 'schema',
}
const schemas: Rule = { wrong: must('an object of schemas by name', isSchema), holds: 'map' }
const forms: Rule = {
  wrong: must('a list of schemas', (value) => Array.isArray(value) && value.length > 0),
  holds: 'list',
}
const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string')
const contexts: Rule = {
  wrong(value) {
    if (!isNames(value)) return 'it must be a list of view, edit and embed'
    const allowed = ['view', 'edit', 'embed']
    const unknown = value.find((name) => !allowed.includes(name))
    return unknown === undefined ? null : `there is no context ${unknown}${hint(unknown, allowed)}`
  },
}
const format: Rule = {
  wrong(value) {
    if ((FORMAT_NAMES as readonly unknown[]).includes(value)) return null
    return typeof value === 'string' ? `there is no such format${hint(value, FORMAT_NAMES)}` : 'it must be a text'
  },
}
const sizeLimits: Rule = {
  wrong: must('{ text?: number, entries?: number }', (value) => {
    if (!isSchema(value)) return false
    return Object.entries(value).every(([name, limit]) => /^(?:text|entries)$/.test(name) && typeof limit === 'number')
  }),
}

/** Returns why a text is not a valid pattern of the engine, or null. */
function patternProblem(source: unknown, compile: (source: string) => unknown): string | null {
  if (typeof source !== 'string') return 'it must be a text: the source of a regular expression'
  // With slashes or flags, the pattern never matches.
  if (/^\/\^|\$\/[a-z]*$/.test(source)) return 'write the source alone, without slashes and flags'
  try {
    compile(source)
    return null
  } catch (error) {
    const { message } = ((error as Error).cause ?? error) as Error
    const advice = message.includes('Perl') ? ': write it without look-around and back-references' : ''
    return `it cannot be used as a pattern: ${message.replace('error parsing regexp: ', '')}${advice}`
  }
}
const linear = (source: unknown) => patternProblem(source, linearPattern)
const unicode = (source: unknown) => patternProblem(source, (one) => new RegExp(one, 'u'))

/** Rule for a map of schemas by pattern. */
const byPattern = (compile: (source: unknown) => string | null): Rule => ({
  holds: 'map',
  wrong(value) {
    if (!isSchema(value)) return 'it must be an object of schemas by pattern'
    return (
      Object.keys(value)
        .map(compile)
        .find((problem) => problem !== null) ?? null
    )
  },
})

/** Keywords of all dialects. */
const COMMON = {
  // `typeMistake` checks the type.
  type: anything,
  title: text,
  description: text,
  default: anything,
  enum: values,
  format,
  items: schema,
  properties: schemas,
  additionalProperties: schemaOrFlag,
  minimum: number,
  maximum: number,
  multipleOf: step,
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  uniqueItems: flag,
  minProperties: count,
  maxProperties: count,
  anyOf: forms,
  oneOf: forms,
} satisfies Record<string, Rule>

/** Other keywords of arguments. The compiler requires an entry for each. */
const ARGUMENT_ONLY = {
  patternProperties: byPattern(linear),
  pattern: { wrong: linear },
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  required: {
    wrong: must('true or false, or a list of properties', (value) => typeof value === 'boolean' || isNames(value)),
  },
  size_limits: sizeLimits,
  references: reference,
  hidden: flag,
  validate_callback: callback,
  sanitize_callback: callback,
} satisfies Record<Exclude<keyof ArgumentSchema, keyof typeof COMMON | `x-${string}`>, Rule>

/** Additional keywords of item properties. Arguments inherit them. */
const PROPERTY_ONLY = {
  context: contexts,
  readonly: flag,
  arg_options: schema,
  links: anything,
  $schema: anything,
} satisfies Record<string, Rule>

/** Keywords of options, which are checked as JSON Schema draft 7. */
const OPTION_ONLY = {
  patternProperties: byPattern(unicode),
  pattern: { wrong: unicode },
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  required: { wrong: must('a list of properties; an option itself has a default', isNames) },
  secret: flag,
  const: anything,
  examples: anything,
  not: schema,
  allOf: forms,
  if: schema,
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: schema,
  else: schema,
  contains: schema,
  propertyNames: schema,
} satisfies Record<string, Rule>

/** Keywords of block attributes: the location in the HTML and the role of the attribute. */
const BLOCK_ONLY = {
  source: text,
  selector: text,
  attribute: text,
  multiline: text,
  query: schemas,
  meta: text,
  role: text,
  __experimentalRole: text,
} satisfies Record<string, Rule>

const ARGUMENT: Readonly<Record<string, Rule>> = { ...COMMON, ...ARGUMENT_ONLY, ...PROPERTY_ONLY }

export const KEYWORDS_OF: Readonly<Record<Dialect, Readonly<Record<string, Rule>>>> = {
  argument: ARGUMENT,
  option: { ...COMMON, ...OPTION_ONLY },
  block: { ...ARGUMENT, ...BLOCK_ONLY },
}

/** Types that a keyword applies to. Keywords that are not listed apply to all types. */
export const TYPES_OF: Readonly<Record<string, readonly string[]>> = {
  minimum: ['integer', 'number'],
  maximum: ['integer', 'number'],
  exclusiveMinimum: ['integer', 'number'],
  exclusiveMaximum: ['integer', 'number'],
  multipleOf: ['integer', 'number'],
  minLength: ['string'],
  maxLength: ['string'],
  pattern: ['string'],
  format: ['string'],
  items: ['array'],
  minItems: ['array'],
  maxItems: ['array'],
  uniqueItems: ['array'],
  properties: ['object'],
  patternProperties: ['object'],
  additionalProperties: ['object'],
  minProperties: ['object'],
  maxProperties: ['object'],
}

/** Types by their names in other systems. */
export const TYPE_SYNONYMS: Readonly<Record<string, string>> = {
  int: 'integer',
  int32: 'integer',
  int64: 'integer',
  bool: 'boolean',
  float: 'number',
  double: 'number',
  decimal: 'number',
  numeric: 'number',
  str: 'string',
  text: 'string',
  list: 'array',
  map: 'object',
  dict: 'object',
  hash: 'object',
  json: 'object',
  nil: 'null',
  undefined: 'null',
  date: "string with format: 'date-time'",
  datetime: "string with format: 'date-time'",
  email: "string with format: 'email'",
  uuid: "string with format: 'uuid'",
}

/** Keywords by their names in other systems. */
export const KEYWORD_SYNONYMS: Readonly<Record<string, string>> = {
  min: 'minimum',
  max: 'maximum',
  require: 'required',
  optional: 'required: false',
  nullable: "type: [ …, 'null' ]",
  enums: 'enum',
  values: 'enum',
  options: 'enum',
  choices: 'enum',
  regex: 'pattern',
  regexp: 'pattern',
  match: 'pattern',
  validate: 'validate_callback',
  validator: 'validate_callback',
  sanitize: 'sanitize_callback',
  transform: 'sanitize_callback',
  fields: 'properties',
  defaultvalue: 'default',
  $ref: 'the schema itself in its place',
  $defs: 'the schemas themselves in their places',
  definitions: 'the schemas themselves in their places',
  allof: 'one schema with the keywords of all',
  const: 'enum with one value',
  readonly: 'readonly',
  contexts: 'context',
}
