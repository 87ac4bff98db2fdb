/** Headers by which networks in front know what to purge. */
export type TagsHeader = 'Surrogate-Key' | 'Cache-Tag'

/** Bytes of the header that such networks take. */
const MAX_HEADER_BYTES = 16_384

const SEPARATORS: Readonly<Record<TagsHeader, string>> = { 'Surrogate-Key': ' ', 'Cache-Tag': ',' }

/**
 * The tags of a response as a header's value. Where they are too long, tables stand in place of objects and lists:
 * `table:posts` for each of `post:1` and `posts:author=3`, which is told whatever changes of a post. Null where even these
 * are too long: the response must then not be kept by others.
 */
export function tagsValue(tags: readonly string[], header: TagsHeader): string | null {
  const separator = SEPARATORS[header]
  const fine = tags.map(headerSafe).join(separator)
  if (fine.length <= MAX_HEADER_BYTES) return fine
  const coarse = [...new Set(tags.map((tag) => headerSafe(coarser(tag))))].join(separator)
  return coarse.length <= MAX_HEADER_BYTES ? coarse : null
}

/** The tables of what tags begin with. */
const TABLES: Readonly<Record<string, string>> = {
  post: 'posts',
  posts: 'posts',
  unpublished: 'posts',
  revisions: 'posts',
  term: 'terms',
  terms: 'terms',
  comment: 'comments',
  comments: 'comments',
  unapproved: 'comments',
  user: 'users',
  users: 'users',
  option: 'options',
}

/** The table of what a tag names; a tag of a plugin stays what it is. */
function coarser(tag: string): string {
  const kind = tag.split(':', 1)[0]!
  return Object.hasOwn(TABLES, kind) ? `table:${TABLES[kind]}` : tag
}

/** A tag that is one word in both headers. */
function headerSafe(tag: string): string {
  return tag
    .toWellFormed()
    .replace(/[^\x21-\x2b\x2d-\x7e]/gu, (mark) =>
      mark === ',' || mark === ' ' ? `%${mark.charCodeAt(0).toString(16).toUpperCase()}` : encodeURIComponent(mark),
    )
}
