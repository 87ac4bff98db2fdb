/** The text of a value, and what was found out about the value: both are kept together. */
export interface KeptText {
  readonly text: string
  /** By name: further texts that were made of it, and what was looked up in it. */
  readonly notes: Map<string, unknown>
}

/**
 * A value and its JSON text: each is made of the other where somebody asks for it. A response of kept texts is written
 * without any of its values being made.
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

  static kept({ text, notes }: KeptText): Json {
    return new Json(text, notes, false, undefined)
  }

  /** The same, with what is kept of it. */
  keptAs({ text, notes }: KeptText): Json {
    return new Json(text, notes, this.#hasValue, this.#value)
  }

  /** Whether its text is there already. */
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

  /** What is found in the value: looked for once, where the text is kept. @param name of what is looked for */
  find<R>(name: string, look: (value: unknown) => R): R {
    const known = this.#notes?.get(name)
    if (known !== undefined) return known as R
    const found = look(this.value)
    this.#notes?.set(name, found)
    return found
  }

  /** What is made of the value, such as a part of it: made once, where the text is kept. @param name of what is made */
  derive(name: string, make: (value: unknown) => unknown): Json {
    if (this.#notes === null) return Json.of(make(this.value))
    const known = this.#notes.get(name) as KeptText | undefined
    if (known !== undefined) return Json.kept(known)
    const value = make(this.value)
    const made = Json.of(value)
    const kept: KeptText = { text: made.text, notes: new Map() }
    this.#notes.set(name, kept)
    return made.keptAs(kept)
  }

  /** The same as an object with one more field at its end. @param json text of the field's value */
  with(field: string, json: string): Json {
    const mark = this.text === '{}' || this.text === '[]' ? '{' : `${this.text.slice(0, -1)},`
    return new Json(`${mark}${JSON.stringify(field)}:${json}}`, this.#notes, false, undefined)
  }
}
