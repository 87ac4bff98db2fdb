import { isMarkedHidden } from './arranged-supports.ts'
import type { Block } from './parse.ts'

/** Block types whose text can become part of an excerpt. */
export const EXCERPT_BLOCKS: readonly string[] = (
  'core/freeform core/heading core/html core/list core/media-text core/paragraph core/preformatted core/pullquote ' +
  'core/quote core/table core/verse'
).split(' ')

/** Block types that are searched for excerpt blocks inside them. */
export const EXCERPT_WRAPPERS: readonly string[] = ['core/columns', 'core/column', 'core/group']

/** Returns the HTML of the blocks that can be part of an excerpt. */
export function excerptHtml(
  parts: readonly (string | Block)[],
  allowed: ReadonlySet<string>,
  wrappers: ReadonlySet<string>,
): string {
  let html = ''
  for (const part of parts) {
    if (typeof part === 'string') html += part
    else if (isMarkedHidden(part)) continue
    else if (part.name === null || allowed.has(part.name) || wrappers.has(part.name)) {
      html += excerptHtml(part.inner, allowed, wrappers)
    }
  }
  return html
}
