import {
  applyFilter,
  type Link,
  type PluginContext,
  type RequestCache,
  type RestRequest,
} from '../../../kernel/index.ts'
import { dependsOn } from '../../library/caching/index.ts'
import { includedIds, pageRange, type LinkedItem } from '../../resources/index.ts'
import type { LeanPost, PostQuery } from '../posts/index.ts'
import { routeLinks, type Found, type FoundId, type FoundItem, type SearchHandler } from './handler.ts'

/** Searches published posts of public content types: best match first, or newest first without a search text. */
export class PostSearch implements SearchHandler {
  readonly type = 'post'
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  subtypes(): string[] {
    const types = this.#plugin.services.contentTypes.exposed()
    return types.filter((type) => type.public && type.name !== 'attachment').map(({ name }) => name)
  }

  async search(request: RestRequest, subtypes: readonly string[]): Promise<Found> {
    if (subtypes.length === 0) return { ids: [], total: 0 }
    const { hooks, services } = this.#plugin
    const { posts } = services
    const query = await applyFilter(hooks.rest_query.for('post_search'), this.#queryOf(request, subtypes), request)
    const { items, total } = await posts.queryLean(posts.forUser(query, request.user))
    const found = foundIn(request.scope)
    for (const post of items) found.set(post.id, post)
    // A page beyond the last one is an empty result, not an error.
    return { ids: items.map(({ id }) => id), total: items.length === 0 ? 0 : total }
  }

  #queryOf(request: RestRequest, types: readonly string[]): PostQuery {
    const search = ((request.get('search') as string | undefined) ?? '').trim()
    return {
      types,
      statuses: ['publish'],
      ...(search !== '' && { search }),
      ...includedIds(request),
      orderby: search === '' ? 'date' : 'relevance',
      order: 'desc',
      tieOrder: 'asc',
      ...pageRange(request),
    }
  }

  async prepare(id: FoundId, fields: readonly string[], request: RestRequest): Promise<FoundItem> {
    const { permalinks, contentRendering: rendering } = this.#plugin.services
    const post = await this.#post(id, request.scope)
    const item: FoundItem = { id: post.id, type: this.type, subtype: post.type }
    if (fields.includes('title')) item.title = await rendering.title(post)
    if (fields.includes('url')) item.url = await permalinks.post(post, request.scope)
    return item
  }

  async links(id: FoundId, request: RestRequest): Promise<Record<string, Link>> {
    const post = await this.#post(id, request.scope)
    const route = this.#plugin.services.contentTypes.itemRoute(post)
    return routeLinks(this.#plugin, route, `types/${post.type}`)
  }

  subject(id: FoundId, { scope }: RestRequest): LinkedItem | undefined {
    const item = foundIn(scope).get(id)
    const type = item === undefined ? undefined : this.#plugin.services.contentTypes.get(item.type)
    return type === undefined ? undefined : { item, collection: `${type.rest_namespace}/${type.rest_base}` }
  }

  async #post(id: FoundId, scope: RequestCache): Promise<LeanPost> {
    dependsOn(`post:${id}`)
    return foundIn(scope).get(id) ?? (await this.#plugin.services.posts.get(Number(id), scope))!
  }
}

/** Posts found so far in this request. */
function foundIn(scope: RequestCache): Map<FoundId, LeanPost> {
  return scope.getObject('posts found', () => new Map<FoundId, LeanPost>())
}
