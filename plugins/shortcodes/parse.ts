import type { HtmlPiece } from '../rendering/index.ts'
import { shortcodeTags, type ShortcodeTag } from './tags.ts'

/** A shortcode in content. */
export interface ShortcodeNode {
  name: string
  /** In lower case by name; those without a name by their number: `[embed address]` has `0`. */
  attributes: Record<string, string>
  /** What it encloses; null where nothing ends it. */
  content: readonly ShortcodePart[] | null
}

/** HTML, or a shortcode. */
export type ShortcodePart = string | ShortcodeNode

/** Deeper than anybody nests shortcodes: what is further in stays as it is written. */
const DEEPEST = 32

interface Open {
  node: ShortcodeNode
  parts: ShortcodePart[]
  /** Where its parts are in those of what it stands in, had it no end. */
  around: ShortcodePart[]
  /** Where its beginning begins. */
  start: number
}

/**
 * Content as HTML and shortcodes, in one pass. An end belongs to the nearest beginning of its name; a beginning without
 * an end encloses nothing; an end without a beginning is text. Tags of HTML and comments hold no shortcodes, so that
 * nothing breaks out of an attribute; `[[name]]` shows `[name]`, `[[name]text[/name]]` what is in the outer brackets.
 *
 * @param pieces cuts HTML into tags, comments and text
 */
export function parseShortcodes(
  html: string,
  names: ReadonlySet<string>,
  pieces: (html: string) => Iterable<HtmlPiece>,
): ShortcodePart[] {
  const found = [...shortcodeTags(html, names)]
  if (found.length === 0) return [html]
  const tags = tagsOf(pieces(html))
  const ended = withEnds(found)
  const root: ShortcodePart[] = []
  const open: Open[] = []
  let parts = root
  let begin = 0
  let tag = 0
  const add = (text: string) => {
    if (text !== '') parts.push(text)
  }
  /** Lets the innermost shortcode enclose nothing: what came after it stands beside it. */
  const giveUp = () => {
    const { parts: held, around } = open.pop()!
    for (const part of held) around.push(part)
    parts = around
  }
  for (const one of found) {
    const { start, end, name, kind, attributes, escaped } = one
    while (tag < tags.length && tags[tag]![1] <= start) tag += 1
    if (tag < tags.length && tags[tag]![0] < start) continue
    if (kind === 'close') {
      const at = open.findLastIndex(({ node }) => node.name === name)
      if (at < 0 && !escaped) continue
      if (!escaped) {
        add(html.slice(begin, start))
        while (open.length > at + 1) giveUp()
        const { node, around, start: begun } = open.pop()!
        node.content = parts
        parts = around
        begin = end
        if (html[begun - 1] === '[' && html[end] === ']') {
          parts.splice(-2, 2, (parts.at(-2) as string).slice(0, -1) + html.slice(begun, end))
          begin = end + 1
        }
        continue
      }
    }
    const encloses = ended.has(one)
    if (encloses && open.length === DEEPEST) continue
    add(html.slice(begin, start))
    begin = end
    if (escaped) {
      add(html.slice(start + 1, end - 1))
      continue
    }
    const node: ShortcodeNode = { name, attributes: parseAttributes(attributes), content: null }
    parts.push(node)
    if (!encloses) continue
    const around = parts
    parts = []
    open.push({ node, parts, around, start })
  }
  add(html.slice(begin))
  while (open.length > 0) giveUp()
  return root
}

/** The beginnings that have an end further on: an end is that of the nearest beginning of its name. */
function withEnds(found: readonly ShortcodeTag[]): ReadonlySet<ShortcodeTag> {
  const waiting = new Map<string, ShortcodeTag[]>()
  const ended = new Set<ShortcodeTag>()
  for (const tag of found) {
    if (tag.escaped || tag.kind === 'empty') continue
    if (tag.kind === 'close') {
      const begun = waiting.get(tag.name)?.pop()
      if (begun !== undefined) ended.add(begun)
    } else {
      const begun = waiting.get(tag.name)
      if (begun === undefined) waiting.set(tag.name, [tag])
      else begun.push(tag)
    }
  }
  return ended
}

/** Where tags and comments stand, from and to. */
function tagsOf(pieces: Iterable<HtmlPiece>): [from: number, to: number][] {
  const tags: [number, number][] = []
  let at = 0
  for (const { kind, text } of pieces) {
    if (kind !== 'text') tags.push([at, at + text.length])
    at += text.length
  }
  return tags
}

const ATTRIBUTE = /([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))|"([^"]*)"|'([^']*)'|([^\s"']+)/g

/** The attributes of a tag: `name="value"`, `name='value'`, `name=value`, or values alone. */
export function parseAttributes(text: string): Record<string, string> {
  const attributes: Record<string, string> = {}
  let unnamed = 0
  // Typing programs put spaces that do not break, and quotes that are curly already, where plain ones are meant.
  const plain = text
    .replace(/[\u00a0\u200b]/g, ' ')
    .replace(/&#822[01];|&#8243;/g, '"')
    .replace(/&#821[67];/g, "'")
  for (const [, name, double, single, bare, ...alone] of plain.matchAll(ATTRIBUTE)) {
    const value = double ?? single ?? bare ?? alone.find((one) => one !== undefined) ?? ''
    if (name === undefined) attributes[unnamed++] = value
    else if (name !== '__proto__') attributes[name.toLowerCase()] = value
  }
  return attributes
}
