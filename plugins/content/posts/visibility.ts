import type { Awaitable, CurrentUser, PluginContext, RequestCache } from '../../../kernel/index.ts'
import type { PostSubject } from '../../people/roles/index.ts'
import type { PostKey } from './post.ts'

/** Related data that decides who may read a post. */
export interface PostSurroundings {
  /** The post with this ID, or undefined. */
  get(id: number, scope: RequestCache): Awaitable<PostKey | undefined>
  /** The nearest ancestor that does not inherit its status; null without such an ancestor, undefined if unknown. */
  firstOwnStatus(post: PostKey, scope: RequestCache): Awaitable<PostKey | null | undefined>
  /** The status of a trashed post before the trash; not a string if unknown. */
  trashedStatus(id: number, scope: RequestCache): Awaitable<unknown>
}

/** Decides who may read or edit a single post. `ReadScopes` applies the same rules to lists. */
export class PostVisibility {
  readonly #services: PluginContext['services']
  readonly #surroundings: PostSurroundings

  constructor(services: PluginContext['services'], surroundings: PostSurroundings) {
    this.#services = services
    this.#surroundings = surroundings
  }

  async isReadable(post: PostKey, user: CurrentUser, scope: RequestCache): Promise<boolean> {
    const { capabilities, contentTypes, statuses } = this.#services
    const type = contentTypes.get(post.type)
    if (type === undefined) return false
    const openType = type.capabilities.read === 'read'
    if (openType && statuses.get(post.status)?.public === true) return true
    if (openType && post.status === 'inherit' && post.type !== 'revision') {
      // Authors always see their own attachments.
      const own = () => post.author_id === user.id && user.id !== 0 && capabilities.can(user, type.capabilities.read)
      const above = await this.#surroundings.firstOwnStatus(post, scope)
      if (above === null) return true
      return (above !== undefined && (await this.isReadable(above, user, scope))) || own()
    }
    return capabilities.can(user, 'read_post', await this.subject(post, scope))
  }

  async isEditable(post: PostKey, user: CurrentUser, scope: RequestCache): Promise<boolean> {
    // Visitors cannot edit anything, so the subject need not be read.
    if (user.id === 0) return false
    return this.#services.capabilities.can(user, 'edit_post', await this.subject(post, scope))
  }

  async subject(post: PostKey, scope: RequestCache): Promise<PostSubject> {
    const { id, type, status, author_id, parent_id } = post
    const subject = { id, type, status, author_id, parent_id }
    if (status === 'trash') {
      const previous = await this.#surroundings.trashedStatus(id, scope)
      return typeof previous === 'string' ? { ...subject, previous_status: previous } : subject
    }
    if (status !== 'inherit' && type !== 'revision') return subject
    const above = parent_id === id ? undefined : await this.#surroundings.get(parent_id, scope)
    // A parent that inherits its status is an attachment with attachments, which are unreadable.
    if (above === undefined || above.status === 'inherit') return { ...subject, parent: null }
    return { ...subject, parent: await this.subject(above, scope) }
  }
}
