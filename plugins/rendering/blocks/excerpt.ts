import type { Block } from './parse.ts'

/** Block types whose text an excerpt may be made of. */
export const EXCERPT_BLOCKS: readonly string[] = (
  'core/freeform core/heading core/html core/list core/media-text core/paragraph core/preformatted core/pullquote ' +
  'core/quote core/table core/verse'
).split(' ')

/** Block types in which an excerpt looks for those. */
export const EXCERPT_WRAPPERS: readonly string[] = ['core/columns', 'core/column', 'core/group']

/** The HTML of blocks that an excerpt may be made of. */
export function excerptHtml(
  parts: readonly (string | Block)[],
  allowed: ReadonlySet<string>,
  wrappers: ReadonlySet<string>,
): string {
  let html = ''
  for (const part of parts) {
    if (typeof part === 'string') html += part
    else if (part.name === null || allowed.has(part.name) || wrappers.has(part.name)) {
      html += excerptHtml(part.inner, allowed, wrappers)
    }
  }
  return html
}
