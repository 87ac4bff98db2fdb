import { errors, type RestError } from '../../kernel/index.ts'

/** The fields that a `_fields` parameter asks for. */
export class FieldSet {
  readonly names: readonly string[]
  /** The names, and all that stands above them: `a`, `a.b` and `a.b.c` for the name `a.b.c`. */
  readonly #above = new Set<string>()
  readonly #named: ReadonlySet<string>

  constructor(names: readonly string[]) {
    this.names = names
    this.#named = new Set(names)
    for (const name of this.#named) {
      this.#above.add(name)
      for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) this.#above.add(name.slice(0, dot))
    }
  }

  /** Whether a field is listed, has a listed child, or has a listed parent (specification 4.5, rule 5). */
  includes(field: string): boolean {
    if (this.#above.has(field)) return true
    for (let dot = field.indexOf('.'); dot >= 0; dot = field.indexOf('.', dot + 1)) {
      if (this.#named.has(field.slice(0, dot))) return true
    }
    return false
  }
}

/**
 * Reads a `_fields` parameter: a comma-separated list, or a list of names, whatever the keys in its brackets. Null when
 * it is absent or names nothing, so that everything is wanted.
 * @throws rest_invalid_param (400), as `namesOf`
 */
export function parseFields(value: unknown): FieldSet | null {
  if (value === undefined) return null
  const names = namesOf('_fields', value, ',')
  return names.length === 0 ? null : new FieldSet(names)
}

/** What a list of names may be: bytes, names, and parts of a name between its dots. */
const MOST_BYTES = 8_192
const MOST_NAMES = 500
const MOST_LEVELS = 10

/**
 * The names in a parameter that lists some: the parts of its text, or the texts of `a[]=` and `a[key]=`. Those inside of
 * further brackets are none.
 * @param parameter named where it is refused
 * @throws rest_invalid_param (400) for more than 8,192 bytes, 500 names or 10 levels of a name, wherever they are
 */
export function namesOf(parameter: string, value: unknown, separator: string | RegExp): string[] {
  const size = sizeOf(value, 0)
  if (size === Number.POSITIVE_INFINITY) throw refused(parameter, `is nested deeper than ${MOST_LEVELS} levels`)
  if (size > MOST_BYTES) throw refused(parameter, `holds more than ${MOST_BYTES} bytes`)
  const names = listed(value, separator)
  if (names.length > MOST_NAMES) throw refused(parameter, `lists more than ${MOST_NAMES} names`)
  for (const name of names) {
    let levels = 1
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) levels += 1
    if (levels > MOST_LEVELS) throw refused(parameter, `has a name of more than ${MOST_LEVELS} levels`)
  }
  return names
}

function listed(value: unknown, separator: string | RegExp): string[] {
  const texts =
    typeof value === 'string'
      ? value.split(separator)
      : typeof value === 'object' && value !== null
        ? Object.values(value).filter((name) => typeof name === 'string')
        : []
  return texts.map((name) => name.trim()).filter((name) => name !== '')
}

/** How many bytes a value is: no more are counted than there may be, and without end where it is nested too deep. */
function sizeOf(value: unknown, depth: number): number {
  // The bytes are counted once it is known that there are not too many.
  if (typeof value === 'string') return value.length > MOST_BYTES ? value.length : Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return 0
  if (depth === MOST_LEVELS) return Number.POSITIVE_INFINITY
  let size = 0
  for (const inner of Object.values(value)) {
    // As the mark between two names of a text.
    size += sizeOf(inner, depth + 1) + 1
    if (size > MOST_BYTES + 1) break
  }
  return Math.max(size - 1, 0)
}

function refused(parameter: string, why: string): RestError {
  const sentence = `${parameter} ${why}: ask for less.`
  return errors.rest_invalid_param(`Invalid parameter(s): ${parameter}`, {
    data: {
      params: { [parameter]: sentence },
      details: { [parameter]: { code: 'rest_invalid_param', message: sentence, data: null } },
    },
  })
}
