/** Headers by which networks in front know what to purge. */
export type TagsHeader = 'Surrogate-Key' | 'Cache-Tag'

/** Bytes of the header that such networks take. */
const LONGEST = 16_384

const SEPARATORS: Readonly<Record<TagsHeader, string>> = { 'Surrogate-Key': ' ', 'Cache-Tag': ',' }

/**
 * The tags of a response as a header's value. Where they are too long, lists and kinds stand in place of objects: `posts`
 * for each of `post:1` and `posts:author=3`, which is purged whenever a post changes. Null where even these are too long:
 * the response must then not be kept by others.
 */
export function tagsValue(tags: readonly string[], header: TagsHeader): string | null {
  const separator = SEPARATORS[header]
  const fine = tags.map(headerSafe).join(separator)
  if (fine.length <= LONGEST) return fine
  const coarse = [...new Set(tags.map((tag) => headerSafe(coarser(tag))))].join(separator)
  return coarse.length <= LONGEST ? coarse : null
}

/** The list of all objects of a tag's kind; a table stays what it is, and so does what has no kind. */
function coarser(tag: string): string {
  const end = tag.indexOf(':')
  if (end < 0) return tag
  const kind = tag.slice(0, end)
  if (kind === 'table') return tag
  return kind.endsWith('s') ? kind : `${kind}s`
}

/** A tag that is one word in both headers. */
function headerSafe(tag: string): string {
  return tag
    .toWellFormed()
    .replace(/[^\x21-\x2b\x2d-\x7e]/gu, (mark) =>
      mark === ',' || mark === ' ' ? `%${mark.charCodeAt(0).toString(16).toUpperCase()}` : encodeURIComponent(mark),
    )
}
