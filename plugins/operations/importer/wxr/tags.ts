import { cleanCharacters, decodeReferences, type ReportRepair } from './characters.ts'
import type { TextBuffer } from './text-buffer.ts'

/** A start tag or an end tag. */
export interface Tag {
  name: string
  isEnd: boolean
  attributes: Record<string, string>
  /** Whether the tag is a whole element: `<title/>`. */
  isEmpty: boolean
  /** Position after the tag. */
  end: number
}

/** Maximum characters of a tag. A longer one is text. */
const MAX_TAG_LENGTH = 65_536
const NAME = /<(\/?)\s*([A-Za-z_][\w:.-]{0,199})(?=[\s/<>]|$)/y
const ATTRIBUTE = /\s*([^\s=<>"'/]*)(?:\s*=\s*("[^"<]*"|'[^'<]*'|[^\s"'<>]*))?/y

/** The name in a tag at a position, with a slash for an end tag: `/item`; '' if no tag starts there. */
export function tagNameAt(text: string, at: number): string {
  NAME.lastIndex = at
  const found = NAME.exec(text)
  return found === null ? '' : `${found[1]}${found[2]}`
}

/**
 * Reads the tag at a position.
 * @returns null if no tag starts there; undefined if the text ends before the tag does
 */
export function readTag(buffer: TextBuffer, at: number, report: ReportRepair): Tag | null | undefined {
  const { text, ended } = buffer
  NAME.lastIndex = at
  const found = NAME.exec(text)
  if (found === null) return !ended && text.length - at < 256 && !/[<>]/.test(text.slice(at + 1)) ? undefined : null
  const [start, slash, name = ''] = found
  const isEnd = slash === '/'
  if (text[at + start.length] === '>')
    return { name, isEnd, attributes: {}, isEmpty: false, end: at + start.length + 1 }
  const close = endOfTag(text, at + start.length, ended)
  if (close === undefined) return undefined
  if (close === -1) return null
  const isMalformed = text[close] === '<'
  const inside = text.slice(at + start.length, close)
  if (isMalformed) report('malformed-tag', text.slice(at, close), 0)
  const isEmpty = !isEnd && inside.endsWith('/')
  const attributes = isEnd || inside.trim() === '' || inside === '/' ? {} : readAttributes(inside, report)
  return { name, isEnd, attributes, isEmpty, end: isMalformed ? close : close + 1 }
}

/**
 * Position of the `>` that ends a tag, or of a `<` before it. A quoted value can contain `>`, but no `<`: then its
 * quotation mark is missing, and the first `>` ends the tag.
 * @returns -1 if the text has no such character; undefined if more text is necessary
 */
function endOfTag(text: string, from: number, ended: boolean): number | undefined {
  let first = -1
  let quote = ''
  const limit = Math.min(text.length, from + MAX_TAG_LENGTH)
  for (let at = from; at < limit; at += 1) {
    const character = text[at]
    if (character === '<') return first === -1 ? at : first
    if (character === '>') {
      if (quote === '') return at
      if (first === -1) first = at
    } else if (character === quote) quote = ''
    else if (quote === '' && (character === '"' || character === "'")) quote = character
  }
  return limit === text.length && !ended ? undefined : first
}

function readAttributes(inside: string, report: ReportRepair): Record<string, string> {
  const attributes: Record<string, string> = {}
  let isMalformed = false
  let at = 0
  while (at < inside.length) {
    ATTRIBUTE.lastIndex = at
    const [whole = '', name = '', quoted] = ATTRIBUTE.exec(inside) ?? []
    at += whole.length
    if (whole === '') {
      if (inside[at] !== '/' || at < inside.length - 1) isMalformed = true
      at += 1
    } else if (name === '' || quoted === undefined) isMalformed ||= whole.trim() !== ''
    else {
      const isQuoted = /^["']/.test(quoted)
      isMalformed ||= !isQuoted
      const raw = isQuoted ? quoted.slice(1, -1) : quoted
      if (Object.hasOwn(attributes, name)) report('duplicate-attribute', whole.trim(), 0)
      else setOwn(attributes, name, cleanCharacters(decodeReferences(raw, report), report).replace(/[\t\n]/g, ' '))
    }
  }
  if (isMalformed) report('malformed-tag', inside.trim(), 0)
  return attributes
}

/** Sets a property whose name may be that of a member of Object.prototype. */
function setOwn(attributes: Record<string, string>, name: string, value: string): void {
  Object.defineProperty(attributes, name, { value, enumerable: true, configurable: true, writable: true })
}
