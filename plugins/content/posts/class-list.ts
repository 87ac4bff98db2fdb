import { FORMAT_TAXONOMY, POST_FORMATS, slugOfFormat } from '../taxonomies/index.ts'
import type { PostTerms, Term } from '../terms/index.ts'
import type { ListedPost } from './post.ts'
import type { ServedType } from './served-type.ts'

const FORMATS_BY_SLUG: ReadonlyMap<string, string> = new Map(
  POST_FORMATS.map((format) => [slugOfFormat(format), format]),
)

/** The format of a post, from its term in the format taxonomy. */
export function formatOf(terms: PostTerms | undefined): string {
  const slug = terms?.get(FORMAT_TAXONOMY)?.[0]?.slug
  return (slug === undefined ? undefined : FORMATS_BY_SLUG.get(slug)) ?? POST_FORMATS[0]
}

/**
 * Returns the CSS classes that themes put on the HTML of a post.
 * @param media ID of its featured image; 0 for none
 */
export function classList(
  served: ServedType,
  { id, type, status, password }: ListedPost,
  terms: PostTerms | undefined,
  media: number,
): string[] {
  const classes = [`post-${id}`, type, `type-${type}`, `status-${status}`]
  if (served.has('post-formats')) classes.push(`format-${formatOf(terms)}`)
  if (password !== '') classes.push('post-password-required')
  // Attachments never have this class, and a password also hides the image.
  if (media !== 0 && password === '' && type !== 'attachment') classes.push('has-post-thumbnail')
  classes.push('hentry')
  for (const { name } of served.publicTaxonomies) {
    const prefix = name === 'post_tag' ? 'tag' : name
    for (const term of terms?.get(name) ?? []) classes.push(`${prefix}-${classOf(term)}`)
  }
  return classes
}

/** The part of a class that names a term: its slug without characters that classes cannot have, or its ID. */
function classOf({ id, slug }: Term): string {
  const name = slug.replace(/%[a-f0-9]{2}/gi, '').replace(/[^\w-]/g, '')
  return /^\d*$/.test(name) || /^-+$/.test(name) ? String(id) : name
}
