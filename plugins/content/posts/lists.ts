import type { Awaitable, RequestCache } from '../../../kernel/index.ts'
import { loaderOf, orderAsGiven, type Store } from '../../storage/store/index.ts'
import { pageOf } from './page-plan.ts'
import { COLUMNS, type LeanPost, type Post, type PostList } from './post.ts'
import { isAsGiven, type PostQuery } from './query.ts'
import { ordered, orderOf, selectPosts } from './select-posts.ts'

/** Reads lists of posts by queries that are `effectiveQuery`s: a page, and how many posts there are on all pages. */
export class PostLists {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** The posts of a query. Queries that differ in their one parent share a statement. */
  below(query: PostQuery, scope: RequestCache): Awaitable<PostList> {
    const { parent = [], ...rest } = query
    const [only] = parent
    if (only === undefined || parent.length > 1 || isAsGiven(rest)) return this.read<Post>(query, COLUMNS)
    const loader = loaderOf(scope, `posts below others: ${JSON.stringify(rest)}`, async (parents) =>
      parents.length > 1
        ? listsBelow(this.#store, rest, parents)
        : [await this.read<Post>({ ...rest, parent: parents }, COLUMNS)],
    )
    return loader.load(only)
  }

  async read<P extends LeanPost>(query: PostQuery, columns: readonly (keyof Post)[]): Promise<PostList<P>> {
    if (isAsGiven(query)) return this.#readAsGiven(query, columns)
    const store = this.#store
    const { limit, offset = 0 } = query
    const select = store.once(`posts ${columns.length} ${JSON.stringify(query)}`, () => {
      const page = pageOf(store, query)
      if (page !== null) return ordered(store, store.db.selectFrom('posts').where(page).select(columns), query)
      return ordered(store, selectPosts(store, query).select(columns), query).limit(limit).offset(offset)
    })
    const items = (await store.all(select)) as unknown as P[]
    const last = items.length < limit && (items.length > 0 || offset === 0)
    return { items, total: last ? offset + items.length : await this.#count(query) }
  }

  async #readAsGiven<P extends LeanPost>(query: PostQuery, columns: readonly (keyof Post)[]): Promise<PostList<P>> {
    const { limit, offset = 0, orderby, include = [], slug = [] } = query
    const found = await this.#store.all(selectPosts(this.#store, query).select(['posts.id', 'posts.slug']))
    found.sort((one, other) => one.id - other.id)
    const inOrder =
      orderby === 'include_slugs'
        ? orderAsGiven(found, slug, (post) => post.slug)
        : orderAsGiven(found, include, ({ id }) => id)
    const ids = inOrder.slice(offset, offset + limit).map(({ id }) => id)
    if (ids.length === 0) return { items: [], total: found.length }
    const page = this.#store.db.selectFrom('posts').select(columns).where('id', 'in', ids)
    const rows = (await this.#store.all(page)) as unknown as P[]
    return { items: orderAsGiven(rows, ids, ({ id }) => id), total: found.length }
  }

  #count(query: PostQuery): Promise<number> {
    const { limit: _, offset: __, order: ___, ...counted } = query
    const counting = this.#store.once(`count of posts ${JSON.stringify(counted)}`, () =>
      selectPosts(this.#store, query).select(({ fn }) => fn.countAll<number>().as('total')),
    )
    return this.#store.total(counting)
  }
}

/** For each post the list of what is directly below it, in one statement. */
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
      // The first of each tells how many there are, also to a page behind the last.
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
