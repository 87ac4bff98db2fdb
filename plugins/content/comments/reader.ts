import DataLoader from 'dataloader'
import { expressionBuilder, sql, type Compilable, type Expression, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { RequestCache } from '../../../kernel/index.ts'
import type { Database, Row, Store } from '../../storage/store/index.ts'
import { isSeen, NOTE, type Sight } from './visibility.ts'

/** A comment as it is stored, and what is shown of it beyond its row. */
export interface Comment extends Row<'comments'> {
  /** Email address of the account that wrote it; null where none did. */
  account_email: string | null
  /** 1 where approved comments answer it, else 0. */
  answered: number
}

/** What comments can be ordered by; `include` keeps the order of the list of the same name. */
export const COMMENT_ORDERS = ['date', 'date_gmt', 'id', 'include', 'post', 'parent', 'type'] as const
export type CommentOrder = (typeof COMMENT_ORDERS)[number]

/** Which comments, in which order. What is left out does not narrow; lists that are empty neither. */
export interface CommentQuery {
  /** Whose eyes: limits the list to what they may see. Null asks for no rights. */
  sight: Sight | null
  /** Stored statuses: `1` approved, `0` held, `spam`, `trash`. */
  approved?: readonly string[]
  types?: readonly string[]
  posts?: readonly number[]
  parents?: readonly number[]
  parentsExcluded?: readonly number[]
  authors?: readonly number[]
  authorsExcluded?: readonly number[]
  authorEmail?: string
  include?: readonly number[]
  exclude?: readonly number[]
  /** A text that the content, the name or the address of the author contains. */
  search?: string
  /** Whether the search looks into email and network addresses too. */
  searchPrivate?: boolean
  /** Dates as they are stored, in the site's time zone; neither is included. */
  after?: string
  before?: string
  /** By `date_gmt` unless it says otherwise. */
  orderby?: CommentOrder
  order?: 'asc' | 'desc'
  /** How many at most, after `offset` of them. */
  limit: number
  offset?: number
}

/** Comments, and how many there are without `limit` and `offset`. */
export interface CommentList {
  items: Comment[]
  total: number
}

const COLUMNS = [
  'id', 'post_id', 'parent_id', 'author_id', 'author_name', 'author_email', 'author_url', 'author_ip', 'author_agent',
  'date', 'date_gmt', 'content', 'approved', 'type', 'karma',
] as const // prettier-ignore

const ORDER_COLUMNS = {
  date: 'comments.date',
  date_gmt: 'comments.date_gmt',
  id: 'comments.id',
  post: 'comments.post_id',
  parent: 'comments.parent_id',
  type: 'comments.type',
} as const

/** The columns that a list of one of many things is kept by. */
type Owner = 'post_id' | 'parent_id'
type Condition = Expression<SqlBool>
type Direction = 'asc' | 'desc'

const of = expressionBuilder<Database, 'comments'>()

/** Reads comments; what one request reads of many comments, or under many posts, comes from one statement. */
export class CommentModel {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Loads comments by id; undefined for one that is not there. */
  byId(scope: RequestCache): DataLoader<number, Comment | undefined> {
    return scope.get('comments', () => {
      const read = async (ids: readonly number[]) => {
        const comments = await this.#store.all(
          this.#store.forIds('comments', ids, (some) => this.#rows().where('comments.id', 'in', some)),
        )
        const found = new Map(comments.map((comment) => [comment.id, comment]))
        return ids.map((id) => found.get(id))
      }
      return new DataLoader<number, Comment | undefined>(read, { maxBatchSize: 1000 })
    })
  }

  /** The comments that a query asks for. */
  async query(query: CommentQuery, scope: RequestCache): Promise<CommentList> {
    const { posts = [], parents = [] } = query
    const list = await (posts.length === 1
      ? this.#ofEach('post_id', { ...query, posts: [] }, scope).load(posts[0]!)
      : parents.length === 1
        ? this.#ofEach('parent_id', { ...query, parents: [] }, scope).load(parents[0]!)
        : this.#list(query, '', () => this.#conditions(query)))
    const loader = this.byId(scope)
    for (const comment of list.items) loader.prime(comment.id, comment)
    return list
  }

  /**
   * Loads the list of a query for each of many posts, or comments: embedded, it is asked for once for each item of an
   * answer.
   */
  #ofEach(owner: Owner, query: CommentQuery, scope: RequestCache): DataLoader<number, CommentList> {
    return scope.get(`comments by ${owner} ${JSON.stringify(query)}`, () => {
      const column = `comments.${owner}` as const
      const read = async (ids: readonly number[]) => {
        if (ids.length === 1 || query.orderby === 'include') {
          const conditionsOf = (id: number) => [...this.#conditions(query), of(column, '=', id)]
          return Promise.all(ids.map((id) => this.#list(query, `${owner} ${id}`, () => conditionsOf(id))))
        }
        return this.#lists(owner, ids, query)
      }
      return new DataLoader<number, CommentList>(read, { maxBatchSize: 1000 })
    })
  }

  /** @param key tells what the conditions depend on beside the query */
  async #list(query: CommentQuery, key: string, conditions: () => Condition[]): Promise<CommentList> {
    const { limit, offset = 0, orderby, include = [] } = query
    if (orderby === 'include' && include.length > 0) return this.#listAsGiven(query, conditions())
    const select = this.#store.once(`comments ${key} ${JSON.stringify(query)}`, () => {
      const rows = this.#rows().where(seen(query, conditions())).limit(limit).offset(offset)
      return orderOf(query).reduce((sorted, [column, direction]) => sorted.orderBy(column, direction), rows)
    })
    const items = await this.#store.all(select)
    const whole = items.length < limit && (items.length > 0 || offset === 0)
    return { items, total: whole ? offset + items.length : await this.#count(query, key, conditions) }
  }

  /** The comments in the order of the list that names them, which is no order that the database knows. */
  async #listAsGiven(query: CommentQuery, conditions: readonly Condition[]): Promise<CommentList> {
    const { limit, offset = 0, include = [] } = query
    const rows = await this.#store.all(this.#rows().where(seen(query, conditions)))
    const places = new Map([...include.entries()].toReversed().map(([place, id]) => [id, place]))
    rows.sort((one, other) => places.get(one.id)! - places.get(other.id)!)
    return { items: rows.slice(offset, offset + limit), total: rows.length }
  }

  #count(query: CommentQuery, key: string, conditions: () => Condition[]): Promise<number> {
    const { limit: _, offset: __, order: ___, ...counted } = query
    const count = this.#store.once(`count of comments ${key} ${JSON.stringify(counted)}`, () =>
      this.#counting(query, conditions()),
    )
    return this.#store.total(count)
  }

  #counting(query: CommentQuery, conditions: readonly Condition[]): Compilable<{ total: number }> {
    const { db } = this.#store
    const { sight } = query
    let count = db
      .selectFrom('comments')
      .where(of.and(conditions))
      .select(({ fn }) => fn.countAll<number>().as('total'))
    if (sight !== null && !isOrdinary(query)) count = count.where(isSeen(sight, false))
    if (sight !== null && isOrdinary(query)) {
      // What is seen depends on the post alone: each post is looked at once, not each comment.
      const ofPosts = db
        .selectFrom('comments')
        .where(of.and(conditions))
        .groupBy('comments.post_id')
        .select(({ fn }) => ['comments.post_id', fn.countAll<number>().as('many')])
        .as('comments')
      count = db
        .selectFrom(ofPosts)
        .where(isSeen(sight, true))
        .select(sql<number>`cast(coalesce(sum(many), 0) as bigint)`.as('total'))
    }
    return count
  }

  /** One page for each post or comment, and how many each has, from one statement. */
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
    const conditions = [...this.#conditions(query), of(column, 'in', ids)]
    const numbered = this.#store.db
      .selectFrom('comments')
      .where(seen(query, conditions))
      .select(({ fn }) => [
        'comments.id as numbered_id',
        fn
          .agg<number>('row_number')
          .over((over) =>
            orderOf(query).reduce((sorted, [by, way]) => sorted.orderBy(by, way), over.partitionBy(column)),
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
        // The first one always, as it tells the total.
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
      // Not `exists`, for which PostgreSQL would read every answer there is.
      .select((eb) =>
        eb.fn
          .coalesce(
            eb
              .selectFrom('comments as reply')
              .select(eb.lit(1).as('one'))
              .whereRef('reply.parent_id', '=', 'comments.id')
              .where('reply.approved', '=', '1')
              .where('reply.type', '=', 'comment')
              .limit(1),
            eb.lit(0),
          )
          .as('answered'),
      )
    return rows
  }

  /** The conditions of a query, its sight aside. Values are bound; the wording depends on which of them are there, and on how many. */
  #conditions(query: CommentQuery): Condition[] {
    const { search = '' } = query
    const found: Condition[] = []
    const add = (condition: Condition) => void found.push(condition)
    const isIn = (column: keyof typeof LISTS) => {
      const values = query[LISTS[column]] ?? []
      if (values.length > 0) add(this.#store.isIn(`comments.${column}`, values))
    }
    const isNotIn = (column: 'id' | 'parent_id' | 'author_id', values: readonly number[] = []) => {
      if (values.length > 0) add(of.not(this.#store.isIn(`comments.${column}`, values)))
    }
    for (const column of Object.keys(LISTS)) isIn(column as keyof typeof LISTS)
    isNotIn('id', query.exclude)
    isNotIn('parent_id', query.parentsExcluded)
    isNotIn('author_id', query.authorsExcluded)
    if (query.authorEmail !== undefined) add(of('comments.author_email', '=', query.authorEmail))
    if (query.after !== undefined) add(of('comments.date', '>', query.after))
    if (query.before !== undefined) add(of('comments.date', '<', query.before))
    if (search !== '') {
      const columns = [
        'content',
        'author_name',
        'author_url',
        ...(query.searchPrivate ? ['author_email', 'author_ip'] : []),
      ]
      add(of.or(columns.map((column) => this.#store.contains(`comments.${column}`, search))))
    }
    return found
  }
}

/** The lists that a column has to be in. */
const LISTS = {
  approved: 'approved',
  type: 'types',
  post_id: 'posts',
  parent_id: 'parents',
  author_id: 'authors',
  id: 'include',
} as const satisfies Partial<Record<keyof Row<'comments'>, keyof CommentQuery>>

/** Whether a query holds nothing but approved comments that are no notes. */
function isOrdinary({ approved = [], types = [] }: CommentQuery): boolean {
  return approved.join() === '1' && types.length > 0 && !types.includes(NOTE)
}

/** The conditions of a query, its sight among them. */
function seen(query: CommentQuery, conditions: readonly Condition[]): Condition {
  return of.and(query.sight === null ? conditions : [...conditions, isSeen(query.sight, isOrdinary(query))])
}

/** The columns that a list is ordered by. Equals go by id, so that pages never overlap: the newest first unless dates decide. */
function orderOf({
  orderby = 'date_gmt',
  order = 'desc',
}: CommentQuery): [column: `comments.${keyof Row<'comments'>}`, direction: Direction][] {
  const column = orderby === 'include' ? 'comments.date_gmt' : ORDER_COLUMNS[orderby]
  if (column === 'comments.id') return [[column, order]]
  const dated = column === 'comments.date' || column === 'comments.date_gmt'
  return [
    [column, order],
    ['comments.id', dated ? order : 'desc'],
  ]
}
