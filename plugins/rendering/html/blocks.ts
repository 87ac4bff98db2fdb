import type { Steps } from '../../library/long-work/index.ts'
import { editJson } from '../../library/markup/index.ts'
import { isScript } from './url-attributes.ts'

/** Block attributes nested deeper than this are rejected; no known block reaches this depth. */
const MAX_ATTRIBUTE_DEPTH = 64

/**
 * Matches the inside of a block comment: `/name`, `namespace/name {json}`, with a trailing `/` for blocks without
 * content.
 */
const BLOCK = /^\s+(\/?)([a-z][a-z0-9-]*):((?:[a-z][a-z0-9_-]*\/)?[a-z][a-z0-9_-]*)\s+(?:(\{[\s\S]*\})\s+)?(\/?)$/

/**
 * Filters a terminated comment. In block comments, filters the HTML in all attributes at any depth. Removes comments
 * that imitate a block comment, or that contain text another parser could read as the end of the comment or as an
 * element.
 * @param inside the text between `<!--` and `-->`
 * @param mark prefix of block names
 * @param filter filters HTML in attributes
 * @returns (in steps) the filtered comment; '' if it is removed
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

/** Whether the text could end the surrounding comment or begin an element. */
function endsComment(text: string): boolean {
  return /--|[<>]/.test(text)
}

/** Attribute names and values processed between two yields. */
const TEXTS_PER_STEP = 500

/**
 * Returns filtered block attributes as JSON, in which unchanged parts keep their bytes; null if the JSON is invalid or
 * nested too deep.
 */
function* filterAttributes(json: string, filter: (html: string) => Steps<string>): Steps<string | null> {
  let attributes: unknown
  try {
    attributes = JSON.parse(json)
  } catch {
    return null
  }
  let count = 0
  const text = function* (value: string): Steps<string> {
    if ((count += 1) % TEXTS_PER_STEP === 0) yield
    const allowed = value.includes('<') ? yield* filter(value) : value
    // Removing markup can reveal a script URL.
    return isScript(allowed) ? '' : allowed
  }
  // Returns the same object if nothing changes in it.
  const walk = function* (value: unknown, depth: number): Steps<unknown> {
    if (typeof value === 'string') return yield* text(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth === MAX_ATTRIBUTE_DEPTH) throw new RangeError('The attributes of the block are nested too deep.')
    let isChanged = false
    if (Array.isArray(value)) {
      const items: unknown[] = []
      for (const item of value) {
        const filtered = yield* walk(item, depth + 1)
        isChanged ||= filtered !== item
        items.push(filtered)
      }
      return isChanged ? items : value
    }
    const entries: [string, unknown][] = []
    for (const [key, item] of Object.entries(value)) {
      const entry: [string, unknown] = [yield* text(key), yield* walk(item, depth + 1)]
      isChanged ||= key === '__proto__' || entry[0] !== key || entry[1] !== item
      if (key !== '__proto__') entries.push(entry)
    }
    return isChanged ? Object.fromEntries(entries) : value
  }
  const write = (value: unknown) => escapeJson(JSON.stringify(value))
  try {
    const filtered = yield* walk(attributes, 0)
    return endsComment(json) ? write(filtered) : editJson(json, attributes, filtered, write)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Escapes JSON so that it cannot end a comment. */
export function escapeJson(json: string): string {
  return json
    .replaceAll('--', '\\u002d\\u002d')
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('&', '\\u0026')
}
