import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { atOnce, type Steps } from '../../library/long-work/index.ts'
import { isSafeAttribute } from './url-attributes.ts'
import type { AllowedAttributes, AllowedHtml } from './allowed.ts'
import { filterComment } from './blocks.ts'
import { escapeText, escapeValue, withoutControls } from './escape.ts'
import { filterStyle } from './styles.ts'

/** Allow-lists for one text. */
export interface Rules {
  readonly elements: AllowedHtml
  readonly protocols: readonly string[]
  readonly properties: ReadonlySet<string>
  /** Prefix of block names; null if comments are removed. */
  readonly mark: string | null
  /** Forbidden second parts of `data-*` names: these attributes are directives for scripts of the page. */
  readonly directives: ReadonlySet<string>
}

/** Elements without content. */
const VOID: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)

/** Elements that browsers close implicitly. */
const ENDS_ITSELF: ReadonlySet<string> = new Set(
  'caption colgroup dd dt li optgroup option p rb rp rt rtc tbody td tfoot th thead tr'.split(' '),
)

/**
 * Filters HTML by allow-lists. Removes elements and attributes that are not allowed and keeps the content of the
 * elements as text. The output is normalized, so that all parsers read it alike: lower-case names, quoted values, stray
 * `<`, `>` and `&` escaped, open elements closed, stray end tags removed. Idempotent, and linear in the length of the
 * text.
 */
export function filterHtml(html: string, rules: Rules): string {
  return atOnce(filterSteps(html, rules))
}

/** `filterHtml` as a generator that yields between slices of work. */
export function* filterSteps(html: string, rules: Rules): Steps<string> {
  const text = withoutControls(html)
  if (text.length > LONG_TEXT_LENGTH) yield
  return text.includes('<') ? yield* new Filter(text, rules).run() : escapeText(text)
}

/** Tags, attributes and comments processed between two yields. */
const TOKENS_PER_STEP = 200
/** Number of characters from which the generator yields before it starts. */
const LONG_TEXT_LENGTH = 20_000

/**
 * Filters a text token by token. Everything between two tags or comments is treated as text, independently of how the
 * tokenizer reads it.
 */
class Filter implements TokenizerCallbacks {
  readonly #html: string
  readonly #rules: Rules
  #out = ''
  /** Start of the text that has not been written yet. */
  #textStart = 0
  /** Stack of open elements, and the number of open elements by name. */
  readonly #open: string[] = []
  readonly #depth = new Map<string, number>()
  /** The element whose attributes are being read; `#allowed` is null if it is removed. */
  #name = ''
  #allowed: AllowedAttributes | null = null
  readonly #attributes = new Map<string, string | null>()
  #value = ''
  #attribute = ''
  readonly #tokenizer = new Tokenizer({ decodeEntities: true }, this)
  /** Number of tokens read in the current step. */
  #read = 0
  #isPaused = false
  /** Inside of the comment that has just ended; it is filtered before the tokenizer continues. */
  #comment: string | null = null

  constructor(html: string, rules: Rules) {
    this.#html = html
    this.#rules = rules
  }

  *run(): Steps<string> {
    this.#tokenizer.write(this.#html)
    // Each pause ends one slice of work; the tokenizer resumes at the same position.
    while (this.#isPaused) {
      this.#isPaused = false
      yield* this.#writeComment()
      if (this.#read >= TOKENS_PER_STEP) {
        this.#read = 0
        yield
      }
      this.#tokenizer.resume()
    }
    this.#tokenizer.end()
    yield* this.#writeComment()
    // Includes an unterminated tag.
    this.#writeText(this.#html.length)
    this.#closeDownTo(0)
    return this.#out
  }

  onopentagname(start: number, end: number): void {
    this.#count()
    this.#writeTextBefore(start)
    this.#name = this.#html.slice(start, end).toLowerCase()
    const { elements } = this.#rules
    this.#allowed = Object.hasOwn(elements, this.#name) ? elements[this.#name]! : null
    this.#attributes.clear()
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#html.slice(start, end).toLowerCase()
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    if (this.#allowed !== null) this.#value += this.#html.slice(start, end)
  }

  onattribentity(codepoint: number): void {
    if (this.#allowed !== null) this.#value += String.fromCodePoint(codepoint)
  }

  onattribend(quote: QuoteType): void {
    this.#count()
    // The first of duplicate attributes wins, as in browsers.
    if (this.#allowed === null || this.#attributes.has(this.#attribute)) return
    const value = withoutControls(this.#value)
    this.#attributes.set(this.#attribute, this.#filterAttribute(value, quote === QuoteType.NoValue))
  }

  onopentagend(end: number): void {
    this.#writeOpen('')
    this.#textStart = end + 1
  }

  onselfclosingtag(end: number): void {
    this.#writeOpen(' /')
    this.#textStart = end + 1
  }

  onclosetag(start: number, nameEnd: number): void {
    this.#count()
    this.#writeTextBefore(start)
    const end = this.#html.indexOf('>', nameEnd)
    this.#textStart = end < 0 ? this.#html.length : end + 1
    const name = this.#html.slice(start, nameEnd).toLowerCase()
    if (!this.#depth.get(name)) return
    this.#closeDownTo(this.#open.lastIndexOf(name) + 1)
    this.#forget()
    this.#out += `</${name}>`
  }

  oncomment(start: number, end: number): void {
    this.#count()
    const html = this.#html
    const begin = this.#writeTextBefore(start)
    this.#textStart = end + 1
    const { mark } = this.#rules
    const whole = html.startsWith('<!--', begin) && end - 2 >= begin + 4 && html.startsWith('-->', end - 2)
    if (mark === null || !whole) return
    this.#comment = html.slice(begin + 4, end - 2)
    this.#pause()
  }

  ondeclaration(start: number, end: number): void {
    this.#writeTextBefore(start)
    this.#textStart = end + 1
  }

  oncdata(start: number, end: number): void {
    this.ondeclaration(start, end)
  }

  onprocessinginstruction(start: number, end: number): void {
    this.ondeclaration(start, end)
  }

  // Text is copied from the source between tokens instead.
  ontext(): void {}
  ontextentity(): void {}
  onend(): void {}

  /** Counts a token, and pauses the tokenizer at the end of a step. */
  #count(): void {
    this.#read += 1
    if (this.#read >= TOKENS_PER_STEP) this.#pause()
  }

  #pause(): void {
    this.#isPaused = true
    this.#tokenizer.pause()
  }

  /** Writes the filtered form of the pending comment, if there is one. */
  *#writeComment(): Steps<void> {
    const inside = this.#comment
    this.#comment = null
    const rules = this.#rules
    if (inside !== null) this.#out += yield* filterComment(inside, rules.mark!, (text) => filterSteps(text, rules))
  }

  #writeText(end: number): void {
    if (end <= this.#textStart) return
    this.#out += escapeText(this.#html.slice(this.#textStart, end))
    this.#textStart = end
  }

  /** Writes the text before the tag or comment whose inside begins at an index. Returns the index of its `<`. */
  #writeTextBefore(inside: number): number {
    const begin = this.#html.lastIndexOf('<', inside - 1)
    this.#writeText(begin)
    return begin
  }

  /** Writes the start tag of the current element, if it is allowed. */
  #writeOpen(slash: string): void {
    const allowed = this.#allowed
    this.#allowed = null
    if (allowed === null) return
    if (requiredOf(allowed).some((name) => (this.#attributes.get(name) ?? null) === null)) return
    this.#out += `<${this.#name}`
    for (const written of this.#attributes.values()) if (written !== null) this.#out += written
    if (VOID.has(this.#name)) {
      this.#out += `${slash}>`
      return
    }
    this.#out += '>'
    this.#depth.set(this.#name, (this.#depth.get(this.#name) ?? 0) + 1)
    this.#open.push(this.#name)
  }

  /** Closes elements until only `depth` are open. */
  #closeDownTo(depth: number): void {
    while (this.#open.length > depth) {
      const name = this.#forget()
      if (!ENDS_ITSELF.has(name)) this.#out += `</${name}>`
    }
  }

  /** Removes the innermost open element from the stack. */
  #forget(): string {
    const name = this.#open.pop()!
    this.#depth.set(name, this.#depth.get(name)! - 1)
    return name
  }

  /** Returns the serialized attribute; null if it is removed. */
  #filterAttribute(value: string, bare: boolean): string | null {
    const name = this.#attribute
    const { protocols, properties } = this.#rules
    const rule = this.#ruleOf(name)
    if (rule === undefined) return null
    if (rule !== true) {
      if (rule.values?.includes(value.toLowerCase()) === false) return null
      if (rule.check?.(value) === false) return null
    }
    if (!isSafeAttribute(name, value, protocols)) return null
    if (bare) return ` ${name}`
    if (name !== 'style') return ` ${name}="${escapeValue(value)}"`
    const style = filterStyle(value, properties, protocols)
    return style === '' ? null : ` style="${escapeValue(style)}"`
  }

  #ruleOf(name: string): AllowedAttributes[string] | undefined {
    const allowed = this.#allowed!
    if (Object.hasOwn(allowed, name)) return allowed[name]
    const family = `${name.slice(0, name.indexOf('-') + 1)}*`
    if (!Object.hasOwn(allowed, family) || !/^[a-z]+(?:-[a-z0-9_]+)+$/.test(name)) return undefined
    if (family === 'data-*') {
      const parts = name.split('-')
      if (this.#rules.directives.has(parts[1]!) || parts.includes('bind')) return undefined
    }
    return allowed[family]
  }
}

const required = new WeakMap<AllowedAttributes, readonly string[]>()

/** Returns the attributes without which the element is removed. */
function requiredOf(allowed: AllowedAttributes): readonly string[] {
  let names = required.get(allowed)
  if (names === undefined) {
    names = Object.entries(allowed).flatMap(([name, rule]) => (rule !== true && rule.required === true ? [name] : []))
    required.set(allowed, names)
  }
  return names
}
