import { forbidden, type PluginContext, type RestError, type RestRequest } from '../../../kernel/index.ts'
import type { Post } from '../posts/index.ts'
import { errors } from './errors.ts'

/** Who may read and delete the revisions of posts. */
export class RevisionPermissions {
  readonly #services: PluginContext['services']

  constructor(services: PluginContext['services']) {
    this.#services = services
  }

  /** The revisions of a post are for those who may change it. */
  async read(parent: Post, request: RestRequest): Promise<true | RestError> {
    const may = await this.#services.posts.isEditable(parent, request.user, request.scope)
    return may || forbidden(request, errors.rest_cannot_read)
  }

  /**
   * Nobody may delete a revision, unless a plugin lets some (`map_meta_cap`).
   * @param revisionOf the revision in the URL: who may not see the revisions is not told which there are
   */
  async delete(parent: Post, revisionOf: () => Promise<Post>, request: RestRequest): Promise<true | RestError> {
    const { capabilities, posts } = this.#services
    if ((await this.read(parent, request)) !== true) return forbidden(request, errors.rest_cannot_delete)
    const revision = await posts.subject(await revisionOf(), request.scope)
    return capabilities.can(request.user, 'delete_post', revision) || forbidden(request, errors.rest_cannot_delete)
  }
}
