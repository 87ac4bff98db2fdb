import {
  chain,
  type Awaitable,
  type CurrentUser,
  type PluginContext,
  type RequestCache,
} from '../../../kernel/index.ts'
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

  isReadable(post: PostKey, user: CurrentUser, scope: RequestCache): Awaitable<boolean> {
    const { capabilities, contentTypes, statuses } = this.#services
    const type = contentTypes.get(post.type)
    if (type === undefined) return false
    const openType = type.capabilities.read === 'read'
    if (openType && statuses.get(post.status)?.public === true) return true
    if (openType && post.status === 'inherit' && post.type !== 'revision') {
      // Whoever put it there sees it wherever it is.
      const own = () => post.author_id === user.id && user.id !== 0 && capabilities.can(user, type.capabilities.read)
      return chain(this.#reader.firstOwnStatus(post, scope), (above) => {
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
      return chain(this.#services.meta.single('post', id, TRASHED_STATUS_KEY, scope), (previous) =>
        typeof previous === 'string' ? { ...subject, previous_status: previous } : subject,
      )
    }
    if (status !== 'inherit' && type !== 'revision') return subject
    return chain(parent_id === id ? undefined : this.#reader.get(parent_id, scope), (above): Awaitable<PostSubject> => {
      // Nothing that is above a post inherits in turn, but for attachments of attachments, which nobody may read.
      if (above === undefined || above.status === 'inherit') return { ...subject, parent: null }
      return chain(this.subject(above, scope), (parent) => ({ ...subject, parent }))
    })
  }
}
