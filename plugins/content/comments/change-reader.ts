import type { CurrentUser, PluginContext } from '../../../kernel/index.ts'
import type { ChangeReader, SeenSides, SeenState } from '../../storage/changes/index.ts'
import { commentPrefix, type Change, type ChangeFacts } from '../../storage/store/index.ts'
import type { PastPosts } from '../posts/index.ts'
import { statusName } from './controller.ts'
import { isOrdinary, isOwn } from './visibility.ts'

/** Decides which sides of a comment change a user may see, without a password. */
export class CommentChangeReader implements ChangeReader {
  readonly #services: PluginContext['services']

  constructor(services: PluginContext['services']) {
    this.#services = services
  }

  async read(user: CurrentUser, changes: readonly Change[]): Promise<SeenSides[]> {
    const moments = changes.flatMap(({ id: at, before, after }) =>
      [before, after].flatMap((facts) => (facts === null ? [] : [{ id: Number(facts['post']), at }])),
    )
    const past = await this.#services.posts.postsAt(moments)
    return Promise.all(changes.map((change) => this.#sides(change, past, user)))
  }

  async #sides(change: Change, past: PastPosts, user: CurrentUser): Promise<SeenSides> {
    const readable = async (facts: ChangeFacts | null) =>
      facts !== null && (await this.#isReadable(facts, change.id, past, user)) ? facts : null
    const [before, after] = await Promise.all([readable(change.before), readable(change.after)])
    const tags = change.tags.filter((tag) => this.#isSeen(tag, change, [before, after]))
    return { before: before && stateOf(before), after: after && stateOf(after), tags }
  }

  /** Applies the rule of `CommentPermissions.read` to a past state of a comment. */
  async #isReadable(facts: ChangeFacts, at: number, past: PastPosts, user: CurrentUser): Promise<boolean> {
    const { capabilities, contentTypes } = this.#services
    const post = past.get(Number(facts['post']), at)
    if (post === undefined) return false
    if (post === null) return capabilities.can(user, 'moderate_comments')
    if (contentTypes.get(post.type)?.show_in_rest !== true) return false
    if (!(await past.isReadable(post, at, user))) return false
    const comment = { approved: String(facts['status']), type: String(facts['type']) }
    const own = isOwn({ author_id: Number(facts['author']), type: comment.type }, user)
    if (!post.protected && (isOrdinary(comment) || own)) return true
    return past.isEditable(post, at, user)
  }

  /** Returns whether a cache tag of a change refers only to comments and metadata that the user can read. */
  #isSeen(tag: string, { type }: Change, sides: readonly (ChangeFacts | null)[]): boolean {
    const [, list, name, value] = /^((?:unapproved:)?comments)(?::([^=]+)=(.*))?$/s.exec(tag) ?? []
    if (list === undefined) return true
    const listed = sides.filter((facts) => facts !== null && listOf(facts) === list)
    if (name === 'meta') return listed.length > 0 && this.#services.meta.isPublic('comment', type, value ?? '')
    return listed.some((facts) => name === undefined || String(facts![name]) === value)
  }
}

const listOf = (facts: ChangeFacts) => `${commentPrefix(String(facts['status']))}comments`

function stateOf({ type, status }: ChangeFacts): SeenState {
  return { type: String(type), status: statusName(String(status)) }
}
