/** The formats that a post can have; the first one is that of a post without a term of the taxonomy. */
export const POST_FORMATS = [
  'standard',
  'aside',
  'chat',
  'gallery',
  'link',
  'image',
  'quote',
  'status',
  'video',
  'audio',
] as const

/** The taxonomy whose terms are the formats of posts. */
export const FORMAT_TAXONOMY = 'post_format'

/** What the slug of a format's term begins with. */
const PREFIX = 'post-format-'

/** The slug of the term of a format: `post-format-aside`. */
export function slugOfFormat(format: string): string {
  return `${PREFIX}${format}`
}

/** The format of a term by its slug, as URLs have it: `aside`. */
export function formatOfSlug(slug: string): string {
  return slug.startsWith(PREFIX) ? slug.slice(PREFIX.length) : slug
}
