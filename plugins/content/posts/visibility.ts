import type { CurrentUser, PluginContext, RequestCache } from '../../../kernel/index.ts'
import type { PostSubject } from '../../people/roles/index.ts'
import { TRASHED_STATUS_KEY } from '../meta-keys.ts'
import type { PostKey } from './post.ts'
import type { PostReader } from './reader.ts'

/** Who may read and who may change a single post. For lists there are the `ReadScopes`, which decide the same. */
export class PostVisibility {
  readonly #services: PluginContext['services']
  readonly #reader: PostReader

  constructor(services: PluginContext['services'], reader: PostReader) {
    this.#services = services
    this.#reader = reader
  }

  async isReadable(post: PostKey, user: CurrentUser, scope: RequestCache): Promise<boolean> {
    const { capabilities, contentTypes, statuses } = this.#services
    const type = contentTypes.get(post.type)
    if (type === undefined) return false
    const openType = type.capabilities.read === 'read'
    if (openType && statuses.get(post.status)?.public === true) return true
    if (openType && post.status === 'inherit' && post.type !== 'revision') {
      const above = await this.#reader.firstOwnStatus(post, scope)
      if (above === null || (above !== undefined && (await this.isReadable(above, user, scope)))) return true
      // Whoever put it there sees it wherever it is.
      return post.author_id === user.id && user.id !== 0 && capabilities.can(user, type.capabilities.read)
    }
    return capabilities.can(user, 'read_post', await this.subject(post, scope))
  }

  async isEditable(post: PostKey, user: CurrentUser, scope: RequestCache): Promise<boolean> {
    // Visitors may change nothing: no need to read what the permission depends on.
    if (user.id === 0) return false
    return this.#services.capabilities.can(user, 'edit_post', await this.subject(post, scope))
  }

  async subject(post: PostKey, scope: RequestCache): Promise<PostSubject> {
    const { id, type, status, author_id, parent_id } = post
    const subject = { id, type, status, author_id, parent_id }
    if (status === 'trash') {
      const previous = await this.#services.meta.single('post', id, TRASHED_STATUS_KEY, scope)
      return typeof previous === 'string' ? { ...subject, previous_status: previous } : subject
    }
    if (status !== 'inherit' && type !== 'revision') return subject
    const parent = parent_id === id ? undefined : await this.#reader.get(parent_id, scope)
    // Nothing that is above a post inherits in turn, but for attachments of attachments, which nobody may read.
    if (parent === undefined || parent.status === 'inherit') return { ...subject, parent: null }
    return { ...subject, parent: await this.subject(parent, scope) }
  }
}
