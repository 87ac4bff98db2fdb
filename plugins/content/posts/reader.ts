import type { Awaitable, PluginContext, RequestCache } from '../../../kernel/index.ts'
import { sql, loaderOf, rowsOf, type Loader, type Store } from '../../storage/store/index.ts'
import { TEMPLATE_KEY, THUMBNAIL_KEY } from '../meta-keys.ts'
import { COLUMNS, KEY_COLUMNS, LEAN_COLUMNS, type LeanPost, type Post, type PostKey, type PostList } from './post.ts'
import { createPostQueries, type PostQueries, type PostQuery, type ScopedPostQuery } from './query/index.ts'
import { countRevisions, newestAutosave, type RevisionCount } from './revisions.ts'
import { publishedPeriods, type PeriodUnit, type PublishedPeriod } from './published-periods.ts'
import { freeSlugs, typesSharingSlugs } from './unique-slugs.ts'

/** What a post depends on. */
const POST = { of: (id: number) => [`post:${id}`] }
/** Levels of attachments that are looked through for what they belong to. */
const MAX_LEVELS = 100

/** Reads posts. What one request reads of many of them comes from one statement. */
export class PostReader {
  readonly #services: PluginContext['services']
  readonly #queries: PostQueries

  constructor(services: PluginContext['services']) {
    this.#services = services
    this.#queries = createPostQueries(services.store)
  }

  /** A post of whatever type; undefined when there is none with this ID. Asks for no permission. */
  get(id: number, scope: RequestCache): Awaitable<Post | undefined> {
    return id === 0 ? undefined : this.#byId(scope).load(id)
  }

  /** Reads the posts that some posts inherit from, so that `get` has them; undefined where there is nothing to read. */
  gather(posts: readonly PostKey[], scope: RequestCache): Promise<unknown> | undefined {
    const above = posts.flatMap(({ status, parent_id: id }) => (status === 'inherit' ? [id] : []))
    return above.length === 0 ? undefined : this.loadAll(above, scope)
  }

  /** Reads posts, so that `get` has them; undefined where it has. */
  loadAll(ids: readonly number[], scope: RequestCache): Promise<unknown> | undefined {
    return this.#byId(scope).loadAll(ids.filter((id) => id !== 0))
  }

  /** A post; the one directly above is read in the same statement, so that `get` has both. */
  async getAttached(id: number, scope: RequestCache): Promise<Post | undefined> {
    if (id === 0) return undefined
    return loaderOf(scope, 'posts with those above', (ids) => this.#readWithAbove(ids, scope), POST).load(id)
  }

  /**
   * The posts that a query asks for, of those that its `readScope` leaves. Queries that differ in their one parent share a
   * statement.
   * @throws POSTS_SCOPE_MISSING for a query that says nothing of for whom it is: `forUser` does
   */
  async query(asked: ScopedPostQuery, scope: RequestCache): Promise<PostList> {
    const query = this.#queries.effectiveQuery(await this.#planned(asked))
    if (findsNothing(query)) return nothing(query)
    const list = await this.#queries.lists.below(query, scope)
    const loader = this.#byId(scope)
    for (const post of list.items) loader.prime(post.id, post)
    return list
  }

  /** The same without their texts. */
  async queryLean(asked: ScopedPostQuery): Promise<PostList<LeanPost>> {
    const query = this.#queries.effectiveQuery(await this.#planned(asked))
    return findsNothing(query) ? nothing(query) : this.#queries.lists.read<LeanPost>(query, LEAN_COLUMNS)
  }

  /** What is enough to know which posts they are, and who may read them. */
  async queryKeys(asked: ScopedPostQuery): Promise<PostList<PostKey>> {
    const query = this.#queries.effectiveQuery(await this.#planned(asked))
    return findsNothing(query) ? { items: [], total: 0 } : this.#queries.lists.read<PostKey>(query, KEY_COLUMNS)
  }

  /**
   * How many published posts each year, month or day has, newest first; those of one month alone, `2025-01`. Those who
   * ask for the same in one request share a statement.
   */
  published(by: PeriodUnit, scope: RequestCache, month?: string): Awaitable<readonly PublishedPeriod[]> {
    return scope.getLater(`published posts by ${by} ${month}`, () =>
      publishedPeriods(this.#services.store, by, month, this.#queries),
    )
  }

  /** The nearest post above that has a status of its own; null without any, undefined where posts are above each other. */
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

  /** The slug that the title gives the post if it is published without one. */
  generatedSlug(post: LeanPost, scope: RequestCache): Awaitable<string> {
    const { contentTypes, permalinks, store } = this.#services
    // A published post already has a slug of its own.
    if (post.status === 'publish' && post.slug === permalinks.slugify(post.title)) return post.slug
    const known = scope.getObject('posts with generated slugs', () => new Map<number, LeanPost>())
    known.set(post.id, post)
    const free = (ids: readonly number[]) =>
      freeSlugs(
        store,
        ids.map((id) => {
          const { type, parent_id, title } = known.get(id)!
          const wanted = permalinks.slugify(title) || String(id)
          return { id, type, parent_id, wanted, hierarchical: typesSharingSlugs(contentTypes, type) }
        }),
      )
    // Any other post may have the slug.
    return loaderOf(scope, 'generated slugs', free, { of: () => ['table:posts'] }).load(post.id)
  }

  /** What was saved last of a post without changing it, by whomever; undefined for nothing. Asks for no permission. */
  newestAutosave(id: number): Promise<Post | undefined> {
    return newestAutosave(this.#services.store, id)
  }

  /** How many revisions and autosaves a post has, and the newest. */
  versions(id: number, scope: RequestCache): Awaitable<RevisionCount> {
    return this.versionsOf(scope).load(id)
  }

  /** Loads the same for many posts. */
  versionsOf(scope: RequestCache): Loader<RevisionCount> {
    const count = (ids: readonly number[]) => countRevisions(this.#services.store, ids)
    return loaderOf(scope, 'revisions of posts', count, { of: (post) => [`revisions:parent=${post}`] })
  }

  /** ID of the featured image of a post; 0 for none. */
  async featuredMedia(id: number, scope: RequestCache): Promise<number> {
    return Number(await this.#services.meta.single('post', id, THUMBNAIL_KEY, scope)) || 0
  }

  /** The template that shows the post; '' for that of its type. */
  async template(id: number, scope: RequestCache): Promise<string> {
    const template = await this.#services.meta.single('post', id, TEMPLATE_KEY, scope)
    return typeof template === 'string' && template !== 'default' ? template : ''
  }

  /** The query with what it means by fields and by SQL of its own, once the values of the fields are as they are stored. */
  #planned(asked: PostQuery): Awaitable<PostQuery> {
    return this.#services.fieldIndex.planned('post', asked.types, asked, asked.orderby)
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
 * For each post the ID of the nearest that has a status of its own, itself or above; null without any, undefined where
 * posts are above each other, or too many.
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

function nothing({ cursor }: PostQuery): { items: []; total: number; next?: null } {
  return { items: [], total: 0, ...(cursor !== undefined && { next: null }) }
}

/** Whether a query names no type or no status that it could find posts of. */
function findsNothing({ types, statuses }: PostQuery): boolean {
  return types.length === 0 || statuses.length === 0
}
