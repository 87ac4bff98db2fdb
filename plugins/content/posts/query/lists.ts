import type { Awaitable, RequestCache } from '../../../../kernel/index.ts'
import { dependsOn, VersionedCache } from '../../../library/caching/index.ts'
import { noCursorFor, type ListCursor } from '../../../resources/index.ts'
import { cursorPage, loaderOf, orderAsGiven, sql, type Store } from '../../../storage/store/index.ts'
import { SORTED, sortColumnOf } from '../../../storage/field-index/index.ts'
import { tagsOfList } from './list-tags.ts'
import { hasSelectiveCondition, MAX_SORTED_POSTS, pageOf, pageIfSelective } from './page-plan.ts'
import { COLUMNS, type Post, type PostKey, type PostList } from '../post.ts'
import { isInListOrder, type PostQuery } from './query.ts'
import { ranksOf } from './search-conditions.ts'
import { sortColumns } from './sort-columns.ts'
import { countPosts, ordered, orderOf, selectPosts } from './select-posts.ts'

/** Maximum number of short lists in the cache. */
const MAX_CACHED_LISTS = 200

/** All matches of a query, in order. */
interface CachedList {
  readonly ids: readonly number[]
  readonly tags: readonly string[]
}

/** Reads pages and totals of post lists. Queries must come from `effectiveQuery`. */
export class PostLists {
  readonly #store: Store
  readonly #maxSorted: number
  /** Short lists that are slow to compute, cached until they change. */
  readonly #cache: VersionedCache<string, CachedList>

  /** @param maxSorted maximum number of posts that are sorted instead of read in index order */
  constructor(store: Store, maxSorted = MAX_SORTED_POSTS) {
    this.#store = store
    this.#maxSorted = maxSorted
    this.#cache = new VersionedCache(store.changes, { maxEntries: MAX_CACHED_LISTS, tagsOf: ({ tags }) => tags })
  }

  /** The posts of a query. Queries that differ only in a single parent share a statement. */
  below(query: PostQuery, scope: RequestCache): Awaitable<PostList> {
    const { parent = [], ...rest } = query
    const [only] = parent
    const isUnbatchable = isInListOrder(rest) || query.cursor !== undefined
    if (only === undefined || parent.length > 1 || isUnbatchable) return this.read<Post>(query, COLUMNS)
    const read = async (parents: readonly number[]) =>
      parents.length > 1
        ? listsBelow(this.#store, rest, parents)
        : [await this.read<Post>({ ...rest, parent: parents }, COLUMNS)]
    const tags = { of: (id: number) => tagsOfList({ ...rest, parent: [id] }) }
    return loaderOf(scope, `posts below others: ${JSON.stringify(rest)}`, read, tags).load(only)
  }

  async read<P extends PostKey>(query: PostQuery, columns: readonly (keyof Post)[]): Promise<PostList<P>> {
    if (query.cursor !== undefined) return this.#readFrom(query.cursor, query, columns)
    if (isInListOrder(query)) return this.#readInListOrder(query, columns)
    const { limit, offset = 0 } = query
    const cachedIds = this.#cachedIds(query)
    if (cachedIds !== undefined) {
      const items = await this.#readInOrder<P>(query, cachedIds.slice(offset, offset + limit), columns)
      return { items, total: cachedIds.length }
    }
    // If nearly all posts have a value, finding those without it requires a scan of all posts.
    const version = query.fields?.tests.some(({ missing }) => missing) === true ? this.#cache.begin() : undefined
    const items = await this.#page<P>(query, columns)
    const last = items.length < limit && (items.length > 0 || offset === 0)
    const total = last ? offset + items.length : await this.#count(query)
    // Cached only if the page holds the whole list: reading the rest would take another statement.
    if (version !== undefined && total === items.length) this.#cacheIds(query, idsOf(items), version)
    return { items, total }
  }

  /** @param version return value of `begin` before the list was read */
  #cacheIds(query: PostQuery, ids: readonly number[], version: number | null): void {
    this.#cache.set(keyOf(query, 'limit', 'offset'), { ids, tags: tagsOfList(query) }, version)
  }

  #cachedIds(query: PostQuery): readonly number[] | undefined {
    const cached = this.#cache.get(keyOf(query, 'limit', 'offset'))
    if (cached !== undefined) dependsOn(...cached.tags)
    return cached?.ids
  }

  /** A page after a cursor, which costs the same at any position. */
  async #readFrom<P extends PostKey>(
    cursor: ListCursor | null,
    query: PostQuery,
    columns: readonly (keyof Post)[],
  ): Promise<PostList<P>> {
    const sorted = sortColumns(this.#store, query)
    if (sorted === null) throw noCursorFor(query.orderby!)
    const { limit } = query
    const rows = await this.#page<P>({ ...query, limit: limit + 1, offset: 0 }, columns)
    const { items, next } = cursorPage(rows, limit, sorted)
    for (const item of items) delete (item as { [SORTED]?: unknown })[SORTED]
    const counted = cursor === null && next !== null
    return { items, next, total: counted ? await this.#count(query) : items.length }
  }

  async #page<P extends PostKey>(query: PostQuery, columns: readonly (keyof Post)[]): Promise<P[]> {
    const { search = '', orderby } = query
    if (search === '') return this.#selected(query, columns, this.#maxSorted)
    // Reading all matches of a search is slow if there are many. The total of an earlier request shows that.
    const cachedTotal = await this.#store.cachedTotal(this.#counting(query), tagsOfList(query))
    if (cachedTotal !== undefined && cachedTotal <= this.#maxSorted && query.cursor === undefined) {
      const items = await this.#pageOfCached<P>(query, columns)
      if (items !== null) return items
    }
    const maxSorted = cachedTotal !== undefined && cachedTotal > this.#maxSorted ? 0 : this.#maxSorted
    if (orderby !== 'relevance') return this.#selected(query, columns, maxSorted)
    const rows = maxSorted === 0 ? [] : await this.#selected<P>(query, columns, maxSorted)
    if (rows.length > 0) return rows
    const selective =
      maxSorted === 0 ? undefined : await this.#store.first(this.#selectivityQuery(query), tagsOfList(query))
    return selective?.total === 1 ? rows : this.#pageByRank(query, columns)
  }

  /**
   * A page of a search with few matches: all are read once, and later pages come from the cache. Out of 10,000 posts a
   * page of two frequent words takes 4 instead of 12 ms of processor time.
   * @returns null if no single condition leaves few posts, or if there are many now
   */
  async #pageOfCached<P extends PostKey>(query: PostQuery, columns: readonly (keyof Post)[]): Promise<P[] | null> {
    const { limit, offset = 0 } = query
    const ids = await this.#readAll({ ...query, offset: 0 }, this.#cache.begin())
    if (ids.length === 0 || ids.length > this.#maxSorted) return null
    return this.#readInOrder(query, ids.slice(offset, offset + limit), columns)
  }

  /**
   * A page of a search with many matches: rank by rank, newest first in each, until the page is full. Ranking all
   * matches would take time proportional to their number.
   */
  async #pageByRank<P extends PostKey>(query: PostQuery, columns: readonly (keyof Post)[]): Promise<P[]> {
    const { limit, offset = 0, search = '', tieOrder = 'desc' } = query
    const ids: number[] = []
    for (const rank of ranksOf(search)) {
      if (ids.length >= offset + limit) break
      const page = { limit: offset + limit - ids.length, offset: 0 }
      const part: PostQuery = { ...query, ...page, orderby: 'date', order: 'desc', tieOrder, rank }
      ids.push(...(await this.#idsOfRank(part)).slice(0, page.limit))
    }
    return this.#readInOrder(query, ids.slice(offset), columns)
  }

  /**
   * At least the first posts of a rank. A rank that few posts can have is cached as a whole: out of 200,000 posts two
   * frequent words take 4 instead of 12 ms of processor time.
   */
  async #idsOfRank(part: PostQuery): Promise<readonly number[]> {
    const cachedIds = this.#cachedIds(part)
    if (cachedIds !== undefined) return cachedIds
    const version = this.#cache.begin()
    return (await this.#isSelective(part)) ? this.#readAll(part, version) : idsOf(await this.#selected(part, ['id'], 0))
  }

  /**
   * The IDs of all matches. They are cached if there are few.
   * @param version return value of `begin` before the list was read
   */
  async #readAll(query: PostQuery, version: number | null): Promise<readonly number[]> {
    const ids = idsOf(await this.#selected({ ...query, limit: this.#maxSorted + 1 }, ['id'], this.#maxSorted))
    if (ids.length <= this.#maxSorted) this.#cacheIds(query, ids, version)
    return ids
  }

  async #isSelective(query: PostQuery): Promise<boolean> {
    return (await this.#store.total(this.#selectivityQuery(query), tagsOfList(query))) === 1
  }

  #selectivityQuery(query: PostQuery) {
    const key = `few of posts ${keyOf(query, 'limit', 'offset', 'order', 'cursor')}`
    return this.#store.once(key, () => hasSelectiveCondition(this.#store, query, this.#maxSorted))
  }

  /** @param maxSorted maximum number of posts of one condition that are sorted instead of read in index order */
  async #selected<P extends Pick<Post, 'id'>>(
    query: PostQuery,
    columns: readonly (keyof Post)[],
    maxSorted: number,
  ): Promise<P[]> {
    const store = this.#store
    const { limit, offset = 0 } = query
    const select = store.once(`posts ${columns.length} ${maxSorted} ${JSON.stringify(query)}`, () => {
      const page =
        query.orderby === 'relevance' ? pageIfSelective(store, query, maxSorted) : pageOf(store, query, maxSorted)
      const selected = [...columns, ...placeOf(query)]
      if (page !== null) return ordered(store, store.db.selectFrom('posts').where(page).select(selected), query)
      const first = ordered(store, selectPosts(store, query).select(selected), query).limit(limit)
      return offset === 0 ? first : first.offset(offset)
    })
    return (await store.all(select, tagsOfList(query))) as unknown as P[]
  }

  async #readInListOrder<P extends PostKey>(query: PostQuery, columns: readonly (keyof Post)[]): Promise<PostList<P>> {
    const { limit, offset = 0, orderby, include = [], slug = [] } = query
    const rows = await this.#store.all(
      selectPosts(this.#store, query).select(['posts.id', 'posts.slug']),
      tagsOfList(query),
    )
    rows.sort((one, other) => one.id - other.id)
    const inOrder =
      orderby === 'include_slugs'
        ? orderAsGiven(rows, slug, (post) => post.slug)
        : orderAsGiven(rows, include, ({ id }) => id)
    const ids = inOrder.slice(offset, offset + limit).map(({ id }) => id)
    return { items: await this.#readInOrder<P>(query, ids, columns), total: rows.length }
  }

  async #readInOrder<P extends PostKey>(
    query: PostQuery,
    ids: readonly number[],
    columns: readonly (keyof Post)[],
  ): Promise<P[]> {
    if (ids.length === 0) return []
    const page = this.#store.db.selectFrom('posts').select(columns).where('id', 'in', ids)
    const rows = (await this.#store.all(page, tagsOfList(query))) as unknown as P[]
    return orderAsGiven(rows, ids, ({ id }) => id)
  }

  async #count(query: PostQuery): Promise<number> {
    return this.#store.total(this.#counting(query), tagsOfList(query))
  }

  #counting(query: PostQuery) {
    return this.#store.once(countedKey(query), () => countPosts(this.#store, { ...query, cursor: null }))
  }
}

function idsOf(posts: readonly Pick<Post, 'id'>[]): number[] {
  return posts.map(({ id }) => id)
}

/** The sort value for the cursor, if it is not a column of `posts`. */
function placeOf({ cursor, fields }: PostQuery) {
  const sort = cursor === undefined ? null : (fields?.sort ?? null)
  return sort === null ? [] : [sql<string | number>`${sortColumnOf(sort, 'posts.id', 'asc').by}`.as(SORTED)]
}

/** Cache key of the total of a query. */
function countedKey(query: PostQuery): string {
  return `count of posts ${keyOf(query, 'limit', 'offset', 'order', 'cursor')}`
}

/** Serializes a query without the named properties. */
function keyOf(query: PostQuery, ...omitted: readonly (keyof PostQuery)[]): string {
  return JSON.stringify({ ...query, ...Object.fromEntries(omitted.map((name) => [name, undefined])) })
}

/** The children of each parent as a list, in one statement. */
async function listsBelow(store: Store, query: PostQuery, parents: readonly number[]): Promise<PostList[]> {
  const { limit, offset = 0 } = query
  const order = orderOf(store, query)
  const numbered = selectPosts(store, { ...query, parent: parents })
    .select(COLUMNS)
    .select(({ fn }) => [
      fn
        .countAll<number>()
        .over((over) => over.partitionBy('posts.parent_id'))
        .as('total'),
      fn
        .agg<number>('row_number')
        .over((over) => {
          const part = over.partitionBy('posts.parent_id')
          return order.reduce((sorted, [by, direction]) => sorted.orderBy(by, direction), part)
        })
        .as('place'),
    ])
    .as('numbered')
  const rows = await store.all(
    store.db
      .selectFrom(numbered)
      .selectAll()
      // The first row of each parent carries its total, even for a page beyond the last one.
      .where((eb) =>
        eb.or([eb('place', '=', 1), eb.and([eb('place', '>', offset), eb('place', '<=', offset + limit)])]),
      )
      .orderBy('place'),
  )
  const lists = new Map(parents.map((id): [number, PostList] => [id, { items: [], total: 0 }]))
  for (const { total, place, ...post } of rows) {
    const list = lists.get(post.parent_id)!
    list.total = total
    if (place > offset) list.items.push(post)
  }
  return parents.map((id) => lists.get(id)!)
}
