/** The post formats; the first one applies to posts without a format term. */
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

/** Taxonomy whose terms are post formats. */
export const FORMAT_TAXONOMY = 'post_format'

/** Prefix of the slugs of format terms. */
const PREFIX = 'post-format-'

/** The slug of a format term: `post-format-aside`. */
export function slugOfFormat(format: string): string {
  return `${PREFIX}${format}`
}

/** The format for the slug of a format term, as in URLs: `aside`. */
export function formatOfSlug(slug: string): string {
  return slug.startsWith(PREFIX) ? slug.slice(PREFIX.length) : slug
}
