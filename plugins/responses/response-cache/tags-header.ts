/** Headers by which CDNs purge responses. */
export type TagsHeader = 'Surrogate-Key' | 'Cache-Tag'

/** Bytes of the header that CDNs accept. */
const MAX_HEADER_BYTES = 16_384

const SEPARATORS: Readonly<Record<TagsHeader, string>> = { 'Surrogate-Key': ' ', 'Cache-Tag': ',' }

/**
 * Returns the tags of a response as a header value. If they are too long, tags of tables replace tags of objects and
 * lists, such as `table:posts` for `post:1` and `posts:author=3`, because it is purged with every change of a post.
 * Returns null if even these are too long; shared caches must then not store the response.
 */
export function tagsValue(tags: readonly string[], header: TagsHeader): string | null {
  const separator = SEPARATORS[header]
  const fine = tags.map(headerSafe).join(separator)
  if (fine.length <= MAX_HEADER_BYTES) return fine
  const coarse = [...new Set(tags.map((tag) => headerSafe(coarser(tag))))].join(separator)
  return coarse.length <= MAX_HEADER_BYTES ? coarse : null
}

/** Tables by the prefix of a tag. */
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

/** Returns the table tag of a tag. Tags of plugins stay as they are. */
function coarser(tag: string): string {
  const kind = tag.split(':', 1)[0]!
  return Object.hasOwn(TABLES, kind) ? `table:${TABLES[kind]}` : tag
}

/** Encodes a tag so that it is one token in both headers. */
function headerSafe(tag: string): string {
  return tag
    .toWellFormed()
    .replace(/[^\x21-\x2b\x2d-\x7e]/gu, (mark) =>
      mark === ',' || mark === ' ' ? `%${mark.charCodeAt(0).toString(16).toUpperCase()}` : encodeURIComponent(mark),
    )
}
