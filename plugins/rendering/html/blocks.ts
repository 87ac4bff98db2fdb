import type { Steps } from '../../library/long-work/index.ts'
import { isScript } from './url-attributes.ts'

/** Deeper than any block nests its attributes. */
const MAX_ATTRIBUTE_DEPTH = 64

/** What a comment that marks a block holds: `/name`, `space/name {json}`, with `/` at its end for a block without content. */
const BLOCK = /^\s+(\/?)([a-z][a-z0-9-]*):((?:[a-z][a-z0-9_-]*\/)?[a-z][a-z0-9_-]*)\s+(?:(\{[\s\S]*\})\s+)?(\/?)$/

/**
 * What may stay of a comment that has been closed, whole. A comment that marks a block loses what is no HTML of posts in
 * its attributes, at any depth; one that pretends to mark a block, or holds what another parser could take for the end
 * of a comment or for an element, goes.
 * @param inside what is between `<!--` and `-->`
 * @param mark what names of blocks begin with
 * @param filter what a text that has elements becomes
 * @returns (in steps) '' where nothing may stay
 */
export function* filterComment(inside: string, mark: string, filter: (html: string) => Steps<string>): Steps<string> {
  const [, closer = '', prefix, name = '', json, empty = ''] = BLOCK.exec(inside) ?? []
  if (prefix !== mark) {
    const [, pretended = ''] = /^\s*(?:\/\s*)?([a-z0-9-]+):/i.exec(inside) ?? []
    const trick = endsComment(inside) || /^-|-$/.test(inside) || pretended.toLowerCase() === mark
    return trick ? '' : `<!--${inside}-->`
  }
  if (endsComment(name)) return ''
  if (closer !== '') return json === undefined && empty === '' ? `<!-- /${mark}:${name} -->` : ''
  if (json === undefined) return `<!-- ${mark}:${name} ${empty}-->`
  const attributes = yield* filterAttributes(json, filter)
  return attributes === null ? '' : `<!-- ${mark}:${name} ${attributes} ${empty}-->`
}

/** Whether a text holds what could end the comment that it is in, or begin an element. */
function endsComment(text: string): boolean {
  return /--|[<>]/.test(text)
}

/** Texts and names of attributes that are a step. */
const TEXTS_PER_STEP = 500

/** The attributes of a block as JSON, unchanged where nothing had to go; null where they are no JSON. */
function* filterAttributes(json: string, filter: (html: string) => Steps<string>): Steps<string | null> {
  let attributes: unknown
  try {
    attributes = JSON.parse(json)
  } catch {
    return null
  }
  let changed = endsComment(json)
  let count = 0
  const text = function* (value: string): Steps<string> {
    if ((count += 1) % TEXTS_PER_STEP === 0) yield
    const allowed = value.includes('<') ? yield* filter(value) : value
    // What is left once its markup has gone may be a URL that the markup hid.
    const filtered = isScript(allowed) ? '' : allowed
    changed ||= filtered !== value
    return filtered
  }
  const walk = function* (value: unknown, depth: number): Steps<unknown> {
    if (typeof value === 'string') return yield* text(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth === MAX_ATTRIBUTE_DEPTH) throw new RangeError('The attributes of the block are nested too deep.')
    if (Array.isArray(value)) {
      const items: unknown[] = []
      for (const item of value) items.push(yield* walk(item, depth + 1))
      return items
    }
    const kept: [string, unknown][] = []
    for (const [key, item] of Object.entries(value)) {
      if (key === '__proto__') changed = true
      else kept.push([yield* text(key), yield* walk(item, depth + 1)])
    }
    return Object.fromEntries(kept)
  }
  try {
    const filtered = yield* walk(attributes, 0)
    return changed ? escapeJson(JSON.stringify(filtered)) : json
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** JSON that holds nothing which could end a comment. */
export function escapeJson(json: string): string {
  return json
    .replaceAll('--', '\\u002d\\u002d')
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('&', '\\u0026')
}
