import { atOnce, type Steps } from '../../library/long-work/index.ts'
import { BLOCKS } from './autop.ts'
import { htmlPieces, PIECES_PER_STEP, type HtmlPiece } from './html.ts'
import { OpenElements } from './open-elements.ts'

/** Elements whose text is left unchanged. */
const VERBATIM = new Set('pre code kbd samp var tt script style textarea svg math'.split(' '))

/** Matches text that typography can change; the fast path for all other text is this test alone. */
const SPECIAL = /["'&`]|--|\.\.\.|(?:^|\s)-(?=\s|$)|\dx\d|\(tm\)/i

/** Matches these characters one by one. Each branch has a bounded length, except a row of dashes. */
const TOKENS = /&(?!#\d{1,7};|#x[\da-f]{1,6};|[a-z][a-z\d]{1,31};)|``|''|["']|\.\.\.|-+|\(tm\)|(?<=\d)x(?=\d)/gi

const LOOSE_AMPERSAND = /&(?!#\d{1,7};|#x[\da-f]{1,6};|[a-z][a-z\d]{1,31};)/gi

const ANY_AMPERSAND = /&(?:amp;|(?!#\d{1,7};|#x[\da-f]{1,6};|[a-z][a-z\d]{1,31};))/gi
const ADDRESS_LINE = /^[ \t]*https?:\/\/[^\s<>]+[ \t]*$/gim

/** Words with an elided beginning: a quote before them is an apostrophe. */
const SHORTENED = /^(?:tis|twas|twere|twill|cause|em|n|nuff|til|till|bout|round|tain't|twixt)(?![a-z\d])/i

/** A year without its century, such as ’99. */
const SHORT_YEAR = /^\d\d(?!['\d])/

const SPACE = /\s/
const WORD = /[\p{L}\p{N}]/u
const DIGIT = /\d/
const LETTER = /\w/
const DASH = { en: '&#8211;', em: '&#8212;' } as const
/** Matches a double quote that was set before. */
const SET_DOUBLE_QUOTE = /^&#82(?:20|21|43);/
const QUOTE = { open: '&#8220;', close: '&#8221;', prime: '&#8243;' } as const
const SINGLE = { open: '&#8216;', close: '&#8217;', prime: '&#8242;' } as const

/**
 * Applies typographic rules to text: curly quotes and apostrophes, primes after numbers, dashes, ellipses,
 * multiplication signs between numbers, and `&#038;` for ampersands that do not begin an entity. Tags keep their
 * quotes; comments, shortcodes and the text of elements such as `pre` and `code` are unchanged. Runs in linear time.
 * @param tagsIn finds the shortcode tags in a text
 */
export function typography(html: string, tagsIn: TagFinder | null = null): string {
  return atOnce(typographySteps(html, tagsIn))
}

/** `typography` as a generator that yields between slices of work. */
export function* typographySteps(html: string, tagsIn: TagFinder | null): Steps<string> {
  return SPECIAL.test(html) ? yield* new Typesetter(tagsIn).set(html) : html
}

/** Finds the shortcode tags in a text. */
export type TagFinder = (text: string) => Iterable<{ start: number; end: number }>

class Typesetter {
  readonly #tagsIn: TagFinder | null
  /** Open elements whose text is left unchanged. */
  readonly #verbatim = new OpenElements()
  /** The character before the current text; a space at the start of a block. */
  #before = ' '
  #doubleIsOpen = false
  #singleIsOpen = false
  /** End index and kind of the last quote in the current text. */
  #quote = { end: -1, opening: false }

  constructor(tagsIn: TagFinder | null) {
    this.#tagsIn = tagsIn
  }

  *set(html: string): Steps<string> {
    let out = ''
    let count = 0
    for (const piece of htmlPieces(html)) {
      if (piece.kind === 'comment') out += piece.text
      else if (piece.kind !== 'text') out += this.#tag(piece)
      else out += this.#verbatim.size > 0 ? piece.text : yield* this.#textAroundShortcodes(piece.text)
      if ((count += 1) % PIECES_PER_STEP === 0) yield
    }
    return out
  }

  #tag({ kind, name, text }: HtmlPiece): string {
    if (VERBATIM.has(name)) {
      if (kind === 'open' && !text.endsWith('/>')) this.#verbatim.open(name)
      else if (kind === 'close') this.#verbatim.close(name)
      // Treat text after a verbatim inline element as if it followed a word.
      this.#before = BLOCKS.has(name) ? ' ' : 'x'
    }
    if (BLOCKS.has(name) || name === 'br') this.#startLine(name !== 'br')
    return text.includes('&') ? text.replace(LOOSE_AMPERSAND, '&#038;') : text
  }

  /** Starts a new line. A new block also resets open quotes. */
  #startLine(block: boolean): void {
    this.#before = ' '
    if (!block) return
    this.#doubleIsOpen = false
    this.#singleIsOpen = false
  }

  *#textAroundShortcodes(text: string): Steps<string> {
    if (this.#tagsIn === null || !text.includes('[')) return yield* this.#text(text)
    let out = ''
    let begin = 0
    let count = 0
    for (const { start, end } of this.#tagsIn(text)) {
      out += (yield* this.#text(text.slice(begin, start))) + text.slice(start, end)
      this.#before = ' '
      begin = end
      if ((count += 1) % PIECES_PER_STEP === 0) yield
    }
    return out + (yield* this.#text(text.slice(begin)))
  }

  /** Leaves URLs that are alone on their line unchanged, except for ampersands. */
  *#text(text: string): Steps<string> {
    if (!text.includes('://')) return yield* this.#words(text)
    let out = ''
    let begin = 0
    for (const { index, 0: line } of text.matchAll(ADDRESS_LINE)) {
      out += (yield* this.#words(text.slice(begin, index))) + line.replace(ANY_AMPERSAND, '&#038;')
      begin = index + line.length
    }
    return out + (yield* this.#words(text.slice(begin)))
  }

  *#words(text: string): Steps<string> {
    if (text === '') return ''
    this.#quote = { end: -1, opening: false }
    const set = SPECIAL.test(text) ? yield* this.#tokens(text) : text
    this.#before = this.#isOpened(text, text.length) ? ' ' : text.at(-1)!
    return set
  }

  *#tokens(text: string): Steps<string> {
    let set = ''
    let begin = 0
    let count = 0
    for (const { index, 0: token } of text.matchAll(TOKENS)) {
      set += text.slice(begin, index) + this.#token(token, index, text)
      begin = index + token.length
      if ((count += 1) % PIECES_PER_STEP === 0) yield
    }
    return set + text.slice(begin)
  }

  #token(token: string, at: number, text: string): string {
    switch (token.charAt(0)) {
      case '&':
        return '&#038;'
      case '.':
        return '&#8230;'
      case '(':
        return token === '(tm)' && text[at - 1] === ' ' ? '&#8482;' : token
      case '-':
        return this.#dash(token, at, text)
      case '`':
        return this.#mark(QUOTE.open, at + 2, true)
      case '"':
        return this.#double(at, text)
      case "'":
        return token === "''" ? this.#mark(QUOTE.close, at + 2, false) : this.#single(at, text)
      default:
        return token === 'x' && isProduct(text, at) ? '&#215;' : token
    }
  }

  #dash(row: string, at: number, text: string): string {
    // The dashes of `<!--`, the start of a comment that is never closed, stay as they are.
    if (text.slice(Math.max(at - 2, 0), at) === '<!') return row
    if (row.length >= 3) return DASH.em.repeat(Math.floor(row.length / 3)) + ['', '-', DASH.en][row.length % 3]!
    const next = text[at + row.length] ?? ' '
    const isSpaced = SPACE.test(at === 0 ? ' ' : text[at - 1]!) && SPACE.test(next)
    if (row.length === 2) {
      // Punycode host names contain `xn--`.
      if (/xn$/i.test(text.slice(Math.max(at - 2, 0), at))) return row
      return isSpaced ? DASH.em : DASH.en
    }
    return isSpaced ? DASH.en : row
  }

  #double(at: number, text: string): string {
    const next = text[at + 1] ?? ''
    let opening = this.#isOpened(text, at)
    if (opening && this.#doubleIsOpen && (next === '' || SPACE.test(next))) opening = false
    if (!opening && !this.#doubleIsOpen && DIGIT.test(this.#charBefore(text, at)) && !WORD.test(next))
      return QUOTE.prime
    this.#doubleIsOpen = opening
    return this.#mark(opening ? QUOTE.open : QUOTE.close, at + 1, opening)
  }

  #single(at: number, text: string): string {
    const next = text[at + 1] ?? ''
    if (!this.#isOpened(text, at)) {
      const afterNumber = DIGIT.test(this.#charBefore(text, at))
      if (afterNumber && !this.#singleIsOpen && !/\p{L}/u.test(next)) return SINGLE.prime
      // A quote between other marks, as in a row of special characters, neither opens nor closes anything.
      const isBeforeQuote = next === '"' || SET_DOUBLE_QUOTE.test(text.slice(at + 1, at + 8))
      if (isBeforeQuote && !this.#singleIsOpen && !WORD.test(this.#charBefore(text, at))) return "'"
      if (!WORD.test(next)) this.#singleIsOpen = false
      return this.#mark(SINGLE.close, at + 1, false)
    }
    const following = text.slice(at + 1, at + 12)
    if (
      next === '' ? this.#singleIsOpen : SPACE.test(next) || SHORTENED.test(following) || SHORT_YEAR.test(following)
    ) {
      return this.#mark(SINGLE.close, at + 1, false)
    }
    this.#singleIsOpen = true
    return this.#mark(SINGLE.open, at + 1, true)
  }

  #mark(entity: string, end: number, opening: boolean): string {
    this.#quote = { end, opening }
    return entity
  }

  #charBefore(text: string, at: number): string {
    return at === 0 ? this.#before : text[at - 1]!
  }

  /** Whether a quote at this index opens: it follows white space, a bracket, a dash or an opening quote. */
  #isOpened(text: string, at: number): boolean {
    if (at > 0 && this.#quote.end === at) return this.#quote.opening
    const char = this.#charBefore(text, at)
    if (char === ';')
      return /&(?:nbsp|#160|lt|lsquo|ldquo|laquo|#821[126]|#8220);$/.test(text.slice(Math.max(at - 7, 0), at))
    return /[\s([{<=/\-–—‘“«„‚¿¡]/.test(char)
  }
}

/** Whether the `x` is between two numbers, and not part of a word or of a `0x` literal. */
function isProduct(text: string, at: number): boolean {
  let begin = at
  while (begin > 0 && DIGIT.test(text[begin - 1]!)) begin--
  let end = at + 1
  while (end < text.length && DIGIT.test(text[end]!)) end++
  if (LETTER.test(text[begin - 1] ?? '') || LETTER.test(text[end] ?? '')) return false
  return at - begin > 1 || text[begin] !== '0' || /[.,]/.test(text[begin - 1] ?? '')
}
