import { forbidden, type PluginContext, type RestError, type RestRequest } from '../../../kernel/index.ts'
import type { Post } from '../posts/index.ts'
import { errors } from './errors.ts'

/** Checks the permissions to read and delete revisions. */
export class RevisionPermissions {
  readonly #services: PluginContext['services']

  constructor(services: PluginContext['services']) {
    this.#services = services
  }

  /** Checks whether the user may read revisions: users who can edit the post may. */
  async read(parent: Post, request: RestRequest): Promise<true | RestError> {
    const may = await this.#services.posts.isEditable(parent, request.user, request.scope)
    return may || forbidden(request, errors.rest_cannot_read)
  }

  /**
   * Checks whether the user may delete a revision. No user may, unless a plugin allows it (`map_meta_cap`).
   * @param revisionOf loads the revision in the URL; called only for users who may see the revisions, so that others
   * learn no IDs
   */
  async delete(parent: Post, revisionOf: () => Promise<Post>, request: RestRequest): Promise<true | RestError> {
    const { capabilities, posts } = this.#services
    if ((await this.read(parent, request)) !== true) return forbidden(request, errors.rest_cannot_delete)
    const revision = await posts.subject(await revisionOf(), request.scope)
    return capabilities.can(request.user, 'delete_post', revision) || forbidden(request, errors.rest_cannot_delete)
  }
}
