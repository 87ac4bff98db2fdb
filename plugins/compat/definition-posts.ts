import { RequestCache, type PluginContext, type Post } from '../public.ts'
import { readPhp, type PhpMap } from './php-values.ts'

/** Status of switched-off definitions. */
export const DISABLED = 'acf-disabled'
const PAGE_SIZE = 1000

/** A post whose content is a serialized definition. */
export interface DefinitionPost extends Post {
  readonly settings: PhpMap
}

/**
 * Reads the posts of some types whose content is a definition, in their order. Posts with malformed contents are left
 * out.
 */
export async function readDefinitionPosts(
  { services, log }: Pick<PluginContext, 'services' | 'log'>,
  types: readonly string[],
  statuses: readonly string[] = ['publish'],
): Promise<DefinitionPost[]> {
  const found: DefinitionPost[] = []
  const query = { types, statuses, readScope: null, limit: PAGE_SIZE, orderby: 'id', order: 'asc' } as const
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const { items } = await services.posts.query({ ...query, offset }, new RequestCache())
    for (const post of items) {
      const settings = readPhp(post.content)
      if (settings instanceof Map) found.push({ ...post, settings: settings as PhpMap })
      else if (!Array.isArray(settings) || settings.length > 0)
        log.warn({ id: post.id, type: post.type }, 'a definition is left out because its content is malformed')
    }
    if (items.length < PAGE_SIZE) break
  }
  return found.sort((one, other) => one.menu_order - other.menu_order || one.id - other.id)
}
