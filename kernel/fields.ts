/** The fields that a `_fields` parameter asks for. */
export class FieldSet {
  readonly names: readonly string[]
  readonly #cache = new Map<string, boolean>()

  constructor(names: readonly string[]) {
    this.names = names
  }

  /** Whether a field is listed, has a listed child, or has a listed parent (specification 4.5, rule 5). */
  includes(field: string): boolean {
    let known = this.#cache.get(field)
    if (known === undefined) {
      known = this.names.some((name) => name === field || name.startsWith(`${field}.`) || field.startsWith(`${name}.`))
      this.#cache.set(field, known)
    }
    return known
  }
}

/**
 * Reads a `_fields` parameter: a comma-separated list, or a list of names, whatever the keys in its brackets. Null when
 * it is absent or names nothing, so that everything is wanted.
 */
export function parseFields(value: unknown): FieldSet | null {
  if (value === undefined) return null
  const names = namesOf(value, ',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return names.length === 0 ? null : new FieldSet(names)
}

/** The names in a parameter that lists some: the parts of its text, or the texts of `a[]=` and `a[key]=`. */
export function namesOf(value: unknown, separator: string | RegExp): string[] {
  if (typeof value === 'string') return value.split(separator)
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).filter((name) => typeof name === 'string')
}
