import type { HtmlPiece } from '../content-rendering/index.ts'

const ATTRIBUTE = /([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))|"([^"]*)"|'([^']*)'|([^\s"']+)/g

/**
 * Matches a tag that every parser reads alike: its values are quoted or contain no quotes, and contain no angle
 * brackets.
 */
const TAG =
  /<(?:\/[a-z][\w:-]*\s*|[a-z][\w:-]*(?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=`]+))?)*\s*\/?)>/iy

/** Elements without a closing tag. */
const VOID: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)

/**
 * Parses the attributes of a shortcode: `name="value"`, `name='value'`, `name=value`, and values without a name. A
 * value with incomplete markup becomes empty, because it would change the meaning of the surrounding markup.
 * @param pieces splits HTML into tags, comments and text
 */
export function parseAttributes(text: string, pieces: (html: string) => Iterable<HtmlPiece>): Record<string, string> {
  const attributes: Record<string, string> = {}
  let unnamed = 0
  for (const [, name, double, single, bare, ...alone] of withPlainQuotes(text, pieces).matchAll(ATTRIBUTE)) {
    const text = double ?? single ?? bare ?? alone.find((one) => one !== undefined) ?? ''
    const value = isComplete(text) ? text : ''
    if (name === undefined) attributes[unnamed++] = value
    else if (name !== '__proto__') attributes[name.toLowerCase()] = value
  }
  return attributes
}

/** Replaces non-breaking spaces and curly quotes by plain ones, except inside HTML tags. */
function withPlainQuotes(text: string, pieces: (html: string) => Iterable<HtmlPiece>): string {
  if (!text.includes('<')) return replaceTypographicQuotes(text)
  let typed = ''
  for (const piece of pieces(text)) typed += piece.kind === 'text' ? replaceTypographicQuotes(piece.text) : piece.text
  return typed
}

function replaceTypographicQuotes(text: string): string {
  return text
    .replace(/[\u00a0\u200b]/g, ' ')
    .replace(/&#822[01];|&#8243;/g, '"')
    .replace(/&#821[67];/g, "'")
}

/** Whether each tag in the text is terminated, and each element opened in it is closed in it. */
function isComplete(text: string): boolean {
  const open: string[] = []
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    TAG.lastIndex = at
    const [tag] = TAG.exec(text) ?? []
    if (tag === undefined) return false
    const name = /[\w:-]+/.exec(tag)![0].toLowerCase()
    if (tag.startsWith('</')) {
      if (open.pop() !== name) return false
    } else if (!VOID.has(name)) open.push(name)
    at += tag.length
  }
  return open.length === 0
}
