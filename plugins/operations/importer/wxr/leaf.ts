import { cleanCharacters, decodeReferences } from './characters.ts'
import { canContainMarkup, isKnown, isUnmistakable } from './grammar.ts'
import { tagNameAt } from './tags.ts'
import type { RepairCode } from '../repairs.ts'
import type { TextBuffer } from './text-buffer.ts'

const CDATA = '<![CDATA['
const CDATA_END = ']]>'
/** Characters after a `<` that decide whether it ends the text. */
const LOOKAHEAD_CHARACTERS = 512
/** Maximum characters of a comment in a short text. */
const MAX_COMMENT_LENGTH = 4096
const REST_OF_TAG = /[^<>]*>?/y
/** Start of a tag that is part of the format wherever it occurs. */
const FORMAT_TAG =
  /<\/?(?:item|channel|rss|dc:|content:|excerpt:|wp:post|wp:status|wp:comment|wp:meta_|wp:author|wp:term|wp:cat|wp:tag)/

/** Reports a repair. @param at position in the buffer */
export type ReportAt = (code: RepairCode, at: number, value: string) => void

/** The element that contains a text, and its ancestors. */
export interface LeafPlace {
  name: string
  /** Whether an ancestor has this name. */
  isOpen(name: string): boolean
  /** Whether an ancestor can contain an element with this name. */
  fits(name: string): boolean
  /** Whether a text is kept as in the file, because it contains lengths. */
  isSerialised(text: string): boolean
}

/** A text that was read. */
export interface Leaf {
  text: string
  /** Position after the end tag, or of the tag that ends the element instead. */
  end: number
}

/**
 * Reads the text of an element that contains no elements. Each kind of repair is reported once.
 * @param from position after the start tag
 * @returns undefined if the buffer ends before the text, but the file does not
 */
export function readLeaf(buffer: TextBuffer, from: number, place: LeafPlace, report: ReportAt): Leaf | undefined {
  return readPlain(buffer, from, place) ?? new LeafReader(buffer, from, place).read(report)
}

/** Reads a text that needs no repair, as almost all do: plain text or one CDATA section, then the end tag. */
function readPlain(buffer: TextBuffer, from: number, place: LeafPlace): Leaf | undefined {
  const { text } = buffer
  const at = text.indexOf('<', from)
  const isSection = at === from && text.startsWith(CDATA, at)
  const end = isSection ? buffer.find(CDATA_END, at + CDATA.length) : at
  const endTag = `</${place.name}>`
  const afterText = isSection ? end + CDATA_END.length : end
  if (end === -1 || !text.startsWith(endTag, afterText)) return undefined
  const inside = text.slice(isSection ? from + CDATA.length : from, end)
  const isPlain = isSection ? !inside.includes(`</${place.name}`) : !/&|]]>/.test(inside)
  if (!isPlain) return undefined
  const isBlank = !isSection && inside.trim() === ''
  let isClean = true
  const value = isBlank || place.isSerialised(inside) ? inside : cleanCharacters(inside, () => (isClean = false))
  return isClean ? { text: isBlank ? '' : value, end: afterText + endTag.length } : undefined
}

class LeafReader {
  readonly #buffer: TextBuffer
  readonly #from: number
  readonly #place: LeafPlace
  readonly #hasMarkup: boolean
  /** Positions and values of repairs, reported when the text is complete: if the buffer ends before, it is read again. */
  readonly #repairs = new Map<RepairCode, [at: number, value: string]>()
  #text = ''
  #sections = 0
  /** Start of the text since the last CDATA section, and position of its last unescaped `<`. */
  #rawFrom: number
  #tags: number[] = []

  constructor(buffer: TextBuffer, from: number, place: LeafPlace) {
    this.#buffer = buffer
    this.#from = from
    this.#place = place
    this.#hasMarkup = canContainMarkup(place.name)
    this.#rawFrom = from
  }

  read(report: ReportAt): Leaf | undefined {
    const { text, ended } = this.#buffer
    const endTag = `</${this.#place.name}>`
    let at = this.#from
    for (;;) {
      at = text.indexOf('<', at)
      if (at === -1) return ended ? this.#end(report, text.length, text.length, 'unclosed-element') : undefined
      if (text.startsWith(endTag, at)) return this.#end(report, at, at + endTag.length)
      if (text.startsWith(CDATA, at)) {
        const next = this.#readSection(at)
        if (next === undefined) return undefined
        at = next
        continue
      }
      if (!ended && text.length - at < LOOKAHEAD_CHARACTERS) return undefined
      const tag = tagNameAt(text, at)
      if (tag === `/${this.#place.name}`) return this.#end(report, at, this.#afterTag(at))
      const ending = this.#endingOf(at, tag)
      if (ending === 'unclosed-element') return this.#end(report, at, at, ending)
      if (ending === 'wrong-end-tag') return this.#end(report, at, this.#afterTag(at), ending)
      at = this.#skipMarkup(at)
    }
  }

  /** Reads a CDATA section, and returns the position after it; undefined if the buffer ends before. */
  #readSection(at: number): number | undefined {
    const { text, ended } = this.#buffer
    const start = at + CDATA.length
    const mark = this.#buffer.find(CDATA_END, start)
    if (mark === -1 && !ended) return undefined
    const end = mark === -1 ? text.length : mark
    const isDecidable =
      ended || text.startsWith(`</${this.#place.name}>`, end + 3) || text.length - end >= LOOKAHEAD_CHARACTERS
    if (!isDecidable) return undefined
    const ownEnd = this.#sections === 0 ? this.#endWithin(start, end, mark === -1) : undefined
    if (ownEnd !== undefined) this.#repair('unclosed-cdata', at)
    this.#finishRaw(at, false)
    this.#sections += 1
    this.#text += text.slice(start, ownEnd ?? end)
    this.#rawFrom = ownEnd ?? (mark === -1 ? end : end + CDATA_END.length)
    return this.#rawFrom
  }

  /**
   * Position of the end tag of the element within a section that lacks its end mark, so that the mark found belongs to
   * a later element; undefined if the section is complete.
   */
  #endWithin(start: number, end: number, isLast: boolean): number | undefined {
    const endTag = `</${this.#place.name}`
    const section = this.#buffer.text.slice(start, end)
    let at = section.indexOf(endTag)
    if (at === -1) return undefined
    // HTML about the format can contain such tags.
    const lastSection = this.#hasMarkup && !isLast && !this.#endsForeign(end) ? section.lastIndexOf(CDATA) : Infinity
    for (; at !== -1 && at < lastSection; at = section.indexOf(endTag, at + 1)) {
      const close = section.indexOf('>', at)
      if (close === -1) break
      const tag = nextTag(section, close + 1)
      if (tag.startsWith('/') ? this.#place.isOpen(tag.slice(1)) : tag !== '' && this.#place.fits(tag))
        return start + at
    }
    return undefined
  }

  /** Whether the end mark of a section is followed by the end tag of another element of the format. */
  #endsForeign(mark: number): boolean {
    const tag = nextTag(this.#buffer.text, mark + CDATA_END.length)
    return tag.startsWith('/') && tag !== `/${this.#place.name}` && isKnown(tag.slice(1))
  }

  /** How a tag within the text ends the element; undefined if the tag is text. */
  #endingOf(at: number, tag: string): 'unclosed-element' | 'wrong-end-tag' | undefined {
    if (tag === '') return undefined
    if (!tag.startsWith('/')) return this.#isNextElement(at, tag) ? 'unclosed-element' : undefined
    const name = tag.slice(1)
    if (this.#place.isOpen(name)) return 'unclosed-element'
    if (isUnmistakable(name)) return 'wrong-end-tag'
    const next = nextTag(this.#buffer.text, this.#afterTag(at))
    const isEnd = next.startsWith('/')
      ? this.#place.isOpen(next.slice(1))
      : next !== '' && this.#place.fits(next) && (isUnmistakable(next) || !this.#hasMarkup)
    return isEnd ? 'wrong-end-tag' : undefined
  }

  /** Whether a start tag belongs to the next element, so that this one lacks its end tag. */
  #isNextElement(at: number, name: string): boolean {
    if (!this.#place.fits(name)) return false
    if (isUnmistakable(name)) return true
    const { text } = this.#buffer
    const ahead = text.slice(at, at + LOOKAHEAD_CHARACTERS)
    if (this.#hasMarkup) {
      // After a CDATA section, HTML is unlikely.
      const isNear = this.#sections > 0 && at - this.#rawFrom < LOOKAHEAD_CHARACTERS
      return (isNear && text.slice(this.#rawFrom, at).trim() === '') || /^<category\s+(?:domain|nicename)=/.test(ahead)
    }
    const own = ahead.indexOf(`</${this.#place.name}`)
    return own === -1 || FORMAT_TAG.test(ahead.slice(0, own))
  }

  /** Skips a `<` that is text, or a comment, and returns the position after it. */
  #skipMarkup(at: number): number {
    const { text } = this.#buffer
    if (!this.#hasMarkup && text.startsWith('<!--', at)) {
      const end = text.slice(at, at + MAX_COMMENT_LENGTH).indexOf('-->')
      if (end !== -1) {
        this.#finishRaw(at, false)
        this.#rawFrom = at + end + 3
        return this.#rawFrom
      }
    }
    this.#tags.push(at)
    return at + 1
  }

  #afterTag(at: number): number {
    REST_OF_TAG.lastIndex = at + 1
    REST_OF_TAG.test(this.#buffer.text)
    return Math.max(REST_OF_TAG.lastIndex, at + 1)
  }

  /** Adds the text outside of CDATA sections that ends at a position. */
  #finishRaw(to: number, isEnd: boolean): void {
    let raw = this.#buffer.text.slice(this.#rawFrom, to)
    let from = this.#rawFrom
    const mark = raw.lastIndexOf(CDATA_END)
    if (mark !== -1) {
      this.#repair('nested-cdata', from + mark)
      const before = raw.slice(0, mark)
      raw = raw.slice(mark + CDATA_END.length)
      from += mark + CDATA_END.length
      // The mark before belongs to the text of the section; without a section, the start mark is missing.
      const isMissingStart = this.#sections === 0 && isEnd && raw.trim() === ''
      this.#text += this.#sections > 0 ? CDATA_END + before : isMissingStart ? before : before + CDATA_END
    }
    const tag = this.#tags.find((at) => at >= from)
    if (tag !== undefined) this.#repair('unescaped-markup', tag, this.#buffer.text.slice(tag, tag + 40))
    this.#tags = []
    // Whitespace between tags and sections is layout.
    if (raw.trim() !== '') {
      this.#text += decodeReferences(raw, (code, value, index) => this.#repair(code, from + index, value))
    }
  }

  #repair(code: RepairCode, at: number, value = ''): void {
    if (!this.#repairs.has(code)) this.#repairs.set(code, [at, value])
  }

  #end(report: ReportAt, to: number, end: number, repair?: RepairCode): Leaf {
    this.#finishRaw(to, true)
    if (repair !== undefined) this.#repair(repair, to)
    const text = this.#place.isSerialised(this.#text)
      ? this.#text
      : cleanCharacters(this.#text, (code, value, index) => this.#repair(code, Math.min(this.#from + index, to), value))
    for (const [code, [at, value]] of this.#repairs) report(code, at, value)
    return { text, end }
  }
}

/** The name in the tag after whitespace, with a slash for an end tag; '' if another character follows. */
function nextTag(text: string, from: number): string {
  let at = from
  while (at < text.length && at - from < LOOKAHEAD_CHARACTERS && /\s/.test(text[at]!)) at += 1
  return text[at] === '<' ? tagNameAt(text, at) : ''
}
