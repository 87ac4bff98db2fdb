import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { atOnce, type Steps } from '../../library/long-work/index.ts'
import { isSafeAttribute } from './url-attributes.ts'
import type { AllowedAttributes, AllowedHtml } from './allowed.ts'
import { filterComment } from './blocks.ts'
import { escapeText, escapeValue, withoutControls } from './escape.ts'
import { filterStyle } from './styles.ts'

/** What may stay in a text. */
export interface Rules {
  readonly elements: AllowedHtml
  readonly protocols: readonly string[]
  readonly properties: ReadonlySet<string>
  /** What names of blocks begin with; null where no comment may stay. */
  readonly mark: string | null
  /** What the second part of `data-*` names may not be: those attributes are instructions to scripts of the page. */
  readonly directives: ReadonlySet<string>
}

/** Elements without content. */
const VOID: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)

/** Elements whose end browsers find by themselves. */
const ENDS_ITSELF: ReadonlySet<string> = new Set(
  'caption colgroup dd dt li optgroup option p rb rp rt rtc tbody td tfoot th thead tr'.split(' '),
)

/**
 * What may stay of an HTML text. Elements and attributes that are not allowed go, their content stays as text; what is
 * left is written anew, so that every parser reads it alike: names in lower case, values in quotes, `<`, `>` and `&`
 * that mean nothing as entities, elements that were left open closed, ends of elements that were never open left out.
 * Done twice it changes nothing more. Its time is linear in the text.
 */
export function filterHtml(html: string, rules: Rules): string {
  return atOnce(filterSteps(html, rules))
}

/** The same in steps. */
export function* filterSteps(html: string, rules: Rules): Steps<string> {
  const text = withoutControls(html)
  if (text.length > LONG_TEXT_LENGTH) yield
  return text.includes('<') ? yield* new Filter(text, rules).run() : escapeText(text)
}

/** Tags, attributes and comments that are a step. */
const TOKENS_PER_STEP = 200
/** Characters of a text that takes a step of its own to be looked over. */
const LONG_TEXT_LENGTH = 20_000

/** Goes through a text token by token. What lies between two tags or comments is text, however it was read. */
class Filter implements TokenizerCallbacks {
  readonly #html: string
  readonly #rules: Rules
  #out = ''
  /** Where the text begins that has not been written yet. */
  #at = 0
  /** The elements that are open, and how many there are of each name. */
  readonly #open: string[] = []
  readonly #depth = new Map<string, number>()
  /** The element whose attributes are read; null for one that goes. */
  #name = ''
  #allowed: AllowedAttributes | null = null
  readonly #attributes = new Map<string, string | null>()
  #value = ''
  #attribute = ''
  readonly #tokenizer = new Tokenizer({ decodeEntities: true }, this)
  /** What has been read of the step that is going on. */
  #read = 0
  #isPaused = false
  /** What is inside of a comment that has just ended and is looked at before anything else. */
  #comment: string | null = null

  constructor(html: string, rules: Rules) {
    this.#html = html
    this.#rules = rules
  }

  *run(): Steps<string> {
    this.#tokenizer.write(this.#html)
    // It stops where it stands, and reads on as if it had not.
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
    // Also what began as a tag and never ended.
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
    // The first of several counts, as in browsers.
    if (this.#allowed === null || this.#attributes.has(this.#attribute)) return
    const value = withoutControls(this.#value)
    this.#attributes.set(this.#attribute, this.#filterAttribute(value, quote === QuoteType.NoValue))
  }

  onopentagend(end: number): void {
    this.#writeOpen('')
    this.#at = end + 1
  }

  onselfclosingtag(end: number): void {
    this.#writeOpen(' /')
    this.#at = end + 1
  }

  onclosetag(start: number, nameEnd: number): void {
    this.#count()
    this.#writeTextBefore(start)
    const end = this.#html.indexOf('>', nameEnd)
    this.#at = end < 0 ? this.#html.length : end + 1
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
    this.#at = end + 1
    const { mark } = this.#rules
    const whole = html.startsWith('<!--', begin) && end - 2 >= begin + 4 && html.startsWith('-->', end - 2)
    if (mark === null || !whole) return
    this.#comment = html.slice(begin + 4, end - 2)
    this.#pause()
  }

  ondeclaration(start: number, end: number): void {
    this.#writeTextBefore(start)
    this.#at = end + 1
  }

  oncdata(start: number, end: number): void {
    this.ondeclaration(start, end)
  }

  onprocessinginstruction(start: number, end: number): void {
    this.ondeclaration(start, end)
  }

  // Text is what lies between the tokens, as it was written.
  ontext(): void {}
  ontextentity(): void {}
  onend(): void {}

  /** Notes that something has been read; enough of it is a step. */
  #count(): void {
    this.#read += 1
    if (this.#read >= TOKENS_PER_STEP) this.#pause()
  }

  #pause(): void {
    this.#isPaused = true
    this.#tokenizer.pause()
  }

  /** Writes what may stay of the comment that has been read, if one has. */
  *#writeComment(): Steps<void> {
    const inside = this.#comment
    this.#comment = null
    const rules = this.#rules
    if (inside !== null) this.#out += yield* filterComment(inside, rules.mark!, (text) => filterSteps(text, rules))
  }

  #writeText(end: number): void {
    if (end <= this.#at) return
    this.#out += escapeText(this.#html.slice(this.#at, end))
    this.#at = end
  }

  /** Writes the text before the tag or comment whose inside begins at an index; returns where its `<` is. */
  #writeTextBefore(inside: number): number {
    const begin = this.#html.lastIndexOf('<', inside - 1)
    this.#writeText(begin)
    return begin
  }

  /** Writes the start of the element that has been read, if it may stay. */
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

  /** Closes elements until no more than `depth` are open. */
  #closeDownTo(depth: number): void {
    while (this.#open.length > depth) {
      const name = this.#forget()
      if (!ENDS_ITSELF.has(name)) this.#out += `</${name}>`
    }
  }

  /** Takes the innermost element from those that are open. */
  #forget(): string {
    const name = this.#open.pop()!
    this.#depth.set(name, this.#depth.get(name)! - 1)
    return name
  }

  /** The attribute as it is written; null when it goes. */
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

/** The attributes without which an element goes. */
function requiredOf(allowed: AllowedAttributes): readonly string[] {
  let names = required.get(allowed)
  if (names === undefined) {
    names = Object.entries(allowed).flatMap(([name, rule]) => (rule !== true && rule.required === true ? [name] : []))
    required.set(allowed, names)
  }
  return names
}
