import type { Words } from '../../foundation/translations/index.ts'

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

/** Returns the labels of the post formats. @param words translates the labels */
export function formatLabels(words: Pick<Words, 't'>): Record<(typeof POST_FORMATS)[number], string> {
  return {
    standard: words.t('post format|Standard'),
    aside: words.t('post format|Aside'),
    chat: words.t('post format|Chat'),
    gallery: words.t('post format|Gallery'),
    link: words.t('post format|Link'),
    image: words.t('post format|Image'),
    quote: words.t('post format|Quote'),
    status: words.t('post format|Status'),
    video: words.t('post format|Video'),
    audio: words.t('post format|Audio'),
  }
}

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
