import type { CurrentUser, PluginContext, RestRequest } from '../../public.ts'

/** An object of the REST API. */
export interface ServedObject {
  readonly objectType: string
  readonly id: number
  /** Route of the object in the main namespace. */
  readonly route: string
}

/** Kinds of objects by the routes that serve them. */
export type RouteKind = 'post' | 'term' | 'user' | 'comment'

/** Finds objects, and decides who may change their fields. */
export class ServedObjects {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** Returns an object by its ID; null if it does not exist or has no route. Does not check permissions. */
  async find(kind: RouteKind, id: number, { scope }: RestRequest): Promise<ServedObject | null> {
    const { branding, services } = this.#plugin
    const { comments, contentTypes, posts, taxonomies, terms, users } = services
    if (kind === 'post') {
      const post = await posts.get(id, scope)
      const route = post === undefined ? '' : contentTypes.itemRoute(post)
      return route === '' ? null : { objectType: post!.type, id, route }
    }
    if (kind === 'term') {
      const term = await terms.get(id, scope)
      const taxonomy = term === undefined ? undefined : taxonomies.get(term.taxonomy)
      const route = term === undefined ? '' : taxonomies.itemRoute(term)
      return taxonomy === undefined || route === '' ? null : { objectType: taxonomy.objectType, id, route }
    }
    const found = kind === 'user' ? await users.get(id, scope) : await comments.get(id, scope)
    const route = `/${branding.namespace('v2')}/${kind}s/${id}`
    return found === undefined ? null : { objectType: kind, id, route }
  }

  /** Whether a user may change the fields of an object. */
  async isEditable(kind: RouteKind, id: number, { scope, user }: RestRequest): Promise<boolean> {
    const { capabilities, comments, posts, terms, users } = this.#plugin.services
    if (kind === 'post') {
      const post = await posts.get(id, scope)
      return post !== undefined && (await posts.isEditable(post, user, scope))
    }
    if (kind === 'term') {
      const term = await terms.get(id, scope)
      return term !== undefined && capabilities.can(user, 'edit_term', term)
    }
    if (kind === 'user') return this.#isUserEditable(id, user, (await users.get(id, scope)) !== undefined)
    const comment = await comments.get(id, scope)
    const post = comment === undefined ? undefined : await posts.get(comment.post_id, scope)
    if (comment === undefined || post === undefined) return false
    return capabilities.can(user, 'moderate_comments') && (await posts.isEditable(post, user, scope))
  }

  #isUserEditable(id: number, user: CurrentUser, exists: boolean): boolean {
    if (!exists || user.id === 0) return false
    return user.id === id || this.#plugin.services.capabilities.can(user, 'edit_users')
  }
}
