import { RequestCache, type Awaitable, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'
import type { PostMoment } from '../../storage/changes/index.ts'
import type { ChangeFacts } from '../../storage/store/index.ts'
import { BEFORE_TRASH } from '../meta-keys.ts'
import type { PostKey } from './post.ts'
import { PostVisibility, type PostSurroundings } from './visibility.ts'

/** A post as it was. */
export interface PastPost extends PostKey {
  /** Whether it had a password. */
  readonly protected: boolean
}

/** Posts above each other that are looked through for the one whose status counts; beyond that nobody may read a post. */
const MOST_LEVELS = 3

/** A post of its facts. */
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

/** Posts right after changes, by the history of changes, and who could read and change them. */
export class PastPosts {
  readonly #services: PluginContext['services']
  readonly #known = new Map<string, PastPost | null | undefined>()

  private constructor(services: PluginContext['services']) {
    this.#services = services
  }

  /** Reads posts at moments with those that they inherit from, in a few statements however many they are. */
  static async read(services: PluginContext['services'], moments: readonly PostMoment[]): Promise<PastPosts> {
    const past = new PastPosts(services)
    let asked = moments
    for (let level = 0; level <= MOST_LEVELS && asked.length > 0; level += 1) asked = await past.#read(asked)
    return past
  }

  /** A post at a moment; null where it was not there, undefined where nobody knows. */
  get(id: number, at: number): PastPost | null | undefined {
    return id === 0 ? null : this.#known.get(keyOf(id, at))
  }

  /**
   * Whether a user could read a post at a moment, by the rights that they have now. What is not known is refused.
   * @param previous the status that a post in the trash had before, where that is known
   */
  isReadable(post: PostKey, at: number, user: CurrentUser, previous?: string): Promise<boolean> {
    return this.#always(post, at, previous, (visibility, scope) => visibility.isReadable(post, user, scope))
  }

  /** Whether a user could change a post at a moment. */
  isEditable(post: PostKey, at: number, user: CurrentUser): Promise<boolean> {
    return this.#always(post, at, undefined, (visibility, scope) => visibility.isEditable(post, user, scope))
  }

  /** Whether something holds whatever a post in the trash has been. */
  async #always(
    post: PostKey,
    at: number,
    known: string | undefined,
    holds: (visibility: PostVisibility, scope: RequestCache) => Awaitable<boolean>,
  ): Promise<boolean> {
    if (post.status === 'inherit' && this.#above(post, at) === undefined) return false
    let isAsked = false
    for (const previous of known === undefined ? BEFORE_TRASH : [known]) {
      const around: PostSurroundings = {
        get: (id) => this.get(id, at) ?? undefined,
        firstOwnStatus: (below) => this.#above(below, at),
        trashedStatus: () => {
          isAsked = true
          return previous
        },
      }
      if (!(await holds(new PostVisibility(this.#services, around), new RequestCache()))) return false
      if (!isAsked) return true
    }
    return true
  }

  /** The nearest post above with a status of its own; null without any, undefined where that is not known. */
  #above(post: PostKey, at: number): PastPost | null | undefined {
    let above = this.get(post.parent_id, at)
    for (let level = 0; level < MOST_LEVELS && above?.status === 'inherit'; level += 1)
      above = this.get(above.parent_id, at)
    return above?.status === 'inherit' ? undefined : above
  }

  /** Reads posts at moments. @returns what they inherit from, which is not known yet */
  async #read(moments: readonly PostMoment[]): Promise<PostMoment[]> {
    const asked = moments.filter(({ id, at }) => id !== 0 && !this.#known.has(keyOf(id, at)))
    if (asked.length === 0) return []
    // First what is now: whatever changes meanwhile is in the history.
    const now = await this.#readNow([...new Set(asked.map(({ id }) => id))])
    for (const { id, at } of asked) this.#known.set(keyOf(id, at), now.get(id) ?? null)
    for (const { id, at, facts, isKnown } of await this.#services.changeHistory.postsAt(asked))
      this.#known.set(keyOf(id, at), isKnown ? facts && pastPostOf(id, facts) : undefined)
    return asked.flatMap(({ id, at }) => {
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
