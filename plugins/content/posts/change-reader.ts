import type { CurrentUser, PluginContext } from '../../../kernel/index.ts'
import type { ChangeReader, SeenSides, SeenState } from '../../storage/changes/index.ts'
import { postPrefix, type Change, type ChangeFacts } from '../../storage/store/index.ts'
import { seesTerms } from '../taxonomies/index.ts'
import { pastPostOf, type PastPosts } from './past-posts.ts'

/** Says what users may know of changes of posts: what they may read, by the rules that requests for a post go by. */
export class PostChangeReader implements ChangeReader {
  readonly #services: PluginContext['services']

  constructor(services: PluginContext['services']) {
    this.#services = services
  }

  async read(user: CurrentUser, changes: readonly Change[]): Promise<SeenSides[]> {
    const inherited = changes.flatMap(({ id, before, after }) =>
      [before, after].flatMap((facts) =>
        facts?.['status'] === 'inherit' ? [{ id: Number(facts['parent']), at: id }] : [],
      ),
    )
    const past = await this.#services.posts.past(inherited)
    return Promise.all(changes.map((change) => this.#sides(change, past, user)))
  }

  async #sides(change: Change, past: PastPosts, user: CurrentUser): Promise<SeenSides> {
    const [before, after] = await Promise.all([
      this.#readable(change, change.before, past, user),
      this.#readable(change, change.after, past, user),
    ])
    const tags = change.tags.filter((tag) => this.#isSeen(tag, change, [before, after], user))
    return { before: before && stateOf(before), after: after && stateOf(after), tags }
  }

  /** The facts of a side if the user may know them. */
  async #readable(
    change: Change,
    facts: ChangeFacts | null,
    past: PastPosts,
    user: CurrentUser,
  ): Promise<ChangeFacts | null> {
    if (facts === null) return null
    const { type, status, parent } = facts
    const isShown = this.#services.contentTypes.get(String(type))?.show_in_rest === true
    if (!isShown || type === 'revision' || status === 'auto-draft') return null
    // What it was attached to may have gone with it, and nobody knows then who could read it.
    const isCurrent = facts === change.after
    const isAttached = status === 'inherit' && Number(parent) !== 0
    if (!isCurrent && isAttached && past.get(Number(parent), change.id) === null) return null
    const previous = isCurrent ? previousStatus(change) : undefined
    const post = pastPostOf(Number(change.object), facts)
    return (await past.isReadable(post, change.id, user, previous)) ? facts : null
  }

  /** Whether a tag tells of nothing but what the user may know. */
  #isSeen(tag: string, { type }: Change, sides: readonly (ChangeFacts | null)[], user: CurrentUser): boolean {
    const [, list, name, value] = /^((?:unpublished:)?posts)(?::([^=]+)(?:=(.*))?)?$/s.exec(tag) ?? []
    if (list === undefined || tag === 'posts:visibility') return true
    if (name === 'meta') {
      const isListed = sides.some((facts) => facts !== null && listOf(facts) === list)
      return isListed && this.#services.meta.isPublic('post', type, value ?? '')
    }
    const isOwn = name === undefined || name === 'type' || name === 'author' || name === 'parent'
    if (!isOwn && !this.#seesTerms(name, user)) return false
    return sides.some(
      (facts) =>
        facts !== null && listOf(facts) === list && (!isOwn || name === undefined || String(facts[name]) === value),
    )
  }

  #seesTerms(name: string, user: CurrentUser): boolean {
    const { capabilities, taxonomies } = this.#services
    const taxonomy = taxonomies.get(name)
    return taxonomy?.show_in_rest === true && seesTerms(capabilities, user, taxonomy)
  }
}

/** The status that a post which has just come to the trash had before; undefined where the change does not tell. */
function previousStatus({ before, after }: Change): string | undefined {
  const status = before?.['status']
  return after?.['status'] === 'trash' && typeof status === 'string' && status !== 'trash' ? status : undefined
}

const listOf = (facts: ChangeFacts) => `${postPrefix(String(facts['status']))}posts`

function stateOf({ type, status, slug }: ChangeFacts): SeenState {
  return { type: String(type), status: String(status), slug: String(slug) }
}
