import {
  forbidden,
  type Awaitable,
  type PluginContext,
  type RestError,
  type RestRequest,
} from '../../../kernel/index.ts'
import type { ResourcePermissions } from '../../resources/index.ts'
import { seesTerms, type Taxonomy } from '../taxonomies/index.ts'
import { errors } from './errors.ts'
import type { Term } from './query.ts'

/** A post whose terms are listed. */
type ReadablePost = Parameters<PluginContext['services']['posts']['isReadable']>[0]

/** Permission checks for the terms of one taxonomy. */
export class TermPermissions implements ResourcePermissions<Term> {
  readonly #plugin: PluginContext
  readonly #taxonomy: Taxonomy

  constructor(plugin: PluginContext, taxonomy: Taxonomy) {
    this.#plugin = plugin
    this.#taxonomy = taxonomy
  }

  async list(request: RestRequest): Promise<true | RestError> {
    const hidden = this.hidden(request)
    if (hidden !== null) return hidden
    if (request.get('context') === 'edit' && !this.#can(request, this.#taxonomy.capabilities.edit_terms))
      return forbidden(request, errors.rest_forbidden_context, 'edit terms of this taxonomy')
    const post = request.get('post') as number | null
    return post ? this.#listOfPost(post, request) : true
  }

  read(term: Term, request: RestRequest): Awaitable<true | RestError> {
    if (request.get('context') !== 'edit' || this.#can(request, 'edit_term', term)) return true
    return forbidden(request, errors.rest_forbidden_context, 'edit this term')
  }

  /** Flat taxonomies: users who may assign terms may also create them. */
  create(request: RestRequest): true | RestError {
    const { capabilities, hierarchical } = this.#taxonomy
    const needed = hierarchical ? capabilities.edit_terms : capabilities.assign_terms
    return this.#can(request, needed) || forbidden(request, errors.rest_cannot_create)
  }

  update(term: Term, request: RestRequest): true | RestError {
    return this.#can(request, 'edit_term', term) || forbidden(request, errors.rest_cannot_update)
  }

  async delete(term: Term, request: RestRequest): Promise<true | RestError> {
    const is_default = term.id === (await this.#plugin.services.terms.defaultOf(term.taxonomy))
    return this.#can(request, 'delete_term', { ...term, is_default }) || forbidden(request, errors.rest_cannot_delete)
  }

  /** The error if the user may not see the terms of the taxonomy, otherwise null. */
  hidden(request: RestRequest): RestError | null {
    if (seesTerms(this.#plugin.services.capabilities, request.user, this.#taxonomy)) return null
    return forbidden(request, errors.rest_cannot_view)
  }

  /** The terms of a post are visible only to its readers. */
  async #listOfPost(id: number, request: RestRequest): Promise<true | RestError> {
    const { services, has } = this.#plugin
    const post = has('posts') ? await services.posts.get(id, request.scope) : undefined
    if (post === undefined) return errors.rest_post_invalid_id()
    const isOfType = services.taxonomies.typesOf(this.#taxonomy.name).includes(post.type)
    if (isOfType && (await this.readsPost(post, request))) return true
    return forbidden(request, errors.rest_forbidden_context, 'view the terms of this post')
  }

  /** Whether the user may see a post whose terms are listed. */
  protected readsPost(post: ReadablePost, { user, scope }: RestRequest): Awaitable<boolean> {
    return this.#plugin.services.posts.isReadable(post, user, scope)
  }

  #can(request: RestRequest, capability: string, term?: Term & { is_default?: boolean }): boolean {
    return this.#plugin.services.capabilities.can(request.user, capability, term)
  }
}
