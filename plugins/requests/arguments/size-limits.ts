/**
 * Limits the size of arguments. Checked before any value is split, cast, compared or looked up, and before permissions,
 * so that refusing a large value costs almost nothing.
 */
import { isSchema, number } from './rules.ts'
import type { RuleCode } from './rule-errors.ts'
import type { ArgumentSchema } from '../../../kernel/index.ts'
import type { SizeLimits } from '../../library/schemas/index.ts'

/** Limits for long values such as meta and settings. */
export const LONG_TEXT_LIMITS: SizeLimits = { text: 1_048_576 }

/** Limits for texts that are limited elsewhere: by the size of the body, or by the code that reads them. */
export const UNLIMITED_TEXT: SizeLimits = { text: Number.POSITIVE_INFINITY }

/** Characters of a text: more than form fields and comma-separated lists of IDs need. */
const MAX_TEXT_LENGTH = 131_072
/** Entries of a list or a map: more than a request needs, and few enough for several lists in one SQL statement. */
const MAX_ENTRIES = 4_000

/** A value that is too large. */
export interface SizeProblem {
  /** Path inside the argument: empty for the argument itself, otherwise `[0][part]`. */
  path: string
  /** Code of the broken rule. */
  code: RuleCode
  /** End of the error message, which follows the name of the argument. */
  text: string
}

/** Returns the first size problem of a value, or null. */
export type SizeCheck = (value: unknown) => SizeProblem | null

/** Types whose values are always short. */
const SHORT_TYPES: ReadonlySet<unknown> = new Set(['integer', 'number', 'boolean', 'null'])

/**
 * Returns the size check of a schema; null if it accepts any value or only short ones. `maxLength`, `maxItems` and
 * `maxProperties` override the limits.
 * @param outer limits of the enclosing schema
 */
export function sizeCheckOf(schema: ArgumentSchema, outer: SizeLimits = {}): SizeCheck | null {
  const limits = { ...outer, ...schema.size_limits }
  const forms = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []) as ArgumentSchema[])
  if (forms.length > 0) {
    const { anyOf: _, oneOf: __, ...common } = schema
    const typed = forms.map((form): ArgumentSchema => ({ ...common, ...form }))
    // A string cannot match an object.
    const texts = typed.filter(({ type }) => type !== 'object')
    const [checkAny, checkText] = [typed, texts.length === 0 ? typed : texts].map((subset) =>
      acceptAny(subset.map((form) => sizeCheckOf(form, limits))),
    )
    return (value) => (typeof value === 'string' ? checkText : checkAny)?.(value) ?? null
  }
  const types = [schema.type].flat()
  if (schema.size_limits === undefined && types.every((type) => type === undefined || SHORT_TYPES.has(type)))
    return null
  const maxText = textLimit(schema, limits)
  const max = number(schema.maxItems) ?? number(schema.maxProperties) ?? limits.entries ?? MAX_ENTRIES
  const inList = isSchema(schema.items) ? sizeCheckOf(schema.items, limits) : null
  const inMap = mapSizeCheck(schema, limits)
  // A text is split into a list unless the schema also accepts strings.
  const splits = types.includes('array') && !types.includes('string') && isSchema(schema.items)
  return (value) => {
    if (typeof value === 'string') {
      if (value.length > maxText.units) return tooLong(maxText.characters)
      return splits && hasMoreParts(value, max) ? tooMany(max) : null
    }
    if (typeof value !== 'object' || value === null) return null
    // A map can represent a list: `a[0]=`, `a[7]=`.
    if (!Array.isArray(value) && types.includes('object')) {
      if (Object.keys(value).length > max) return tooManyProperties(max)
      return inMap?.(value as Record<string, unknown>) ?? null
    }
    const list: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
    if (list.length > max) return tooMany(max)
    let total = 0
    for (const item of list) if (typeof item === 'string') total += item.length
    return total > maxText.units ? tooLong(maxText.characters) : firstOf(list, inList)
  }
}

/** Limit of a text in UTF-16 code units, and in characters for the message. */
function textLimit(schema: ArgumentSchema, limits: SizeLimits): { units: number; characters: number } {
  const length = number(schema.maxLength)
  // A character has at most two code units. The schema counts the characters after this cheaper check.
  if (length !== null) return { units: length * 2, characters: length }
  const usual = limits.text ?? MAX_TEXT_LENGTH
  const [items, each] = [number(schema.maxItems), number(schema.items?.maxLength)]
  const characters = items !== null && each !== null ? Math.max(usual, items * each * 2) : usual
  return { units: characters, characters }
}

/** Returns the size check for the values of a map, by the schemas of declared and of other properties. */
function mapSizeCheck(
  schema: ArgumentSchema,
  limits: SizeLimits,
): ((map: Record<string, unknown>) => SizeProblem | null) | null {
  const declared = new Map<string, SizeCheck | null>()
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    declared.set(name, sizeCheckOf(property, limits))
  const others = [...Object.values(schema.patternProperties ?? {}), schema.additionalProperties].filter(isSchema)
  const ofOthers = others.length === 0 ? null : acceptAny(others.map((other) => sizeCheckOf(other, limits)))
  if (ofOthers === null && [...declared.values()].every((bound) => bound === null)) return null
  return (map) => {
    for (const name of Object.keys(map)) {
      const bound = declared.has(name) ? declared.get(name) : ofOthers
      const excess = bound?.(map[name]) ?? null
      if (excess !== null) return { ...excess, path: `[${name}]${excess.path}` }
    }
    return null
  }
}

/** Returns a size check that accepts a value if one of the checks accepts it. */
function acceptAny(bounds: readonly (SizeCheck | null)[]): SizeCheck | null {
  const all = bounds.filter((bound) => bound !== null)
  if (all.length < bounds.length) return null
  return (value) => {
    let first: SizeProblem | null = null
    for (const bound of all) {
      const excess = bound(value)
      if (excess === null) return null
      first ??= excess
    }
    return first
  }
}

function firstOf(list: readonly unknown[], bound: SizeCheck | null): SizeProblem | null {
  if (bound === null) return null
  for (const [index, item] of list.entries()) {
    const excess = bound(item)
    if (excess !== null) return { ...excess, path: `[${index}]${excess.path}` }
  }
  return null
}

/** Returns whether a text splits at commas and white space into more than `max` parts. */
function hasMoreParts(text: string, max: number): boolean {
  let parts = 0
  let inside = false
  for (let at = 0; at < text.length && parts <= max; at += 1) {
    const unit = text.charCodeAt(at)
    const separates = unit === COMMA || unit === SPACE || (unit >= TAB && unit <= RETURN)
    if (!separates && !inside) parts += 1
    inside = !separates
  }
  return parts > max
}

const [TAB, RETURN, SPACE, COMMA] = [9, 13, 32, 44]

const tooMany = (max: number): SizeProblem => ({
  path: '',
  code: 'rest_too_many_items',
  text: ` must have at most ${max} ${max === 1 ? 'item' : 'items'}.`,
})

const tooManyProperties = (max: number): SizeProblem => ({
  path: '',
  code: 'rest_too_many_properties',
  text: ` must have at most ${max} ${max === 1 ? 'property' : 'properties'}.`,
})

const tooLong = (max: number): SizeProblem => ({
  path: '',
  code: 'rest_too_long',
  text: ` must have at most ${max} characters.`,
})
