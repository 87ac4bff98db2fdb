/** Maximum characters of a value. */
const MAX_LENGTH = 200
/** Maximum values of a list. */
const MAX_VALUES = 100

/** The query variables of a request: texts, and `orderby` with directions by name. */
export class Variables {
  readonly #values: Readonly<Record<string, unknown>>

  /** @param value value of the parameter `filter`; a value that is not an object has no variables */
  constructor(value: unknown) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    this.#values = isObject ? (value as Record<string, unknown>) : {}
  }

  /** Whether the request sets no variable. */
  get isEmpty(): boolean {
    return Object.keys(this.#values).length === 0
  }

  /** Returns a value as a text without spaces at its ends; '' if it is missing, too long, or not a text. */
  text(name: string): string {
    const value = Object.hasOwn(this.#values, name) ? this.#values[name] : undefined
    if (typeof value === 'number') return String(value)
    return typeof value === 'string' && value.length <= MAX_LENGTH ? value.trim() : ''
  }

  /** Returns a whole number; undefined if the value is not one. */
  number(name: string): number | undefined {
    const text = this.text(name)
    return /^-?\d{1,9}$/.test(text) ? Number(text) : undefined
  }

  /** Returns the names of a list that is separated by commas or plus signs, and whether all of them must match. */
  names(name: string): { names: string[]; all: boolean } {
    const text = this.text(name)
    const all = !text.includes(',') && /[+ ]/.test(text)
    const names = text.split(all ? /[+ ]/ : ',').map((one) => one.trim())
    return { names: names.filter((one) => one !== '').slice(0, MAX_VALUES), all }
  }

  /** Returns the IDs of a list; negative ones exclude objects. */
  ids(name: string): { included: number[]; excluded: number[] } {
    const ids = this.names(name).names.flatMap((text) => (/^-?[1-9]\d{0,14}$/.test(text) ? [Number(text)] : []))
    return { included: ids.filter((id) => id > 0), excluded: ids.flatMap((id) => (id < 0 ? [-id] : [])) }
  }

  /** Returns the names in `orderby` with their directions; null for the direction in `order`. */
  orders(): { name: string; order: string | null }[] {
    const value = this.#values['orderby']
    if (typeof value !== 'object' || value === null)
      return this.text('orderby')
        .split(/[ ,]/)
        .map((name) => ({ name, order: null }))
    return Object.entries(value).map(([name, order]) => ({ name, order: typeof order === 'string' ? order : null }))
  }
}
