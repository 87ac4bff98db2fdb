import type { Compilable, SelectQueryBuilder, SqlBool } from 'kysely'
import type { Awaitable, RequestCache } from '../../../kernel/index.ts'
import { currentDependencies } from '../../library/caching/index.ts'
import { noCursorFor } from '../../resources/index.ts'
import {
  sql,
  commentPrefix,
  cursorPage,
  loaderOf,
  orderAsGiven,
  rowsOf,
  type Database,
  type Loader,
  type Store,
} from '../../storage/store/index.ts'
import {
  isOfOrderedPage,
  SORTED,
  sortColumnOf,
  tagsOfFields,
  untestedBy,
  type FieldIndex,
} from '../../storage/field-index/index.ts'
import type { Comment, CommentList } from './comment.ts'
import { errors } from './errors.ts'
import {
  conditionsOf,
  isOrdinaryQuery,
  of,
  orderOf,
  sortColumns,
  visible,
  type CommentQuery,
  type Condition,
} from './query.ts'
import { isVisible, NOTE } from './visibility.ts'

const COLUMNS = [
  'id',
  'post_id',
  'parent_id',
  'author_id',
  'author_name',
  'author_email',
  'author_url',
  'author_ip',
  'author_agent',
  'date',
  'date_gmt',
  'content',
  'approved',
  'type',
  'karma',
] as const

/** Column that groups comments: the lists of several posts or parents load in one statement. */
type Owner = 'post_id' | 'parent_id'

/** Reads comments. Within a request, reads of several comments or posts share one statement. */
export class CommentReader {
  readonly #store: Store
  readonly #fields: FieldIndex

  constructor(store: Store, fields: FieldIndex) {
    this.#store = store
    this.#fields = fields
  }

  /**
   * Returns a comment, or undefined if the ID is unknown. Checks no permissions. Concurrent calls share one statement.
   */
  get(id: number, scope: RequestCache): Awaitable<Comment | undefined> {
    return id === 0 ? undefined : this.#byId(scope).load(id)
  }

  /**
   * Returns the comments that match a query, limited by its `visibility`, and their total number. Concurrent calls that
   * differ only in their single post or parent share one statement.
   * @throws COMMENTS_VISIBILITY_MISSING
   */
  async query(requested: CommentQuery, scope: RequestCache): Promise<CommentList> {
    if ((requested as Partial<CommentQuery>).visibility === undefined) throw errors.COMMENTS_VISIBILITY_MISSING()
    const types = requested.types?.length ? requested.types : ['']
    const query = await this.#fields.planned('comment', types, requested, requested.orderby)
    const { posts = [], parents = [] } = query
    const list = await (posts.length === 1
      ? this.#ofEach('post_id', { ...query, posts: [] }, scope).load(posts[0]!)
      : parents.length === 1
        ? this.#ofEach('parent_id', { ...query, parents: [] }, scope).load(parents[0]!)
        : this.#list(query, '', () => conditionsOf(this.#store, query)))
    const loader = this.#byId(scope)
    for (const comment of list.items) loader.prime(comment.id, comment)
    return list
  }

  #byId(scope: RequestCache): Loader<Comment | undefined> {
    const store = this.#store
    const select = (ids: readonly number[]) => this.#rows().where('comments.id', 'in', ids)
    return loaderOf(scope, 'comments', (ids) => rowsOf(store, store.forIds('comments', ids, select), ids), {
      of: (id) => [`comment:${id}`],
      found: (comment) => (comment === undefined ? [] : tagsOfComment(comment)),
    })
  }

  /**
   * Loads the list of a query for many posts or parents. Embedding requests such a list for each item of a response.
   */
  #ofEach(owner: Owner, query: CommentQuery, scope: RequestCache): Loader<CommentList> {
    const read = async (ids: readonly number[]): Promise<CommentList[]> => {
      if (ids.length > 1 && query.orderby !== 'include' && query.cursor === undefined)
        return this.#lists(owner, ids, query)
      const conditions = (id: number) => [...conditionsOf(this.#store, query), of(`comments.${owner}`, '=', id)]
      return Promise.all(ids.map((id) => this.#list(query, `${owner} ${id}`, () => conditions(id))))
    }
    return loaderOf(scope, `comments by ${owner} ${JSON.stringify(query)}`, read, {
      of: (id) => tagsOfList(query, owner === 'post_id' ? `post=${id}` : `parent=${id}`),
      found: ({ items }) => items.flatMap(tagsOfComment),
    })
  }

  /**
   * Loads a list of comments with its total.
   * @param key identifies `conditions` in the cache of compiled queries: `post_id 12`
   * @param conditions SQL conditions in addition to the conditions of the query
   */
  async #list(query: CommentQuery, key: string, conditions: () => Condition[]): Promise<CommentList> {
    const { limit, offset = 0, orderby, include = [], cursor } = query
    const usesIncludeOrder = orderby === 'include' && include.length > 0 && query.ownSort === undefined
    if (cursor !== undefined && (usesIncludeOrder || query.ownSort))
      throw noCursorFor(usesIncludeOrder ? orderby : 'SQL')
    if (usesIncludeOrder) return this.#listInIncludeOrder(query, conditions())
    if (cursor !== undefined) {
      const rows = await this.#page({ ...query, limit: limit + 1, offset: 0 }, key, conditions)
      const { items, next } = cursorPage(rows, limit, sortColumns(query))
      for (const item of items) delete (item as { [SORTED]?: unknown })[SORTED]
      const counted = cursor === null && next !== null
      return { items, next, total: counted ? await this.#count(query, key, conditions) : items.length }
    }
    const items = await this.#page(query, key, conditions)
    const whole = items.length < limit && (items.length > 0 || offset === 0)
    return { items, total: whole ? offset + items.length : await this.#count(query, key, conditions) }
  }

  async #page(query: CommentQuery, key: string, conditions: () => Condition[]): Promise<Comment[]> {
    const { limit, offset = 0 } = query
    const select = this.#store.once(`comments ${key} ${JSON.stringify(query)}`, () => {
      // A single post or parent has few enough comments to sort.
      const ordered = query.fields?.sort && key === '' ? this.#orderedPage(query) : null
      const rows =
        ordered === null ? this.#rows().where(visible(query, conditions())).limit(limit) : this.#rows().where(ordered)
      const cut = offset === 0 || ordered !== null ? rows : rows.offset(offset)
      const sort = query.cursor === undefined ? null : (query.fields?.sort ?? null)
      const page =
        sort === null
          ? cut
          : (cut.select(sql<string>`${sortColumnOf(sort, 'comments.id', 'asc').by}`.as(SORTED)) as typeof cut)
      return orderOf(query).reduce((sorted, [column, direction]) => sorted.orderBy(column, direction), page)
    })
    const items = await this.#store.all(select, tagsOfList(query))
    currentDependencies()?.addAll(items.flatMap(tagsOfComment))
    return items
  }

  /** Limits the rows to the page of a list that a field orders; null if the field index cannot. */
  #orderedPage(query: CommentQuery): Condition | null {
    const { cursor, fields, limit, offset = 0, types = [], approved = [], ...rest } = query
    const unindexed = {
      ...rest,
      types,
      approved,
      limit,
      fields: { ...fields!, tests: untestedBy(fields!), sort: null },
    }
    return isOfOrderedPage(this.#store, {
      plan: fields!,
      table: 'comments',
      types,
      statuses: approved,
      columns: sortColumns(query),
      cursor,
      tests: [visible(query, conditionsOf(this.#store, unindexed))],
      limit,
      offset,
    })
  }

  /** Returns the comments in the order of `include`, which the database cannot sort by. */
  async #listInIncludeOrder(query: CommentQuery, conditions: readonly Condition[]): Promise<CommentList> {
    const { limit, offset = 0, include = [] } = query
    const rows = await this.#store.all(this.#rows().where(visible(query, conditions)), tagsOfList(query))
    currentDependencies()?.addAll(rows.flatMap(tagsOfComment))
    const inOrder = orderAsGiven(rows, include, ({ id }) => id)
    return { items: inOrder.slice(offset, offset + limit), total: rows.length }
  }

  #count(query: CommentQuery, key: string, conditions: () => Condition[]): Promise<number> {
    const { limit: _, offset: __, order: ___, cursor: ____, ...counted } = query
    const count = this.#store.once(`count of comments ${key} ${JSON.stringify(counted)}`, () =>
      this.#counting(query, conditions()),
    )
    return this.#store.total(count, tagsOfList(query))
  }

  #counting(query: CommentQuery, conditions: readonly Condition[]): Compilable<{ total: number }> {
    const { db } = this.#store
    const { visibility } = query
    let count = db
      .selectFrom('comments')
      .where(of.and(conditions))
      .select(({ fn }) => fn.countAll<number>().as('total'))
    if (visibility !== null && !isOrdinaryQuery(query)) count = count.where(isVisible(visibility, false))
    if (visibility !== null && isOrdinaryQuery(query)) {
      // For approved comments visibility depends only on the post, so it is checked once per post, not per comment.
      const ofPosts = db
        .selectFrom('comments')
        .where(of.and(conditions))
        .groupBy('comments.post_id')
        .select(({ fn }) => ['comments.post_id', fn.countAll<number>().as('many')])
        .as('comments')
      count = db
        .selectFrom(ofPosts)
        .where(isVisible(visibility, true))
        .select(sql<number>`cast(coalesce(sum(many), 0) as bigint)`.as('total'))
    }
    return count
  }

  /** Reads one page and the total for each post or parent in one statement. */
  async #lists(owner: Owner, ids: readonly number[], query: CommentQuery): Promise<CommentList[]> {
    const { limit, offset = 0 } = query
    const select = this.#store.forIds(`comments by ${owner} ${JSON.stringify(query)}`, ids, (some) =>
      this.#pages(owner, some, query),
    )
    const lists = new Map(ids.map((id): [number, CommentList] => [id, { items: [], total: 0 }]))
    for (const { place, total, ...comment } of await this.#store.all(select)) {
      const list = lists.get(comment[owner])!
      list.total = total
      if (place > offset && place <= offset + limit) list.items.push(comment)
    }
    return ids.map((id) => lists.get(id)!)
  }

  #pages(
    owner: Owner,
    ids: readonly number[],
    query: CommentQuery,
  ): Compilable<Comment & { place: number; total: number }> {
    const { limit, offset = 0 } = query
    const column = `comments.${owner}` as const
    const conditions = [...conditionsOf(this.#store, query), of(column, 'in', ids)]
    const numbered = this.#store.db
      .selectFrom('comments')
      .where(visible(query, conditions))
      .select(({ fn }) => [
        'comments.id as numbered_id',
        fn
          .agg<number>('row_number')
          .over((over) =>
            orderOf(query).reduce((sorted, [by, direction]) => sorted.orderBy(by, direction), over.partitionBy(column)),
          )
          .as('place'),
        fn
          .countAll<number>()
          .over((over) => over.partitionBy(column))
          .as('total'),
      ])
      .as('numbered')
    return (
      this.#rows()
        .innerJoin(numbered, 'numbered.numbered_id', 'comments.id')
        .select(['numbered.place', 'numbered.total'])
        // The first row is always included because it carries the total.
        .where((eb) =>
          eb.or([eb('place', '=', 1), eb.and([eb('place', '>', offset), eb('place', '<=', offset + limit)])]),
        )
        .orderBy('place')
    )
  }

  #rows(): SelectQueryBuilder<Database, 'comments', Comment> {
    const rows = this.#store.db
      .selectFrom('comments')
      .leftJoin('users as account', 'account.id', 'comments.author_id')
      .select(COLUMNS.map((column) => `comments.${column}` as const))
      .select('account.email as account_email')
      // With `exists`, PostgreSQL would read all replies.
      .select((eb) =>
        eb.fn
          .coalesce(
            eb
              .selectFrom('comments as reply')
              .select(eb.lit(1).as('one'))
              .whereRef('reply.parent_id', '=', 'comments.id')
              // With `or`, PostgreSQL could combine indexes by status and type, and read all comments for each row.
              .where(
                // Held notes are the open ones.
                sql<SqlBool>`case reply.type when 'comment' then reply.approved = '1'
                  when ${NOTE} then comments.type = ${NOTE} and reply.approved in ('1', '0') end`,
              )
              .limit(1),
            eb.lit(0),
          )
          .as('answered'),
      )
    return rows
  }
}

/**
 * Returns the cache tags of a list of comments.
 * @param facet the single post or parent of the list, as `post=ID` or `parent=ID`
 */
function tagsOfList(query: CommentQuery, facet?: string): string[] {
  const { approved = [] } = query
  const prefixes = new Set(approved.length === 0 ? ['', 'unapproved:'] : approved.map(commentPrefix))
  const lists = [...prefixes].map((prefix) => `${prefix}comments`)
  const tags = lists.map((list) => `${list}${facet === undefined ? '' : `:${facet}`}`)
  tags.push(...tagsOfFields(query, 'comment', lists))
  // Comments become visible or hidden with their posts.
  return [...tags, 'posts:visibility']
}

/** Returns the cache tags of a comment, including its author's account and its replies. */
export function tagsOfComment({ id, author_id: author, type }: Comment): string[] {
  const tags = [`comment:${id}`, `comments:parent=${id}`]
  if (type === NOTE) tags.push(`${commentPrefix('0')}comments:parent=${id}`)
  return author === 0 ? tags : [...tags, `user:${author}`]
}
