import type { ContentType } from '../../content/content-types/index.ts'
import type { Taxonomy } from '../../content/taxonomies/index.ts'
import type { LinkedPost, LinkedTerm } from './linked.ts'

/** Statuses of content that will get a URL once it is published. */
export const TO_BE_PUBLISHED: ReadonlySet<string> = new Set(['draft', 'pending', 'auto-draft', 'future'])

/** The URL of a post by its ID, or by slug where its type has a query variable. */
export function plainPath(post: LinkedPost, type: ContentType | undefined): string {
  if (post.type === 'page') return `/?page_id=${post.id}`
  if (post.type === 'attachment') return `/?attachment_id=${post.id}`
  if (type !== undefined && type.query_var !== false && post.slug !== '' && !TO_BE_PUBLISHED.has(post.status)) {
    return `/?${type.query_var}=${post.slug}`
  }
  return `/?post_type=${post.type}&p=${post.id}`
}

/** The URL of a term by its ID, or by slug where its taxonomy has a query variable. */
export function plainTermPath(term: LinkedTerm, taxonomy: Taxonomy | undefined): string {
  if (term.taxonomy === 'category') return `/?cat=${term.id}`
  const name = taxonomy?.query_var ?? false
  return name === false ? `/?taxonomy=${term.taxonomy}&term=${term.slug}` : `/?${name}=${term.slug}`
}
