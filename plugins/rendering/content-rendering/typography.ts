import { atOnce, type Steps } from '../../library/long-work/index.ts'
import { BLOCKS } from './autop.ts'
import { htmlPieces, PIECES_PER_STEP, type HtmlPiece } from './html.ts'
import { OpenElements } from './open-elements.ts'

/** Elements whose text stays as it is typed. */
const VERBATIM = new Set('pre code kbd samp var tt script style textarea svg math'.split(' '))

/** What text may hold that is set in another way; nothing else costs more than this look. */
const SPECIAL = /["'&`]|--|\.\.\.|(?:^|\s)-(?=\s|$)|\dx\d|\(tm\)/i

/** The same, one after the other. Every branch has a bounded length but a row of dashes. */
const TOKENS = /&(?!#\d{1,7};|#x[\da-f]{1,6};|[a-z][a-z\d]{1,31};)|``|''|["']|\.\.\.|-+|\(tm\)|(?<=\d)x(?=\d)/gi

const LOOSE_AMPERSAND = /&(?!#\d{1,7};|#x[\da-f]{1,6};|[a-z][a-z\d]{1,31};)/gi

const ANY_AMPERSAND = /&(?:amp;|(?!#\d{1,7};|#x[\da-f]{1,6};|[a-z][a-z\d]{1,31};))/gi
const ADDRESS_LINE = /^[ \t]*https?:\/\/[^\s<>]+[ \t]*$/gim

/** Words that lost their beginning: the mark before them is an apostrophe and opens nothing. */
const SHORTENED = /^(?:tis|twas|twere|twill|cause|em|n|nuff|til|till|bout|round|tain't|twixt)(?![a-z\d])/i

/** A year without its century. */
const SHORT_YEAR = /^\d\d(?!['\d])/

const SPACE = /\s/
const WORD = /[\p{L}\p{N}]/u
const DIGIT = /\d/
const LETTER = /\w/
const DASH = { en: '&#8211;', em: '&#8212;' } as const
const QUOTE = { open: '&#8220;', close: '&#8221;', prime: '&#8243;' } as const
const SINGLE = { open: '&#8216;', close: '&#8217;', prime: '&#8242;' } as const

/**
 * Sets text the way it is printed: curly quotes and apostrophes, primes after numbers, dashes, ellipses, the sign for
 * times between numbers, and ampersands that begin no entity as `&#038;`. Tags keep their quotes; comments, shortcodes
 * and what stands in elements such as `pre` and `code` stay as they are. The time is linear in the length.
 * @param tagsIn where the tags of shortcodes stand in a text
 */
export function typography(html: string, tagsIn: TagFinder | null = null): string {
  return atOnce(typographySteps(html, tagsIn))
}

/** The same in steps. */
export function* typographySteps(html: string, tagsIn: TagFinder | null): Steps<string> {
  return SPECIAL.test(html) ? yield* new Typesetter(tagsIn).set(html) : html
}

/** Finds the tags of shortcodes in a text. */
export type TagFinder = (text: string) => Iterable<{ start: number; end: number }>

class Typesetter {
  readonly #tagsIn: TagFinder | null
  /** Open elements whose text stays as it is. */
  readonly #verbatim = new OpenElements()
  /** The character before the text at hand; a space at the beginning of a block. */
  #before = ' '
  #doubleIsOpen = false
  #singleIsOpen = false
  /** Where the last quote of the text at hand ends, and whether it was an opening one. */
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
      // What follows an inline element of this kind follows a word.
      this.#before = BLOCKS.has(name) ? ' ' : 'x'
    }
    if (BLOCKS.has(name) || name === 'br') this.#begin(name !== 'br')
    return text.includes('&') ? text.replace(LOOSE_AMPERSAND, '&#038;') : text
  }

  /** Begins a line; that of a block closes what was left open before it. */
  #begin(block: boolean): void {
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

  /** A URL that stands alone on its line stays one. */
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
    // The beginning of a comment that does not end stays one.
    if (text.slice(Math.max(at - 2, 0), at) === '<!') return row
    if (row.length >= 3) return DASH.em.repeat(Math.floor(row.length / 3)) + ['', '-', DASH.en][row.length % 3]!
    const next = text[at + row.length] ?? ' '
    const apart = SPACE.test(at === 0 ? ' ' : text[at - 1]!) && SPACE.test(next)
    if (row.length === 2) {
      // Names of hosts in other scripts begin so.
      if (/xn$/i.test(text.slice(Math.max(at - 2, 0), at))) return row
      return apart ? DASH.em : DASH.en
    }
    return apart ? DASH.en : row
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

  /** Whether what stands before a place lets something begin there: white space, a bracket, a dash, an opening quote. */
  #isOpened(text: string, at: number): boolean {
    if (at > 0 && this.#quote.end === at) return this.#quote.opening
    const char = this.#charBefore(text, at)
    if (char === ';')
      return /&(?:nbsp|#160|lt|lsquo|ldquo|laquo|#821[126]|#8220);$/.test(text.slice(Math.max(at - 7, 0), at))
    return /[\s([{<=/\-–—‘“«„‚¿¡]/.test(char)
  }
}

/** Whether the `x` between two digits stands between two numbers, and not in a word or a number that begins with `0x`. */
function isProduct(text: string, at: number): boolean {
  let begin = at
  while (begin > 0 && DIGIT.test(text[begin - 1]!)) begin--
  let end = at + 1
  while (end < text.length && DIGIT.test(text[end]!)) end++
  if (LETTER.test(text[begin - 1] ?? '') || LETTER.test(text[end] ?? '')) return false
  return at - begin > 1 || text[begin] !== '0' || /[.,]/.test(text[begin - 1] ?? '')
}
