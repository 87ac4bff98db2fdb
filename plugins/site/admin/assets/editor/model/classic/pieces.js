// Splits classic content into paragraphs and elements without losing a byte.
import { parseHtml, sourceOf } from '../html.js'
import { isBlockTag } from '../inline.js'

/** @typedef {import('../html.js').HtmlPart} HtmlPart */

/**
 * A paragraph, an element or a mark such as `<!--more-->`.
 * @typedef {object} Piece
 * @property {string} before spaces between the previous piece and this one
 * @property {string} source
 * @property {HtmlPart[] | null} parts null for HTML that cannot be read
 */

/** Paragraphs that are read together to find the end of an element. */
const MAX_PARAGRAPHS = 12
const EMPTY_LINE = /(\r?\n[ \t]*\r?\n[ \t\r\n]*)/
/** Comments that are not a part of a line. */
const MARKS = /^<!--(?:more(?:\s[^]*)?|nextpage|noteaser)-->$/

/**
 * Splits content into pieces; their sources and the spaces before them are the content, but for spaces at its end.
 * @param {string} html
 * @returns {Piece[]}
 */
export function piecesOf(html) {
  const whole = parseHtml([html])
  if (whole !== null) return piecesOfParts(whole)
  const splitter = new Splitter()
  const chunks = html.split(EMPTY_LINE)
  // An element can extend over several paragraphs. What is never closed is a piece that ends with its paragraph.
  for (let start = 0; start < chunks.length;) {
    let source = ''
    let end = start
    /** @type {HtmlPart[] | null} */
    let parts = null
    while (parts === null && end < Math.min(chunks.length, start + 2 * MAX_PARAGRAPHS)) {
      source += chunks[end] ?? ''
      end += 1
      parts = parseHtml([source])
    }
    if (parts === null) splitter.addUnreadable(chunks[start] ?? '')
    else splitter.addAll(parts)
    start = parts === null ? start + 1 : end
  }
  return splitter.end()
}

/**
 * @param {readonly HtmlPart[]} parts
 * @returns {Piece[]}
 */
export function piecesOfParts(parts) {
  const splitter = new Splitter()
  splitter.addAll(parts)
  return splitter.end()
}

class Splitter {
  /** @type {Piece[]} */
  #pieces = []
  #gap = ''
  /** @type {HtmlPart[]} */
  #line = []

  /** @param {readonly HtmlPart[]} parts */
  addAll(parts) {
    for (const part of parts) {
      if (part.type === 'text') {
        part.raw.split(EMPTY_LINE).forEach((raw, index) => {
          if (index % 2 === 1) {
            this.#endLine()
            this.#gap += raw
          } else if (raw !== '') this.#line.push({ type: 'text', raw })
        })
      } else if (part.type === 'comment' ? MARKS.test(part.raw) : part.type === 'element' && isBlockTag(part.tag)) {
        this.#endLine()
        this.#add(sourceOf(part), [part])
      } else this.#line.push(part)
    }
  }

  /** @param {string} source */
  addUnreadable(source) {
    this.#endLine()
    this.#addTrimmed(source, null)
  }

  end() {
    this.#endLine()
    return this.#pieces
  }

  #endLine() {
    const line = this.#line
    this.#line = []
    if (line.length > 0) this.#addTrimmed(line.map(sourceOf).join(''), trimmedParts(line))
  }

  /** @param {string} source @param {HtmlPart[] | null} parts */
  #addTrimmed(source, parts) {
    const start = startOf(source)
    const end = Math.max(start, endOf(source))
    this.#gap += source.slice(0, start)
    if (start === source.length) return
    this.#add(source.slice(start, end), parts)
    this.#gap = source.slice(end)
  }

  /** @param {string} source @param {HtmlPart[] | null} parts */
  #add(source, parts) {
    this.#pieces.push({ before: this.#gap, source, parts })
    this.#gap = ''
  }
}

const SPACES = ' \t\r\n\f\v'

/** Returns the position of the first character that is not a space; others than ASCII spaces are text. @param {string} text */
function startOf(text) {
  let start = 0
  while (start < text.length && SPACES.includes(text.charAt(start))) start += 1
  return start
}

/** @param {string} text */
function endOf(text) {
  let end = text.length
  while (end > 0 && SPACES.includes(text.charAt(end - 1))) end -= 1
  return end
}

/**
 * Returns a line without spaces at its start and end.
 * @param {readonly HtmlPart[]} line
 */
export function trimmedParts(line) {
  const parts = [...line]
  for (let first = parts[0]; first?.type === 'text'; first = parts[0]) {
    const raw = first.raw.slice(startOf(first.raw))
    if (raw === first.raw) break
    parts.splice(0, 1, ...(raw === '' ? [] : [{ type: /** @type {const} */ ('text'), raw }]))
  }
  for (let last = parts.at(-1); last?.type === 'text'; last = parts.at(-1)) {
    const raw = last.raw.slice(0, endOf(last.raw))
    if (raw === last.raw) break
    parts.splice(-1, 1, ...(raw === '' ? [] : [{ type: /** @type {const} */ ('text'), raw }]))
  }
  return parts
}

/** Elements whose line breaks are not those of a text. */
const VERBATIM = new Set('audio iframe math object pre script select style svg textarea video'.split(' '))

/**
 * Returns a line whose line breaks are elements, as the site shows them.
 * @param {readonly HtmlPart[]} line
 * @returns {HtmlPart[]}
 */
export function withBreaks(line) {
  /** @type {HtmlPart[]} */
  const parts = []
  for (const part of line) {
    const previous = parts.at(-1)
    if (part.type === 'text') {
      const follows = previous?.type === 'element' && previous.tag === 'br'
      const lines = part.raw.split('\n')
      lines.forEach((raw, index) => {
        const isFirst = index === 0
        const start = isFirst ? 0 : startOf(raw)
        const text = raw.slice(start, index === lines.length - 1 ? raw.length : Math.max(start, endOf(raw)))
        if (!isFirst && !(follows && index === 1 && endOf(lines[0] ?? '') === 0)) parts.push(lineBreak())
        if (text !== '') parts.push({ type: 'text', raw: text })
      })
    } else if (part.type === 'element' && !VERBATIM.has(part.tag))
      parts.push({ ...part, children: withBreaks(part.children) })
    else parts.push(part)
  }
  return parts
}

/** @returns {HtmlPart} */
function lineBreak() {
  return { type: 'element', tag: 'br', open: '<br>', attributes: {}, children: [], close: '' }
}
