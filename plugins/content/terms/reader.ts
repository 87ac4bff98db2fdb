import type { Compilable, SelectQueryBuilder } from 'kysely'
import {
  noCursorFor,
  type Awaitable,
  type ItemList,
  type ListCursor,
  type RequestCache,
} from '../../../kernel/index.ts'
import {
  sql,
  cursorPage,
  isBehind,
  loaderOf,
  orderAsGiven,
  rowsOf,
  type Database,
  type Loader,
  type Row,
  type SortColumn,
  type Store,
} from '../../storage/store/index.ts'

/** A term as it is stored. */
export type Term = Row<'terms'>

/** What terms can be ordered by; `include` and `include_slugs` keep the order of the list of the same name. */
export const TERM_ORDERS = [
  'id', 'include', 'name', 'slug', 'include_slugs', 'term_group', 'description', 'count',
] as const // prettier-ignore
export type TermOrder = (typeof TERM_ORDERS)[number]

/** Which terms of a taxonomy, or of several, in which order. What is left out does not narrow. */
export interface TermQuery {
  taxonomy: string | readonly string[]
  include?: readonly number[]
  exclude?: readonly number[]
  /** A text that name or slug contain. */
  search?: string
  slug?: readonly string[]
  /** The term directly above; 0 for terms at the top. */
  parent?: number
  /** A post that has the terms. */
  post?: number
  /** Leaves terms out that count no posts, and in a hierarchical taxonomy have nobody below them that does. */
  hideEmpty?: boolean
  hierarchical?: boolean
  /** By name unless it says otherwise; equals are ordered by id. */
  orderby?: TermOrder
  order?: 'asc' | 'desc'
  /** Pages by place: the list begins behind it, or at its first term for null, and says where it goes on. */
  cursor?: ListCursor | null
  /** How many at most, after `offset` of them. */
  limit?: number
  offset?: number
}

/** Terms, and how many there are without `limit` and `offset`. */
export type TermList = ItemList<Term>

/** The terms of one post by taxonomy, by name. */
export type PostTerms = ReadonlyMap<string, readonly Term[]>

/** The columns of a term, for a query on `terms` alone or with tables that share none of them but `id`. */
export const COLUMNS = ['terms.id', 'taxonomy', 'name', 'slug', 'description', 'parent_id', 'count'] as const

type Narrowed = SelectQueryBuilder<Database, 'terms', Record<never, never>>

/** Reads terms; what one request reads of many terms or posts comes from one statement. */
export class TermReader {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** A term; undefined when there is none with this ID. Concurrent calls share a statement. */
  get(id: number, scope: RequestCache): Awaitable<Term | undefined> {
    return this.#byId(scope).load(id)
  }

  /** Loads the terms of posts by taxonomy, each list by name: `(await terms.ofPosts(scope).load(12)).get('category')`. */
  ofPosts(scope: RequestCache): Loader<PostTerms> {
    const read = async (ids: readonly number[]) => {
      const { db } = this.#store
      const query = this.#store.forIds('terms of posts', ids, (some) =>
        db
          .selectFrom('term_relationships')
          .innerJoin('terms', 'terms.id', 'term_id')
          .select([...COLUMNS, 'post_id'])
          .where('post_id', 'in', some)
          .orderBy('name')
          .orderBy('terms.id'),
      )
      const byPost = new Map(ids.map((id) => [id, new Map<string, Term[]>()]))
      const loader = this.#byId(scope)
      for (const { post_id: post, ...term } of await this.#store.all(query)) {
        loader.prime(term.id, term)
        const terms = byPost.get(post)!
        const list = terms.get(term.taxonomy)
        if (list === undefined) terms.set(term.taxonomy, [term])
        else list.push(term)
      }
      return ids.map((id): PostTerms => byPost.get(id)!)
    }
    return loaderOf(scope, 'terms of posts', read, {
      of: (id) => [`post:${id}`],
      found: (terms) => [...terms.values()].flat().map(({ id }) => `term:${id}`),
    })
  }

  /** The terms that a query asks for, and how many there are without its limit. Asks for no permission. */
  async query(query: TermQuery, scope: RequestCache): Promise<TermList> {
    if (
      query.post !== undefined &&
      typeof query.taxonomy === 'string' &&
      query.cursor === undefined &&
      isPlain(query)
    ) {
      // The list of a post's terms is asked for once for each post of a list: all of them come from one statement.
      const terms = (await this.ofPosts(scope).load(query.post)).get(query.taxonomy) ?? []
      return cut(terms, query)
    }
    const { orderby = 'name', order = 'asc', include = [], slug = [] } = query
    if ((orderby === 'include' && include.length > 0) || (orderby === 'include_slugs' && slug.length > 0)) {
      if (query.cursor !== undefined) throw noCursorFor(orderby)
      const terms = await this.#store.all(this.#narrow(query).select(COLUMNS).orderBy('id'), tagsOf(query))
      const inOrder =
        orderby === 'include'
          ? orderAsGiven(terms, include, ({ id }) => id, order)
          : orderAsGiven(terms, slug, (term) => term.slug, order)
      return cut(inOrder, query)
    }
    const list = await (query.cursor === undefined ? this.#page(query) : this.#pageFrom(query.cursor, query))
    const loader = this.#byId(scope)
    for (const term of list.items) loader.prime(term.id, term)
    return list
  }

  async #pageFrom(cursor: ListCursor | null, query: TermQuery): Promise<TermList> {
    const columns = sortColumns(query)
    if (columns === null) throw noCursorFor(query.orderby!)
    const { limit = Infinity } = query
    const { items, next } = cursorPage(await this.#rows({ ...query, limit: limit + 1, offset: 0 }), limit, columns)
    return { items, next, total: cursor === null && next !== null ? await this.#count(query) : items.length }
  }

  async #page(query: TermQuery): Promise<TermList> {
    const { limit, offset = 0 } = query
    const items = await this.#rows(query)
    const whole = limit === undefined || (items.length < limit && (items.length > 0 || offset === 0))
    return { items, total: whole ? offset + items.length : await this.#count(query) }
  }

  #rows(query: TermQuery): Promise<Term[]> {
    return this.#store.all(
      this.#store.once(`list of terms ${JSON.stringify(query)}`, () => this.#selecting(query)),
      tagsOf(query),
    )
  }

  #byId(scope: RequestCache): Loader<Term | undefined> {
    const store = this.#store
    const select = (ids: readonly number[]) => store.db.selectFrom('terms').select(COLUMNS).where('id', 'in', ids)
    return loaderOf(scope, 'terms', (ids) => rowsOf(store, store.forIds('terms', ids, select), ids), {
      of: (id) => [`term:${id}`],
    })
  }

  #selecting(query: TermQuery): Compilable<Term> {
    const { order = 'asc', limit, offset = 0 } = query
    let select = this.#narrow(query).select(COLUMNS)
    const columns = sortColumns(query)
    if (columns !== null) for (const { by, direction } of columns) select = select.orderBy(by, direction)
    // As names, texts for readers go by their letters, whatever the case.
    else select = select.orderBy(({ fn }) => fn('lower', ['description']), order).orderBy('id')
    // SQLite knows an offset only behind a limit.
    return limit === undefined ? select : select.limit(limit).offset(offset)
  }

  #count(query: TermQuery): Promise<number> {
    const { limit: _, offset: __, orderby: ___, order: ____, cursor: _____, ...counted } = query
    const count = this.#store.once(`count of terms ${JSON.stringify(counted)}`, () =>
      this.#narrow(counted).select(({ fn }) => fn.countAll<number>().as('total')),
    )
    return this.#store.total(count, tagsOf(query))
  }

  /** The conditions of a query. Values are bound; the text of the statement follows from which of them are there. */
  #narrow({ taxonomy, include = [], exclude = [], slug = [], ...query }: TermQuery): Narrowed {
    const { db } = this.#store
    const { search = '', parent, post, hideEmpty = false, hierarchical = false } = query
    let select: Narrowed = db.selectFrom('terms').where('taxonomy', 'in', [taxonomy].flat())
    if (include.length > 0) select = select.where(this.#store.isIn('terms.id', include))
    if (exclude.length > 0) select = select.where((of) => of.not(this.#store.isIn('terms.id', exclude)))
    if (slug.length > 0) select = select.where(this.#store.isIn('slug', slug))
    if (parent !== undefined) select = select.where('parent_id', '=', parent)
    if (search !== '') {
      const columns = ['name', 'slug'].map((column) => this.#store.contains(column, search))
      select = select.where((builder) => builder.or(columns))
    }
    if (query.cursor) select = select.where(isBehind(sortColumns(query)!, query.cursor))
    if (post !== undefined) {
      const ofPost = db.selectFrom('term_relationships').select('term_id').where('post_id', '=', post)
      select = select.where('terms.id', 'in', ofPost)
    }
    if (hideEmpty && !hierarchical) select = select.where('count', '>', 0)
    if (hideEmpty && hierarchical) {
      const used = db
        .withRecursive('used(id, parent_id)', (cte) =>
          cte
            .selectFrom('terms')
            .select(['terms.id', 'terms.parent_id'])
            .where('taxonomy', 'in', [taxonomy].flat())
            .where('count', '>', 0)
            .union(
              cte
                .selectFrom('terms')
                .innerJoin('used', 'used.parent_id', 'terms.id')
                .select(['terms.id', 'terms.parent_id'])
                .where('taxonomy', 'in', [taxonomy].flat()),
            ),
        )
        .selectFrom('used')
        .select('used.id')
      select = select.where('terms.id', 'in', used)
    }
    return select
  }
}

/** What the terms of a query are ordered by; null for texts of any length. */
function sortColumns({
  orderby = 'name',
  order: direction = 'asc',
}: Pick<TermQuery, 'orderby' | 'order'>): SortColumn[] | null {
  if (orderby === 'description') return null
  const last = { name: 'id', by: sql.ref('terms.id') }
  if (orderby === 'id') return [{ ...last, direction }]
  // Terms are in no groups, so that all are equal by it.
  if (orderby === 'term_group') return [{ ...last, direction: 'asc' }]
  const name = orderby === 'slug' || orderby === 'count' ? orderby : 'name'
  return [
    { name, by: sql.ref(name), direction },
    { ...last, direction: 'asc' },
  ]
}

/** What a list of terms depends on. */
function tagsOf({ taxonomy, post }: TermQuery): string[] {
  const tags = [taxonomy].flat().map((name) => `terms:taxonomy=${name}`)
  return post === undefined ? tags : [...tags, `post:${post}`]
}

/** Whether nothing but the post narrows a query, and the order is that of a post's terms. */
function isPlain({ orderby = 'name', order = 'asc', ...query }: TermQuery): boolean {
  const { include = [], exclude = [], slug = [], search, parent, hideEmpty } = query
  const isLimited = include.length + exclude.length + slug.length > 0 || search || parent !== undefined || hideEmpty
  return !isLimited && orderby === 'name' && order === 'asc'
}

function cut(terms: readonly Term[], { limit = terms.length, offset = 0 }: TermQuery): TermList {
  return { items: terms.slice(offset, offset + limit), total: terms.length }
}
