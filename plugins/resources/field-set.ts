import { errors, type RestError } from '../../kernel/index.ts'

/** The fields of a `_fields` parameter. */
export class FieldSet {
  readonly names: readonly string[]
  /** The names and all their parents: `a`, `a.b` and `a.b.c` for the name `a.b.c`. */
  readonly #namesAndParents = new Set<string>()
  readonly #listed: ReadonlySet<string>

  constructor(names: readonly string[]) {
    this.names = names
    this.#listed = new Set(names)
    for (const name of this.#listed) {
      this.#namesAndParents.add(name)
      for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1))
        this.#namesAndParents.add(name.slice(0, dot))
    }
  }

  /** Returns whether a field is listed, has a listed child, or has a listed parent (specification 4.5, rule 5). */
  includes(field: string): boolean {
    if (this.#namesAndParents.has(field)) return true
    for (let dot = field.indexOf('.'); dot >= 0; dot = field.indexOf('.', dot + 1)) {
      if (this.#listed.has(field.slice(0, dot))) return true
    }
    return false
  }
}

/**
 * Parses a `_fields` parameter: a comma-separated list, or a list of names, ignoring the keys in its brackets. Returns
 * null, which selects all fields, if it is missing or empty.
 * @throws rest_invalid_param (400), as `namesOf`
 */
export function parseFields(value: unknown): FieldSet | null {
  if (value === undefined) return null
  const names = namesOf('_fields', value, ',')
  return names.length === 0 ? null : new FieldSet(names)
}

/** Limits of a list of names: bytes, names, and parts of a dotted name. */
const MAX_BYTES = 8_192
const MAX_NAMES = 500
const MAX_LEVELS = 10

/**
 * Returns the names in a list parameter: the parts of a text, or the strings in `a[]=` and `a[key]=`. Strings in nested
 * brackets are ignored.
 * @param parameter name of the parameter for the error
 * @throws rest_invalid_param (400) for more than 8,192 bytes, 500 names or 10 levels of a name or of brackets
 */
export function namesOf(parameter: string, value: unknown, separator: string | RegExp): string[] {
  const size = sizeOf(value, 0)
  if (size === Number.POSITIVE_INFINITY) throw fieldsError(parameter, `is nested deeper than ${MAX_LEVELS} levels`)
  if (size > MAX_BYTES) throw fieldsError(parameter, `has more than ${MAX_BYTES} bytes`)
  const names = parseNames(value, separator)
  if (names.length > MAX_NAMES) throw fieldsError(parameter, `lists more than ${MAX_NAMES} names`)
  for (const name of names) {
    let levels = 1
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) levels += 1
    if (levels > MAX_LEVELS) throw fieldsError(parameter, `has a name of more than ${MAX_LEVELS} levels`)
  }
  return names
}

function parseNames(value: unknown, separator: string | RegExp): string[] {
  const texts =
    typeof value === 'string'
      ? value.split(separator)
      : typeof value === 'object' && value !== null
        ? Object.values(value).filter((name) => typeof name === 'string')
        : []
  return texts.map((name) => name.trim()).filter((name) => name !== '')
}

/** Returns the bytes of a value, counting up to the limit; Infinity if it is nested too deeply. */
function sizeOf(value: unknown, depth: number): number {
  // Counts bytes only of texts that can be within the limit.
  if (typeof value === 'string') return value.length > MAX_BYTES ? value.length : Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return 0
  if (depth === MAX_LEVELS) return Number.POSITIVE_INFINITY
  let size = 0
  for (const inner of Object.values(value)) {
    // Counts one byte per separator.
    size += sizeOf(inner, depth + 1) + 1
    if (size > MAX_BYTES + 1) break
  }
  return Math.max(size - 1, 0)
}

function fieldsError(parameter: string, reason: string): RestError {
  const sentence = `${parameter} ${reason}. Request fewer fields.`
  return errors.rest_invalid_param(`Invalid parameter(s): ${parameter}`, {
    data: {
      params: { [parameter]: sentence },
      details: { [parameter]: { code: 'rest_invalid_param', message: sentence, data: null } },
    },
  })
}
