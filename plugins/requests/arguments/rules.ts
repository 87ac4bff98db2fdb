/** Reads from a schema which rules of specification 7.1 and 7.2 apply to a value. `compile.ts` compiles them. */
import type { ArgumentSchema } from '../../../kernel/index.ts'
import { TYPES, type SchemaFormat, type SchemaType } from '../../library/schemas/index.ts'
import { booleanLike } from './cast.ts'
import { FORMATS } from './formats.ts'

const SCALARS: readonly SchemaType[] = ['string', 'integer', 'number', 'boolean']

/** Bounds of a count; null for no bound. */
export interface Range {
  min: number | null
  max: number | null
}

/** The applicable rules of a schema, under the names of the keywords that check them (`keywords.ts`). */
export interface Rules {
  anyOf?: Rules[]
  oneOf?: Rules[]
  /** Rules for each type of a type list. */
  kinds?: Rules[]
  kind?: { name: string; checked: SchemaType | null; split: boolean; loose: boolean }
  format?: SchemaFormat
  bounds?: Range & { minExclusive: boolean; maxExclusive: boolean }
  multipleOf?: number
  length?: Range
  pattern?: string
  size?: Range
  unique?: true
  items?: Rules
  map?: {
    declared: readonly (readonly [name: string, rules: Rules])[]
    patterns: readonly (readonly [pattern: string, rules: Rules])[]
    /** Rules for other properties; false refuses them. */
    additional: Rules | boolean
    required: readonly string[]
    count: Range
  }
  enum?: { values: readonly unknown[]; text: string }
}

const rulesCache = new WeakMap<object, Rules>()

/** Returns the rules of a schema, cached for the lifetime of the schema object. */
export function rulesOf(schema: ArgumentSchema): Rules {
  let rules = rulesCache.get(schema)
  if (rules === undefined) {
    rules = readSchema(schema)
    rulesCache.set(schema, rules)
  }
  return rules
}

function readSchema(schema: ArgumentSchema): Rules {
  const rules: Rules = {}
  // An alternative without a type inherits the type of the enclosing schema.
  const forms = (list: unknown) =>
    Array.isArray(list) && list.length > 0
      ? (list as ArgumentSchema[]).map((form) =>
          form.type === undefined && schema.type !== undefined
            ? readSchema({ ...form, type: schema.type })
            : rulesOf(form),
        )
      : null
  const anyOf = forms(schema.anyOf)
  const oneOf = forms(schema.oneOf)
  if (anyOf !== null) rules.anyOf = anyOf
  if (oneOf !== null) rules.oneOf = oneOf
  const types = Array.isArray(schema.type) ? (schema.type as readonly string[]) : [schema.type as string | undefined]
  const [only, ...more] = types.map((type) => rulesForType(schema, type, types))
  return more.length === 0 ? { ...rules, ...only } : { ...rules, kinds: [only ?? {}, ...more] }
}

/** Returns the rules of a schema for one of its types. */
function rulesForType(schema: ArgumentSchema, type: string | undefined, types: readonly unknown[]): Rules {
  const checked = TYPES.find((kind) => kind === type) ?? null
  const rules: Rules = {}
  if (type !== undefined) {
    // A value that already has another listed type is not converted to a list or a map.
    const others: readonly unknown[] = checked === 'array' ? SCALARS : ['array']
    const loose = !types.some((other) => others.includes(other))
    rules.kind = { name: type, checked, split: isSchema(schema.items), loose }
  }
  if (checked === 'string' || type === undefined) Object.assign(rules, textRules(schema))
  if (checked === 'integer' || checked === 'number') Object.assign(rules, numberRules(schema))
  if (checked === 'array') Object.assign(rules, listRules(schema))
  if (checked === 'object') rules.map = mapRules(schema)
  if (Array.isArray(schema.enum) && schema.enum.length > 0) {
    const values = schema.enum as readonly unknown[]
    rules.enum = { values: [...values, ...castAll(values, checked)], text: values.map(display).join(', ') }
  }
  return rules
}

function textRules(schema: ArgumentSchema): Rules {
  const rules: Rules = {}
  if (typeof schema.format === 'string' && Object.hasOwn(FORMATS, schema.format)) rules.format = schema.format
  const length = range(schema.minLength, schema.maxLength)
  if (length !== null) rules.length = length
  if (typeof schema.pattern === 'string') rules.pattern = schema.pattern
  return rules
}

function numberRules(schema: ArgumentSchema): Rules {
  const rules: Rules = {}
  const { exclusiveMinimum, exclusiveMaximum } = schema
  // Later drafts of JSON Schema use a number as an exclusive bound without `minimum`.
  const min = number(schema.minimum) ?? number(exclusiveMinimum)
  const max = number(schema.maximum) ?? number(exclusiveMaximum)
  if (min !== null || max !== null) {
    const exclusive = (flag: unknown, own: unknown) => (number(own) === null ? true : Boolean(flag))
    rules.bounds = {
      min,
      max,
      minExclusive: min !== null && exclusive(exclusiveMinimum, schema.minimum),
      maxExclusive: max !== null && exclusive(exclusiveMaximum, schema.maximum),
    }
  }
  const multiple = number(schema.multipleOf)
  if (multiple !== null && multiple > 0) rules.multipleOf = multiple
  return rules
}

function listRules(schema: ArgumentSchema): Rules {
  const rules: Rules = {}
  const size = range(schema.minItems, schema.maxItems)
  if (size !== null) rules.size = size
  if (schema.uniqueItems === true) rules.unique = true
  if (isSchema(schema.items)) rules.items = rulesOf(schema.items)
  return rules
}

function mapRules(schema: ArgumentSchema): NonNullable<Rules['map']> {
  const entries = (map: unknown) => (isSchema(map) ? Object.entries(map as Record<string, ArgumentSchema>) : [])
  const withRules = ([name, property]: [string, ArgumentSchema]) => [name, rulesOf(property)] as const
  const properties = entries(schema.properties)
  const { additionalProperties } = schema
  return {
    declared: properties.map(withRules),
    patterns: entries(schema.patternProperties).map(withRules),
    additional: isSchema(additionalProperties) ? rulesOf(additionalProperties) : additionalProperties !== false,
    required: [
      ...(Array.isArray(schema.required) ? (schema.required as unknown[]).map(String) : []),
      ...properties.filter(([, property]) => property.required === true).map(([name]) => name),
    ],
    count: range(schema.minProperties, schema.maxProperties) ?? { min: null, max: null },
  }
}

export const isSchema = (value: unknown): value is ArgumentSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const number = (value: unknown): number | null =>
  typeof value === 'number' && !Number.isNaN(value) ? value : null

function range(min: unknown, max: unknown): Range | null {
  return number(min) === null && number(max) === null ? null : { min: number(min), max: number(max) }
}

/** Casts the listed values as requests' values are cast: `'1'` in the enum of an integer means 1. */
function castAll(values: readonly unknown[], kind: SchemaType | null): unknown[] {
  const scalars = values.filter((value) => typeof value === 'string' || typeof value === 'number')
  if (kind === 'integer' || kind === 'number') return scalars.map(Number).filter(Number.isFinite)
  if (kind === 'boolean') return scalars.map(booleanLike).filter((value) => value !== undefined)
  return []
}

const display = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
