import { RequestCache, type Awaitable, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'
import type { PostMoment } from '../../storage/changes/index.ts'
import type { ChangeFacts } from '../../storage/store/index.ts'
import { BEFORE_TRASH } from '../meta-keys.ts'
import type { PostKey } from './post.ts'
import { PostVisibility, type PostSurroundings } from './visibility.ts'

/** A post at an earlier moment. */
export interface PastPost extends PostKey {
  /** Whether it had a password. */
  readonly protected: boolean
}

/** Maximum number of ancestors searched for the post whose status applies. Deeper posts are unreadable. */
const MAX_LEVELS = 3

/** Converts recorded facts to a post. */
export function pastPostOf(id: number, facts: ChangeFacts): PastPost {
  return {
    id,
    type: String(facts['type']),
    status: String(facts['status']),
    author_id: Number(facts['author']),
    parent_id: Number(facts['parent']),
    protected: Number(facts['protected']) === 1,
  }
}

/** Posts as they were right after changes, from the change history, with the permission checks for them. */
export class PastPosts {
  readonly #services: PluginContext['services']
  readonly #posts = new Map<string, PastPost | null | undefined>()

  private constructor(services: PluginContext['services']) {
    this.#services = services
  }

  /** Loads posts at these moments with the posts they inherit from, in a constant number of statements. */
  static async read(services: PluginContext['services'], moments: readonly PostMoment[]): Promise<PastPosts> {
    const past = new PastPosts(services)
    let pending = moments
    for (let level = 0; level <= MAX_LEVELS && pending.length > 0; level += 1) pending = await past.#read(pending)
    return past
  }

  /** The post at a moment; null if it did not exist, undefined if that is unknown. */
  get(id: number, at: number): PastPost | null | undefined {
    return id === 0 ? null : this.#posts.get(keyOf(id, at))
  }

  /**
   * Whether a user with their current rights could read a post at a moment; false if unknown.
   * @param previous former status of a trashed post, if known
   */
  isReadable(post: PostKey, at: number, user: CurrentUser, previous?: string): Promise<boolean> {
    return this.#holdsForAllStatuses(post, at, previous, (visibility, scope) =>
      visibility.isReadable(post, user, scope),
    )
  }

  /** Whether a user could edit a post at a moment. */
  isEditable(post: PostKey, at: number, user: CurrentUser): Promise<boolean> {
    return this.#holdsForAllStatuses(post, at, undefined, (visibility, scope) =>
      visibility.isEditable(post, user, scope),
    )
  }

  /** Whether a check holds for every status that a trashed post may have had. */
  async #holdsForAllStatuses(
    post: PostKey,
    at: number,
    previousStatus: string | undefined,
    check: (visibility: PostVisibility, scope: RequestCache) => Awaitable<boolean>,
  ): Promise<boolean> {
    if (post.status === 'inherit' && this.#above(post, at) === undefined) return false
    let usesTrashedStatus = false
    for (const previous of previousStatus === undefined ? BEFORE_TRASH : [previousStatus]) {
      const surroundings: PostSurroundings = {
        get: (id) => this.get(id, at) ?? undefined,
        firstOwnStatus: (below) => this.#above(below, at),
        trashedStatus: () => {
          usesTrashedStatus = true
          return previous
        },
      }
      if (!(await check(new PostVisibility(this.#services, surroundings), new RequestCache()))) return false
      if (!usesTrashedStatus) return true
    }
    return true
  }

  /** The nearest ancestor that does not inherit its status; null without such an ancestor, undefined if unknown. */
  #above(post: PostKey, at: number): PastPost | null | undefined {
    let above = this.get(post.parent_id, at)
    for (let level = 0; level < MAX_LEVELS && above?.status === 'inherit'; level += 1)
      above = this.get(above.parent_id, at)
    return above?.status === 'inherit' ? undefined : above
  }

  /** Loads posts at moments. @returns the posts they inherit from that are not loaded yet */
  async #read(moments: readonly PostMoment[]): Promise<PostMoment[]> {
    const missing = moments.filter(({ id, at }) => id !== 0 && !this.#posts.has(keyOf(id, at)))
    if (missing.length === 0) return []
    // Reads the current state first: changes made in the meantime are in the history.
    const now = await this.#readNow([...new Set(missing.map(({ id }) => id))])
    for (const { id, at } of missing) this.#posts.set(keyOf(id, at), now.get(id) ?? null)
    for (const { id, at, facts, isKnown } of await this.#services.changeHistory.postsAt(missing))
      this.#posts.set(keyOf(id, at), isKnown ? facts && pastPostOf(id, facts) : undefined)
    return missing.flatMap(({ id, at }) => {
      const post = this.get(id, at)
      return post?.status === 'inherit' ? [{ id: post.parent_id, at }] : []
    })
  }

  async #readNow(ids: readonly number[]): Promise<Map<number, PastPost>> {
    const { store } = this.#services
    const query = store.db
      .selectFrom('posts')
      .select(['id', 'type', 'status', 'author_id', 'parent_id', 'password'])
      .where(store.isIn('posts.id', ids))
    const rows = await store.all(query, [])
    return new Map(rows.map(({ password, ...post }) => [post.id, { ...post, protected: password !== '' }]))
  }
}

const keyOf = (id: number, at: number) => `${id} ${at}`
