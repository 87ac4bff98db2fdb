import { atOnce, type Steps } from '../../library/long-work/index.ts'

/** Number of HTML pieces processed between two yields to other requests. */
export const PIECES_PER_STEP = 1000

/** A tag, a comment, or the text between them. Concatenated pieces are the original HTML. */
export interface HtmlPiece {
  kind: 'text' | 'open' | 'close' | 'comment'
  /** Source text of the piece. */
  text: string
  /** Lower-case element name of a tag; `''` for text and comments. */
  name: string
}

const TAG_NAME = /^<\/?([a-z][a-z0-9:-]*)/i

/**
 * Splits HTML into pieces, in linear time for any input. Unterminated tags are text; `>` inside a quoted attribute does
 * not end a tag.
 */
export function* htmlPieces(html: string): Generator<HtmlPiece> {
  // Do not search again for a delimiter that has no further occurrence: keeps unclosed tags linear.
  const exhausted = new Set<string>()
  const find = (mark: string, from: number) => {
    if (exhausted.has(mark)) return -1
    const at = html.indexOf(mark, from)
    if (at < 0) exhausted.add(mark)
    return at
  }
  let begin = 0
  let at = 0
  while ((at = html.indexOf('<', at)) >= 0) {
    const piece = html.startsWith('<!--', at) ? commentAt(html, at, find) : tagAt(html, at, find)
    if (piece === null) {
      at++
      continue
    }
    if (at > begin) yield { kind: 'text', text: html.slice(begin, at), name: '' }
    yield piece
    at += piece.text.length
    begin = at
  }
  if (begin < html.length) yield { kind: 'text', text: html.slice(begin), name: '' }
}

type Find = (mark: string, from: number) => number

function commentAt(html: string, at: number, find: Find): HtmlPiece | null {
  const end = find('-->', at + 4)
  return end < 0 ? null : { kind: 'comment', text: html.slice(at, end + 3), name: '' }
}

function tagAt(html: string, at: number, find: Find): HtmlPiece | null {
  const name = TAG_NAME.exec(html.slice(at, at + 40))?.[1]?.toLowerCase()
  if (name === undefined) return null
  let end = find('>', at)
  if (end < 0) return null
  // A quote that opens before `end` and closes after it moves `end`; an unclosed quote is an ordinary character.
  for (let quote = nextQuote(html, at, end); quote >= 0; quote = nextQuote(html, quote, end)) {
    const closing = find(html[quote] as string, quote + 1)
    if (closing < 0) break
    if (closing > end) {
      end = find('>', closing)
      if (end < 0) return null
    }
    quote = closing + 1
  }
  return { kind: html[at + 1] === '/' ? 'close' : 'open', text: html.slice(at, end + 1), name }
}

function nextQuote(html: string, from: number, to: number): number {
  for (let at = from; at < to; at++) if (html[at] === '"' || html[at] === "'") return at
  return -1
}

/** Elements whose text is shown literally, or not shown. */
const VERBATIM_ELEMENTS: ReadonlySet<string> = new Set(['code', 'kbd', 'pre', 'script', 'style', 'textarea'])

/**
 * Applies `change` to the text of HTML. Tags, comments and the text of verbatim elements are unchanged.
 * @param change called with each piece of text between two tags
 * @param excluded names of further elements whose text is unchanged
 */
export function changeText(html: string, change: (text: string) => string, excluded: readonly string[] = []): string {
  return atOnce(changeTextSteps(html, change, excluded))
}

/** `changeText` as a generator that yields between slices of work. */
export function* changeTextSteps(
  html: string,
  change: (text: string) => string,
  excluded: readonly string[] = [],
): Steps<string> {
  let changed = ''
  let within = 0
  let count = 0
  for (const { kind, text, name } of htmlPieces(html)) {
    const isVerbatim = VERBATIM_ELEMENTS.has(name) || excluded.includes(name)
    if (kind === 'open' && isVerbatim) within += 1
    if (kind === 'close' && isVerbatim) within = Math.max(within - 1, 0)
    changed += kind === 'text' && within === 0 ? change(text) : text
    if ((count += 1) % PIECES_PER_STEP === 0) yield
  }
  return changed
}

/** Returns the text of HTML without tags, comments, scripts and styles. */
export function textOf(html: string): string {
  return atOnce(textSteps(html))
}

/** `textOf` as a generator that yields between slices of work. */
export function* textSteps(html: string): Steps<string> {
  let text = ''
  let count = 0
  let hidden = ''
  for (const { kind, text: written, name } of htmlPieces(html)) {
    if ((count += 1) % PIECES_PER_STEP === 0) yield
    if (hidden !== '') {
      if (kind === 'close' && name === hidden) hidden = ''
    } else if (kind === 'text') text += written
    else if (kind === 'open' && (name === 'script' || name === 'style')) hidden = name
  }
  return text
}
