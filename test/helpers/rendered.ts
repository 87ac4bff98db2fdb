import { addPosts, type TestPost } from './content.ts'
import type { Site } from './site.ts'

/** Stores a post and returns its rendered content for visitors. */
export async function rendered(site: Site, content: string, post: TestPost = {}): Promise<string> {
  const [id] = await addPosts(site.store, { title: 'Around', ...post, content })
  return renderedOf(site, id!)
}

/** Returns the rendered content of a post. @param query appended to the URL, such as `&query-1-page=2` */
export async function renderedOf(
  site: Site,
  id: number,
  query = '',
  headers: Record<string, string> = {},
): Promise<string> {
  const response = await site.get(`/svc/v2/posts/${id}?_fields=content.rendered${query}`, headers)
  return ((await response.json()) as { content: { rendered: string } }).content.rendered
}

/** Returns the markup of a query block with inner blocks. */
export function query(attributes: Record<string, unknown>, inside: string): string {
  const options = JSON.stringify({ queryId: 1, query: { perPage: 3, postType: 'post', inherit: false, ...attributes } })
  return `<!-- wp:query ${options} --><div class="wp-block-query">${inside}</div><!-- /wp:query -->`
}

/** Returns the markup of a post template block with inner blocks. */
export function template(inside: string): string {
  return `<!-- wp:post-template -->${inside}<!-- /wp:post-template -->`
}
