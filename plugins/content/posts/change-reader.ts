import type { Awaitable, CurrentUser, PluginContext } from '../../../kernel/index.ts'
import { withoutGlimpses, type ChangeReader, type SeenSides, type SeenState } from '../../storage/changes/index.ts'
import { postPrefix, type Change, type ChangeFacts } from '../../storage/store/index.ts'
import { seesTerms } from '../taxonomies/index.ts'
import { pastPostOf, type PastPosts } from './past-posts.ts'

/**
 * Returns the state a user may see for one side of a change to a post that is hidden from them but shown elsewhere,
 * such as an item of a public menu or a reusable block. Null for nothing.
 */
export type ShownSide = (change: Change, facts: ChangeFacts) => SeenState | null

/** Loads the shown sides of changes for a user in a constant number of statements. */
export type ShownSides = (user: CurrentUser, changes: readonly Change[]) => Awaitable<ShownSide>

/** Shows every user that a published post has changed, for posts that other content or pages display. */
export const shownWhilePublished: ShownSides =
  () =>
  (_, { type, status }) =>
    status === 'publish' ? { type: String(type) } : null

/** Limits changes of posts to the parts a user may read, by the same rules as requests for a post. */
export class PostChangeReader implements ChangeReader {
  readonly #plugin: Pick<PluginContext, 'has' | 'services'>
  readonly #services: PluginContext['services']
  readonly #shown: ShownSides

  /** @param shown loads the visible sides of posts that are otherwise hidden from users; nothing by default */
  constructor(plugin: Pick<PluginContext, 'has' | 'services'>, shown: ShownSides = () => () => null) {
    this.#plugin = plugin
    this.#services = plugin.services
    this.#shown = shown
  }

  async read(user: CurrentUser, changes: readonly Change[]): Promise<SeenSides[]> {
    const inherited = changes.flatMap(({ id, before, after }) =>
      [before, after].flatMap((facts) =>
        facts?.['status'] === 'inherit' ? [{ id: Number(facts['parent']), at: id }] : [],
      ),
    )
    const [past, shown] = await Promise.all([this.#services.posts.postsAt(inherited), this.#shown(user, changes)])
    return Promise.all(changes.map((change) => this.#sides(change, past, shown, user)))
  }

  async #sides(change: Change, past: PastPosts, shown: ShownSide, user: CurrentUser): Promise<SeenSides> {
    const bothFacts = [change.before, change.after] as const
    const readable = await Promise.all(bothFacts.map((facts) => this.#readable(change, facts, past, user)))
    const sides = bothFacts.map((facts, at): SeenState | null => {
      if (facts === null) return null
      return readable[at] ? stateOf(facts) : (shown(change, facts) ?? this.#onPages(facts))
    })
    const [before, after] = withoutGlimpses(change, sides)
    const glimpsed = bothFacts.filter((_, at) => [before, after][at] !== null && readable[at] === null)
    const isSeen = (tag: string) => this.#isSeen(tag, change, readable, user) || isGlimpsed(tag, glimpsed)
    return { before, after, tags: change.tags.filter(isSeen) }
  }

  /** The visible state of a published post whose type has pages but no REST routes. */
  #onPages({ type, status }: ChangeFacts): SeenState | null {
    const { has, services } = this.#plugin
    const contentType = services.contentTypes.get(String(type))
    const isShown = status === 'publish' && contentType?.publicly_queryable === true && !contentType.show_in_rest
    return isShown && has('site-pages') ? { type: String(type) } : null
  }

  /** Returns the facts of a side if the user may read them, otherwise null. */
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
    // The post it was attached to may have been deleted with it; then its former readers are unknown.
    const isCurrent = facts === change.after
    const isAttached = status === 'inherit' && Number(parent) !== 0
    if (!isCurrent && isAttached && past.get(Number(parent), change.id) === null) return null
    const previous = isCurrent ? previousStatus(change) : undefined
    const post = pastPostOf(Number(change.object), facts)
    return (await past.isReadable(post, change.id, user, previous)) ? facts : null
  }

  /** Whether a tag reveals only facts that the user may read. */
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

/** The status that a post had before this change moved it to the trash; otherwise undefined. */
function previousStatus({ before, after }: Change): string | undefined {
  const status = before?.['status']
  return after?.['status'] === 'trash' && typeof status === 'string' && status !== 'trash' ? status : undefined
}

/** Whether a tag of a post that is shown elsewhere reveals neither its author, its meta, nor its parent. */
function isGlimpsed(tag: string, sides: readonly (ChangeFacts | null)[]): boolean {
  if (sides.length === 0) return false
  const [, list, name] = /^((?:unpublished:)?posts)(?::([^=]+))?/.exec(tag) ?? []
  if (list === undefined || tag === 'posts:visibility') return true
  const isPublic = name === undefined || !['author', 'parent', 'meta'].includes(name)
  return isPublic && sides.some((facts) => facts !== null && listOf(facts) === list)
}

const listOf = (facts: ChangeFacts) => `${postPrefix(String(facts['status']))}posts`

function stateOf({ type, status, slug }: ChangeFacts): SeenState {
  return { type: String(type), status: String(status), slug: String(slug) }
}
