import type { Awaitable, PluginContext, RequestCache } from '../../../kernel/index.ts'
import { sql, loaderOf, rowsOf, type Loader, type Store } from '../../storage/store/index.ts'
import { TEMPLATE_KEY, THUMBNAIL_KEY } from '../meta-keys.ts'
import { COLUMNS, KEY_COLUMNS, LEAN_COLUMNS, type LeanPost, type Post, type PostKey, type PostList } from './post.ts'
import { createPostQueries, type PostQueries, type PostQuery, type ScopedPostQuery } from './query/index.ts'
import { countRevisions, newestAutosave, type RevisionCount } from './revisions.ts'
import { publishedPeriods, type PeriodUnit, type PublishedPeriod } from './published-periods.ts'
import { freeSlugs, typesSharingSlugs } from './unique-slugs.ts'

/** Cache tags of a post. */
const POST = { of: (id: number) => [`post:${id}`] }
/** Maximum number of ancestors searched for a post with its own status. */
const MAX_LEVELS = 100

/** Reads posts. Reads of many posts within one request are batched into one statement. */
export class PostReader {
  readonly #services: PluginContext['services']
  readonly #hooks: PluginContext['hooks']
  readonly #queries: PostQueries

  constructor({ hooks, services }: PluginContext) {
    this.#services = services
    this.#hooks = hooks
    this.#queries = createPostQueries(services.store)
  }

  /** Returns a post of any type, or undefined. Does not check permissions. */
  get(id: number, scope: RequestCache): Awaitable<Post | undefined> {
    return id === 0 ? undefined : this.#byId(scope).load(id)
  }

  /** Preloads the posts that these posts inherit from, for `get`. Returns undefined if there is nothing to load. */
  gather(posts: readonly PostKey[], scope: RequestCache): Promise<unknown> | undefined {
    const above = posts.flatMap(({ status, parent_id: id }) => (status === 'inherit' ? [id] : []))
    return above.length === 0 ? undefined : this.loadAll(above, scope)
  }

  /** Preloads posts for `get`. Returns undefined if all are loaded. */
  loadAll(ids: readonly number[], scope: RequestCache): Promise<unknown> | undefined {
    return this.#byId(scope).loadAll(ids.filter((id) => id !== 0))
  }

  /** Returns a post and preloads its parent in the same statement. */
  async getAttached(id: number, scope: RequestCache): Promise<Post | undefined> {
    if (id === 0) return undefined
    return loaderOf(scope, 'posts with those above', (ids) => this.#readWithAbove(ids, scope), POST).load(id)
  }

  /**
   * Returns the posts that match a query, limited to its `readScope`. Queries that differ only in a single parent share
   * a statement.
   * @throws POSTS_SCOPE_MISSING for a query without a read scope; `forUser` sets it
   */
  async query(scopedQuery: ScopedPostQuery, scope: RequestCache): Promise<PostList> {
    const query = this.#queries.effectiveQuery(await this.#planned(scopedQuery))
    if (isAlwaysEmpty(query)) return emptyList(query)
    const list = await this.#queries.lists.below(query, scope)
    const loader = this.#byId(scope)
    for (const post of list.items) loader.prime(post.id, post)
    return list
  }

  /** Like `query`, without the texts. */
  async queryLean(scopedQuery: ScopedPostQuery): Promise<PostList<LeanPost>> {
    const query = this.#queries.effectiveQuery(await this.#planned(scopedQuery))
    return isAlwaysEmpty(query) ? emptyList(query) : this.#queries.lists.read<LeanPost>(query, LEAN_COLUMNS)
  }

  /** Like `query`, with only the columns that identify a post and decide who may read it. */
  async queryKeys(scopedQuery: ScopedPostQuery): Promise<PostList<PostKey>> {
    const query = this.#queries.effectiveQuery(await this.#planned(scopedQuery))
    return isAlwaysEmpty(query) ? { items: [], total: 0 } : this.#queries.lists.read<PostKey>(query, KEY_COLUMNS)
  }

  /**
   * Counts published posts per year, month or day, newest first. Equal calls within one request share a statement.
   * @param month limits the result to one month: `2025-01`
   */
  published(by: PeriodUnit, scope: RequestCache, month?: string): Awaitable<readonly PublishedPeriod[]> {
    return scope.getLater(`published posts by ${by} ${month}`, () =>
      publishedPeriods(this.#services.store, by, month, this.#queries),
    )
  }

  /**
   * The nearest ancestor that does not inherit its status; null without such an ancestor, undefined if the posts form a
   * cycle.
   */
  async firstOwnStatus(post: PostKey, scope: RequestCache): Promise<Post | null | undefined> {
    const above = await this.get(post.parent_id, scope)
    if (above?.status !== 'inherit') return above ?? null
    const { store } = this.#services
    const loader = loaderOf(scope, 'posts that others inherit from', (ids) => idsWithOwnStatus(store, ids), {
      of: (id) => [`post:${id}`, 'posts:visibility'],
    })
    const id = await loader.load(above.id)
    return id === null || id === undefined ? id : this.get(id, scope)
  }

  /** The slug that the post would get from its title if it were published without one. */
  generatedSlug(post: LeanPost, scope: RequestCache): Awaitable<string> {
    const { contentTypes, permalinks, store } = this.#services
    // A published post may already have the slug of its title.
    if (post.status === 'publish' && post.slug === permalinks.slugify(post.title)) return post.slug
    const postsById = scope.getObject('posts with generated slugs', () => new Map<number, LeanPost>())
    postsById.set(post.id, post)
    const free = (ids: readonly number[]) =>
      freeSlugs(
        this.#hooks.slug_owners,
        store,
        ids.map((id) => {
          const { type, parent_id, title } = postsById.get(id)!
          const desired = permalinks.slugify(title) || String(id)
          return { id, type, parent_id, desired, hierarchical: typesSharingSlugs(contentTypes, type) }
        }),
      )
    // Depends on all posts: any other post may have the slug.
    return loaderOf(scope, 'generated slugs', free, { of: () => ['table:posts'] }).load(post.id)
  }

  /** Returns the latest autosave of a post by any user, or undefined. Does not check permissions. */
  newestAutosave(id: number): Promise<Post | undefined> {
    return newestAutosave(this.#services.store, id)
  }

  /** The number of revisions and autosaves of a post, and the newest one. */
  versions(id: number, scope: RequestCache): Awaitable<RevisionCount> {
    return this.versionsOf(scope).load(id)
  }

  /** Loader of the same for many posts. */
  versionsOf(scope: RequestCache): Loader<RevisionCount> {
    const count = (ids: readonly number[]) => countRevisions(this.#services.store, ids)
    return loaderOf(scope, 'revisions of posts', count, { of: (post) => [`revisions:parent=${post}`] })
  }

  /** ID of the featured image of a post; 0 for none. */
  async featuredMedia(id: number, scope: RequestCache): Promise<number> {
    return Number(await this.#services.meta.single('post', id, THUMBNAIL_KEY, scope)) || 0
  }

  /** Template of the post; '' for the default of its type. */
  async template(id: number, scope: RequestCache): Promise<string> {
    const template = await this.#services.meta.single('post', id, TEMPLATE_KEY, scope)
    return typeof template === 'string' && template !== 'default' ? template : ''
  }

  /** Adds the conditions on indexed fields to a query, once field values have their stored form. */
  #planned(query: PostQuery): Awaitable<PostQuery> {
    return this.#services.fieldIndex.planned('post', query.types, query, query.orderby)
  }

  #byId(scope: RequestCache): Loader<Post | undefined> {
    const { store } = this.#services
    const select = (ids: readonly number[]) => store.db.selectFrom('posts').select(COLUMNS).where('id', 'in', ids)
    return loaderOf(scope, 'posts', (ids) => rowsOf(store, store.forIds('posts', ids, select), ids), POST)
  }

  async #readWithAbove(ids: readonly number[], scope: RequestCache): Promise<(Post | undefined)[]> {
    const { store } = this.#services
    const { db } = store
    const query = store.forIds('posts with those above', ids, (some) => {
      const parents = db.selectFrom('posts').select('parent_id').where('id', 'in', some)
      return db
        .selectFrom('posts')
        .select(COLUMNS)
        .where('id', 'in', some)
        .unionAll(db.selectFrom('posts').select(COLUMNS).where('id', 'in', parents))
    })
    const found = new Map((await store.all(query)).map((post) => [post.id, post]))
    const byId = this.#byId(scope)
    for (const post of found.values()) byId.prime(post.id, post)
    return ids.map((id) => found.get(id))
  }
}

/**
 * For each post, the ID of the nearest post that does not inherit its status, starting with itself; null without such
 * a post, undefined if the posts form a cycle or are nested too deep.
 */
async function idsWithOwnStatus(store: Store, ids: readonly number[]): Promise<(number | null | undefined)[]> {
  const query = store.forIds('posts inherited from', ids, (some) =>
    store.db
      .withRecursive('above(start, id, parent_id, status, level)', (cte) =>
        cte
          .selectFrom('posts')
          .select(['posts.id as start', 'posts.id', 'posts.parent_id', 'posts.status', sql<number>`1`.as('level')])
          .where('id', 'in', some)
          .unionAll(
            cte
              .selectFrom('posts')
              .innerJoin('above', 'above.parent_id', 'posts.id')
              .where('above.status', '=', 'inherit')
              .where('above.level', '<', MAX_LEVELS)
              .select(['above.start', 'posts.id', 'posts.parent_id', 'posts.status'])
              .select(sql<number>`above.level + 1`.as('level')),
          ),
      )
      .selectFrom('above')
      .select(['above.start', 'above.id', 'above.status', 'above.level']),
  )
  const rows = await store.all(query)
  const found = new Map(rows.filter(({ status }) => status !== 'inherit').map(({ start, id }) => [start, id]))
  const cut = new Set(rows.filter(({ level }) => level === MAX_LEVELS).map(({ start }) => start))
  return ids.map((id) => found.get(id) ?? (cut.has(id) ? undefined : null))
}

function emptyList({ cursor }: PostQuery): { items: []; total: number; next?: null } {
  return { items: [], total: 0, ...(cursor !== undefined && { next: null }) }
}

/** Whether a query has no types or no statuses, so that it cannot match any post. */
function isAlwaysEmpty({ types, statuses }: PostQuery): boolean {
  return types.length === 0 || statuses.length === 0
}
