import type { Awaitable, CurrentUser, PluginContext, RequestCache } from '../../../kernel/index.ts'
import type { PostSubject } from '../../people/roles/index.ts'
import type { PostKey } from './post.ts'

/** What decides, beside a post itself, who may read it. */
export interface PostSurroundings {
  /** A post; undefined where there is none with this ID. */
  get(id: number, scope: RequestCache): Awaitable<PostKey | undefined>
  /** The nearest post above that has a status of its own; null without any, undefined where nobody can tell. */
  firstOwnStatus(post: PostKey, scope: RequestCache): Awaitable<PostKey | null | undefined>
  /** The status that a post in the trash had before; anything but a text where nobody knows it. */
  trashedStatus(id: number, scope: RequestCache): Awaitable<unknown>
}

/** Who may read and who may change a single post. For lists there are the `ReadScopes`, which decide the same. */
export class PostVisibility {
  readonly #services: PluginContext['services']
  readonly #around: PostSurroundings

  constructor(services: PluginContext['services'], around: PostSurroundings) {
    this.#services = services
    this.#around = around
  }

  async isReadable(post: PostKey, user: CurrentUser, scope: RequestCache): Promise<boolean> {
    const { capabilities, contentTypes, statuses } = this.#services
    const type = contentTypes.get(post.type)
    if (type === undefined) return false
    const openType = type.capabilities.read === 'read'
    if (openType && statuses.get(post.status)?.public === true) return true
    if (openType && post.status === 'inherit' && post.type !== 'revision') {
      // Whoever put it there sees it wherever it is.
      const own = () => post.author_id === user.id && user.id !== 0 && capabilities.can(user, type.capabilities.read)
      const above = await this.#around.firstOwnStatus(post, scope)
      if (above === null) return true
      return (above !== undefined && (await this.isReadable(above, user, scope))) || own()
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
      const previous = await this.#around.trashedStatus(id, scope)
      return typeof previous === 'string' ? { ...subject, previous_status: previous } : subject
    }
    if (status !== 'inherit' && type !== 'revision') return subject
    const above = parent_id === id ? undefined : await this.#around.get(parent_id, scope)
    // Nothing that is above a post inherits in turn, but for attachments of attachments, which nobody may read.
    if (above === undefined || above.status === 'inherit') return { ...subject, parent: null }
    return { ...subject, parent: await this.subject(above, scope) }
  }
}
