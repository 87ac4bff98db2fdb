import type { CurrentUser, PluginContext, RequestCache } from '../../public.ts'
import type { LocationFacts, PostFacts, PostReads } from './locations.ts'
import type { TargetType } from './targets.ts'

/** Reads the facts that location rules test. Reads for several objects of a request are batched. */
export class FactsReader {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** @param reads what rules test of a post besides its type */
  async read(
    target: TargetType,
    id: number,
    user: Pick<CurrentUser, 'id' | 'roles'>,
    { scope, reads }: { scope: RequestCache; reads: PostReads },
  ): Promise<LocationFacts> {
    const facts = { target, user, id }
    const { services } = this.#plugin
    if (target.kind === 'post') {
      if (reads === 'type') return facts
      return { ...facts, ...(await this.#postFacts(target.subtype, id, scope, reads === 'children')) }
    }
    if (target.kind === 'user') return { ...facts, roles: (await services.users.current(id))?.roles ?? [] }
    if (target.kind === 'comment') {
      const comment = await services.comments.get(id, scope)
      const post = comment === undefined ? undefined : await services.posts.get(comment.post_id, scope)
      return post === undefined ? facts : { ...facts, commentedType: post.type }
    }
    return facts
  }

  async #postFacts(
    type: string,
    id: number,
    scope: RequestCache,
    readsChildren: boolean,
  ): Promise<{ post?: PostFacts }> {
    const { options, posts, terms } = this.#plugin.services
    const [post, ofPost, template, pages] = await Promise.all([
      posts.get(id, scope),
      terms.ofPosts(scope).load(id),
      posts.template(id, scope),
      options.many(['page_on_front', 'page_for_posts']),
    ])
    // A new post is a draft without terms.
    const { status, parent_id: parent } = post ?? { status: 'draft', parent_id: 0 }
    if (post === undefined && id !== 0) return {}
    const names = [...ofPost].flatMap(([taxonomy, list]) =>
      list.flatMap(({ id: term, slug }) => [`${taxonomy}:${slug}`, `${taxonomy}:${term}`]),
    )
    return {
      post: {
        status,
        parent,
        template,
        hasChildren: readsChildren && (await this.#hasChildren(type, id, scope)),
        terms: new Set(names),
        frontPage: Number(pages.page_on_front),
        postsPage: Number(pages.page_for_posts),
      },
    }
  }

  async #hasChildren(type: string, id: number, scope: RequestCache): Promise<boolean> {
    const statuses = ['publish', 'draft', 'pending', 'private', 'future']
    const query = { types: [type], statuses, parent: [id], readScope: null, limit: 1 }
    return (await this.#plugin.services.posts.query(query, scope)).items.length > 0
  }
}
