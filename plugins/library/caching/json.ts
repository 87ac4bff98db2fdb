/** A stored text with data derived from its value. */
export interface StoredText {
  readonly text: string
  /** Derived texts and lookup results by name. */
  readonly notes: Map<string, unknown>
}

/**
 * A value and its JSON text, each created from the other on demand. A response of stored texts is sent without parsing
 * them.
 */
export class Json {
  #text: string | null
  #value: unknown
  #hasValue: boolean
  readonly #notes: Map<string, unknown> | null

  private constructor(text: string | null, notes: Map<string, unknown> | null, hasValue: boolean, value: unknown) {
    this.#text = text
    this.#notes = notes
    this.#hasValue = hasValue
    this.#value = value
  }

  static of(value: unknown): Json {
    return new Json(null, null, true, value)
  }

  static fromText(text: string): Json {
    return new Json(text, null, false, undefined)
  }

  static kept({ text, notes }: StoredText): Json {
    return new Json(text, notes, false, undefined)
  }

  /** Returns the same value with a stored text. */
  keptAs({ text, notes }: StoredText): Json {
    return new Json(text, notes, this.#hasValue, this.#value)
  }

  /** Whether the text exists already. */
  get isText(): boolean {
    return this.#text !== null
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.#value) ?? 'null'
    return this.#text
  }

  get value(): unknown {
    if (!this.#hasValue) {
      this.#value = JSON.parse(this.#text!)
      this.#hasValue = true
    }
    return this.#value
  }

  /** Looks up data in the value, once for a stored text. @param name name of the lookup */
  find<R>(name: string, lookUp: (value: unknown) => R): R {
    const cached = this.#notes?.get(name)
    if (cached !== undefined) return cached as R
    const found = lookUp(this.value)
    this.#notes?.set(name, found)
    return found
  }

  /** Derives another value, such as a part, once for a stored text. @param name name of the derived value */
  derive(name: string, make: (value: unknown) => unknown): Json {
    if (this.#notes === null) return Json.of(make(this.value))
    const cached = this.#notes.get(name) as StoredText | undefined
    if (cached !== undefined) return Json.kept(cached)
    const value = make(this.value)
    const derived = Json.of(value)
    const stored: StoredText = { text: derived.text, notes: new Map() }
    this.#notes.set(name, stored)
    return derived.keptAs(stored)
  }

  /** Returns the object with a field appended. @param json JSON text of the field's value */
  with(field: string, json: string): Json {
    const mark = this.text === '{}' || this.text === '[]' ? '{' : `${this.text.slice(0, -1)},`
    return new Json(`${mark}${JSON.stringify(field)}:${json}}`, this.#notes, false, undefined)
  }
}
