import type { Steps } from '../../library/long-work/index.ts'
import type { HtmlPiece } from '../content-rendering/index.ts'
import { parseAttributes } from './attributes.ts'
import { shortcodeTags, type ShortcodeTag } from './tags.ts'

/** A shortcode in content. */
export interface ShortcodeNode {
  name: string
  /** By lower-case name; values without a name by position: `[embed https://a.test/]` has `0`. */
  attributes: Record<string, string>
  /** Enclosed content; null if there is no closing tag. */
  content: readonly ShortcodePart[] | null
}

/** HTML, or a shortcode. */
export type ShortcodePart = string | ShortcodeNode

/** Tags processed between two yields. */
const TAGS_PER_STEP = 500

/** Maximum nesting depth: deeper shortcodes remain text. */
const MAX_DEPTH = 32

interface Open {
  node: ShortcodeNode
  parts: ShortcodePart[]
  /** The parts of the surrounding shortcode or content. */
  outerParts: ShortcodePart[]
  /** Index of its opening tag. */
  start: number
}

/**
 * Splits content into HTML and shortcodes in one pass, in steps. A closing tag belongs to the nearest opening tag with
 * its name; an opening tag without a closing tag encloses nothing; a closing tag without an opening tag is text.
 * Shortcodes cannot begin or end inside an HTML tag or comment, so they cannot break out of an attribute, and cannot
 * enclose the end tag of a surrounding element. `[[name]]` is shown as `[name]`, and `[[name]text[/name]]` as its inner
 * part.
 * @param pieces splits HTML into tags, comments and text
 */
export function* parseShortcodes(
  html: string,
  names: ReadonlySet<string>,
  pieces: (html: string) => Iterable<HtmlPiece>,
): Steps<ShortcodePart[]> {
  const written = yield* listed(shortcodeTags(html, names))
  if (written.length === 0) return [html]
  const found = outsideTags(written, yield* tagsOf(pieces(html)))
  yield
  const ended = withEnds(found)
  let count = 0
  const root: ShortcodePart[] = []
  const open: Open[] = []
  let parts = root
  let begin = 0
  const add = (text: string) => {
    if (text !== '') parts.push(text)
  }
  /** Closes the innermost shortcode without content: its parts move after it. */
  const unwrap = () => {
    const { parts: held, outerParts } = open.pop()!
    for (const part of held) outerParts.push(part)
    parts = outerParts
  }
  for (const one of found) {
    if ((count += 1) % TAGS_PER_STEP === 0) yield
    const { start, end, name, kind, attributes, escaped } = one
    if (kind === 'close') {
      const at = open.findLastIndex(({ node }) => node.name === name)
      if (at < 0 && !escaped) continue
      if (!escaped) {
        add(html.slice(begin, start))
        while (open.length > at + 1) unwrap()
        const { node, outerParts, start: openStart } = open.pop()!
        node.content = parts
        parts = outerParts
        begin = end
        if (html[openStart - 1] === '[' && html[end] === ']') {
          parts.splice(-2, 2, (parts.at(-2) as string).slice(0, -1) + html.slice(openStart, end))
          begin = end + 1
        }
        continue
      }
    }
    const encloses = ended.has(one)
    if (encloses && open.length === MAX_DEPTH) continue
    add(html.slice(begin, start))
    begin = end
    if (escaped) {
      add(html.slice(start + 1, end - 1))
      continue
    }
    const node: ShortcodeNode = { name, attributes: parseAttributes(attributes, pieces), content: null }
    parts.push(node)
    if (!encloses) continue
    const outerParts = parts
    parts = []
    open.push({ node, parts, outerParts, start })
  }
  add(html.slice(begin))
  while (open.length > 0) unwrap()
  return root
}

/** Collects an iterable in steps. */
function* listed<T>(found: Iterable<T>): Steps<T[]> {
  const list: T[] = []
  for (const one of found) {
    list.push(one)
    if (list.length % TAGS_PER_STEP === 0) yield
  }
  return list
}

/** Returns the opening tags that have a closing tag, which belongs to the nearest opening tag with its name. */
function withEnds(found: readonly ShortcodeTag[]): ReadonlySet<ShortcodeTag> {
  const openTags = new Map<string, ShortcodeTag[]>()
  const ended = new Set<ShortcodeTag>()
  for (const tag of found) {
    if (tag.escaped || tag.kind === 'empty') continue
    if (tag.kind === 'close') {
      const opening = openTags.get(tag.name)?.pop()
      if (opening !== undefined) ended.add(opening)
    } else {
      const tags = openTags.get(tag.name)
      if (tags === undefined) openTags.set(tag.name, [tag])
      else tags.push(tag)
    }
  }
  return ended
}

/** An HTML tag or comment with its position. */
interface PositionedTag extends HtmlPiece {
  from: number
  to: number
}

function* tagsOf(pieces: Iterable<HtmlPiece>): Steps<PositionedTag[]> {
  const tags: PositionedTag[] = []
  let from = 0
  let count = 0
  for (const piece of pieces) {
    if ((count += 1) % TAGS_PER_STEP === 0) yield
    const to = from + piece.text.length
    if (piece.kind !== 'text') tags.push({ ...piece, from, to })
    from = to
  }
  return tags
}

/**
 * Returns the shortcode tags that do not start or end inside an HTML tag, and do not contain the end tag of an element
 * opened before them.
 */
function outsideTags(found: readonly ShortcodeTag[], tags: readonly PositionedTag[]): ShortcodeTag[] {
  let at = 0
  return found.filter(({ start, end }) => {
    while (at < tags.length && tags[at]!.to <= start) at += 1
    const inside: PositionedTag[] = []
    for (let next = at; next < tags.length && tags[next]!.from < end; next += 1) inside.push(tags[next]!)
    const isCut = inside.length > 0 && (inside[0]!.from < start || inside.at(-1)!.to > end)
    return !isCut && !hasUnmatchedEnd(inside)
  })
}

/** Whether the tags include the end tag of an element opened before them. `</p>` does not count. */
function hasUnmatchedEnd(tags: readonly HtmlPiece[]): boolean {
  const open = new Map<string, number>()
  return tags.some(({ kind, name }) => {
    if (kind === 'comment' || name === 'p') return false
    const depth = (open.get(name) ?? 0) + (kind === 'open' ? 1 : -1)
    open.set(name, depth)
    return depth < 0
  })
}
