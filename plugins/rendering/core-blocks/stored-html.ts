import { escapeHtml } from '../../library/markup/index.ts'
import { readTags } from '../html/index.ts'
import { htmlPieces, type HtmlPiece } from '../content-rendering/index.ts'

/** Matches names of attributes that elements in content have. */
const NAME = /^[a-z][\w:.-]*$/

/** A start tag in stored HTML, and the HTML around it. */
export interface FoundTag {
  readonly before: string
  readonly tag: string
  readonly after: string
}

/** Returns the first start tag that matches; null if there is none. Reads the HTML up to this tag only. */
export function findTag(html: string, matches: (name: string, tag: string) => boolean): FoundTag | null {
  let at = 0
  for (const { kind, name, text } of htmlPieces(html)) {
    const end = at + text.length
    if (kind === 'open' && matches(name, text)) return { before: html.slice(0, at), tag: text, after: html.slice(end) }
    at = end
  }
  return null
}

/** Returns the HTML with the pieces that a function replaces; null keeps a piece. */
export function replacePieces(html: string, replace: (piece: HtmlPiece) => string | null): string {
  let changed = ''
  for (const piece of htmlPieces(html)) changed += replace(piece) ?? piece.text
  return changed
}

/** Returns the decoded attributes of a start tag by lower-case name. */
export function attributesIn(tag: string): ReadonlyMap<string, string> {
  let found: ReadonlyMap<string, string> = new Map()
  readTags(tag, () => true, { open: (_name, attributes) => (found = attributes) })
  return found
}

/**
 * Returns a start tag with other attributes. @param changes values by name: null removes an attribute
 * @param element replaces the name of the element
 */
export function changedTag(tag: string, changes: Readonly<Record<string, string | null>>, element?: string): string {
  const attributes = new Map(attributesIn(tag))
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) attributes.delete(name)
    else attributes.set(name, value)
  }
  const name = element ?? /^<([a-z][a-z\d-]*)/i.exec(tag)?.[1] ?? 'div'
  // Names that the syntax of HTML does not allow could join with the next attribute.
  const written = [...attributes].flatMap(([key, value]) => (NAME.test(key) ? [` ${key}="${escapeHtml(value)}"`] : []))
  return `<${name}${written.join('')}>`
}

/** Returns a start tag with an additional class. */
export function tagWithClass(tag: string, name: string): string {
  const classes = attributesIn(tag).get('class') ?? ''
  return changedTag(tag, { class: classes === '' ? name : `${classes} ${name}` })
}
