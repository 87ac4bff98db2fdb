/**
 * How large an argument may be. Checked before anything is split, cast, compared or looked up, and before permissions, so
 * that a refusal costs next to nothing.
 */
import { isSchema, number } from './rules.ts'
import type { RuleCode } from './rule-errors.ts'
import type { ArgumentSchema } from '../../../kernel/index.ts'
import type { SizeLimits } from '../../library/schemas/index.ts'

/** The limits of values that may be long, such as meta and settings. */
export const LONG_TEXTS: SizeLimits = { text: 1_048_576 }

/** For texts that are limited elsewhere: by the size of a body, or by what reads them. */
export const TEXTS_OF_ANY_LENGTH: SizeLimits = { text: Number.POSITIVE_INFINITY }

/** Characters of a text: more than a form field, or a list of IDs in one text, ever has. */
const MAX_TEXT_LENGTH = 131_072
/** Entries: more than a request needs, and few enough for a statement to have several lists of them. */
const MAX_ENTRIES = 4_000

/** A value that is too large. */
export interface SizeProblem {
  /** Where in the argument it is: empty for the argument itself, else `[0][part]`. */
  path: string
  /** The rule that is broken. */
  code: RuleCode
  /** The end of the sentence that begins with its name. */
  text: string
}

/** Finds what of a value is too large; null when nothing is. */
export type SizeCheck = (value: unknown) => SizeProblem | null

/** Types that only short texts are cast to. */
const SHORT_TYPES: ReadonlySet<unknown> = new Set(['integer', 'number', 'boolean', 'null'])

/**
 * The size check of a schema; null where it checks no values, or where they are short in any case. `maxLength`,
 * `maxItems` and `maxProperties` take the place of the limits.
 * @param outer the limits of the schema around it
 */
export function sizeCheckOf(schema: ArgumentSchema, outer: SizeLimits = {}): SizeCheck | null {
  const limits = { ...outer, ...schema.size_limits }
  const forms = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []) as ArgumentSchema[])
  if (forms.length > 0) {
    const { anyOf: _, oneOf: __, ...common } = schema
    const typed = forms.map((form): ArgumentSchema => ({ ...common, ...form }))
    // No text is an object.
    const texts = typed.filter(({ type }) => type !== 'object')
    const [ofAll, ofTexts] = [typed, texts.length === 0 ? typed : texts].map((some) =>
      anyOf(some.map((form) => sizeCheckOf(form, limits))),
    )
    return (value) => (typeof value === 'string' ? ofTexts : ofAll)?.(value) ?? null
  }
  const types = [schema.type].flat()
  if (schema.size_limits === undefined && types.every((type) => type === undefined || SHORT_TYPES.has(type)))
    return null
  const longest = textLimit(schema, limits)
  const most = number(schema.maxItems) ?? number(schema.maxProperties) ?? limits.entries ?? MAX_ENTRIES
  const inList = isSchema(schema.items) ? sizeCheckOf(schema.items, limits) : null
  const inMap = mapSizeCheck(schema, limits)
  // A text stands for the list of its parts, unless it may be one as it stands.
  const splits = types.includes('array') && !types.includes('string') && isSchema(schema.items)
  return (value) => {
    if (typeof value === 'string') {
      if (value.length > longest.units) return tooLong(longest.characters)
      return splits && hasMoreParts(value, most) ? tooMany(most) : null
    }
    if (typeof value !== 'object' || value === null) return null
    // A map may stand for a list: `a[0]=`, `a[7]=`.
    if (!Array.isArray(value) && types.includes('object')) {
      if (Object.keys(value).length > most) return tooManyProperties(most)
      return inMap?.(value as Record<string, unknown>) ?? null
    }
    const list: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
    if (list.length > most) return tooMany(most)
    let total = 0
    for (const item of list) if (typeof item === 'string') total += item.length
    return total > longest.units ? tooLong(longest.characters) : firstOf(list, inList)
  }
}

/** The limit of a text: in UTF-16 units, and in characters as the client is told. */
function textLimit(schema: ArgumentSchema, limits: SizeLimits): { units: number; characters: number } {
  const length = number(schema.maxLength)
  // A character is two units at most; the schema counts them once it is known that there are not too many.
  if (length !== null) return { units: length * 2, characters: length }
  const usual = limits.text ?? MAX_TEXT_LENGTH
  const [items, each] = [number(schema.maxItems), number(schema.items?.maxLength)]
  const characters = items !== null && each !== null ? Math.max(usual, items * each * 2) : usual
  return { units: characters, characters }
}

/** The size check of the values of a map: by the schema of each declared property, and of the others. */
function mapSizeCheck(
  schema: ArgumentSchema,
  limits: SizeLimits,
): ((map: Record<string, unknown>) => SizeProblem | null) | null {
  const declared = new Map<string, SizeCheck | null>()
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    declared.set(name, sizeCheckOf(property, limits))
  const others = [...Object.values(schema.patternProperties ?? {}), schema.additionalProperties].filter(isSchema)
  const ofOthers = others.length === 0 ? null : anyOf(others.map((other) => sizeCheckOf(other, limits)))
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

/** The size check of a value that needs only one of several forms. */
function anyOf(bounds: readonly (SizeCheck | null)[]): SizeCheck | null {
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

/** Whether a text has more parts between its commas and white space than it may. */
function hasMoreParts(text: string, most: number): boolean {
  let parts = 0
  let inside = false
  for (let at = 0; at < text.length && parts <= most; at += 1) {
    const unit = text.charCodeAt(at)
    const separates = unit === COMMA || unit === SPACE || (unit >= TAB && unit <= RETURN)
    if (!separates && !inside) parts += 1
    inside = !separates
  }
  return parts > most
}

const [TAB, RETURN, SPACE, COMMA] = [9, 13, 32, 44]

const tooMany = (most: number): SizeProblem => ({
  path: '',
  code: 'rest_too_many_items',
  text: ` must have at most ${most} ${most === 1 ? 'item' : 'items'}.`,
})

const tooManyProperties = (most: number): SizeProblem => ({
  path: '',
  code: 'rest_too_many_properties',
  text: ` must have at most ${most} ${most === 1 ? 'property' : 'properties'}.`,
})

const tooLong = (most: number): SizeProblem => ({
  path: '',
  code: 'rest_too_long',
  text: ` must have at most ${most} characters.`,
})
