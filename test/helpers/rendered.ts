import { addPosts, type TestPost } from './content.ts'
import type { Site } from './site.ts'

/** The content of a new post as visitors get it. */
export async function rendered(site: Site, content: string, post: TestPost = {}): Promise<string> {
  const [id] = await addPosts(site.store, { title: 'Around', ...post, content })
  return renderedOf(site, id!)
}

/** The content of a post as somebody gets it. @param query behind `_fields`, such as `&query-1-page=2` */
export async function renderedOf(
  site: Site,
  id: number,
  query = '',
  headers: Record<string, string> = {},
): Promise<string> {
  const response = await site.get(`/svc/v2/posts/${id}?_fields=content.rendered${query}`, headers)
  return ((await response.json()) as { content: { rendered: string } }).content.rendered
}

/** A query block around others. */
export function query(attributes: Record<string, unknown>, inside: string): string {
  const asked = JSON.stringify({ queryId: 1, query: { perPage: 3, postType: 'post', inherit: false, ...attributes } })
  return `<!-- wp:query ${asked} --><div class="wp-block-query">${inside}</div><!-- /wp:query -->`
}

/** The posts of a query, with blocks for each. */
export function template(inside: string): string {
  return `<!-- wp:post-template -->${inside}<!-- /wp:post-template -->`
}
