import {
  chain,
  type Awaitable,
  type CurrentUser,
  type PluginContext,
  type RequestCache,
} from '../../../kernel/index.ts'
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

  isReadable(post: PostKey, user: CurrentUser, scope: RequestCache): Awaitable<boolean> {
    const { capabilities, contentTypes, statuses } = this.#services
    const type = contentTypes.get(post.type)
    if (type === undefined) return false
    const openType = type.capabilities.read === 'read'
    if (openType && statuses.get(post.status)?.public === true) return true
    if (openType && post.status === 'inherit' && post.type !== 'revision') {
      // Whoever put it there sees it wherever it is.
      const own = () => post.author_id === user.id && user.id !== 0 && capabilities.can(user, type.capabilities.read)
      return chain(this.#around.firstOwnStatus(post, scope), (above) => {
        if (above === null) return true
        return above === undefined ? own() : chain(this.isReadable(above, user, scope), (may) => may || own())
      })
    }
    return chain(this.subject(post, scope), (subject) => capabilities.can(user, 'read_post', subject))
  }

  isEditable(post: PostKey, user: CurrentUser, scope: RequestCache): Awaitable<boolean> {
    // Visitors may change nothing: no need to read what the permission depends on.
    if (user.id === 0) return false
    return chain(this.subject(post, scope), (subject) => this.#services.capabilities.can(user, 'edit_post', subject))
  }

  subject(post: PostKey, scope: RequestCache): Awaitable<PostSubject> {
    const { id, type, status, author_id, parent_id } = post
    const subject = { id, type, status, author_id, parent_id }
    if (status === 'trash') {
      return chain(this.#around.trashedStatus(id, scope), (previous) =>
        typeof previous === 'string' ? { ...subject, previous_status: previous } : subject,
      )
    }
    if (status !== 'inherit' && type !== 'revision') return subject
    return chain(parent_id === id ? undefined : this.#around.get(parent_id, scope), (above): Awaitable<PostSubject> => {
      // Nothing that is above a post inherits in turn, but for attachments of attachments, which nobody may read.
      if (above === undefined || above.status === 'inherit') return { ...subject, parent: null }
      return chain(this.subject(above, scope), (parent) => ({ ...subject, parent }))
    })
  }
}
