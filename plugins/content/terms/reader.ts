import type { Compilable, SelectQueryBuilder } from 'kysely'
import { noCursorFor, type ItemList, type ListCursor } from '../../resources/index.ts'
import type { Awaitable, RequestCache } from '../../../kernel/index.ts'
import {
  sql,
  cursorPage,
  loaderOf,
  orderAsGiven,
  rowsOf,
  type Database,
  type Loader,
  type Store,
} from '../../storage/store/index.ts'

import {
  goesByFields,
  isOfOrderedPage,
  SORTED,
  sortColumnOf,
  untestedBy,
  type FieldIndex,
} from '../../storage/field-index/index.ts'
import { conditionsOf, expr, sortColumns, tagsOf, type Term, type TermQuery } from './query.ts'

/** A page of terms and the total number without `limit` and `offset`. */
export type TermList = ItemList<Term>

/** The terms of a post by taxonomy, ordered by name. */
export type PostTerms = ReadonlyMap<string, readonly Term[]>

/** Columns of a term, for queries of `terms` alone or joined with tables that share no column name but `id`. */
export const COLUMNS = ['terms.id', 'taxonomy', 'name', 'slug', 'description', 'parent_id', 'count'] as const

type Narrowed = SelectQueryBuilder<Database, 'terms', Record<never, never>>

/** Reads terms. Reads of many terms or posts within one request are batched into one statement. */
export class TermReader {
  readonly #store: Store
  readonly #fields: FieldIndex

  constructor(store: Store, fields: FieldIndex) {
    this.#store = store
    this.#fields = fields
  }

  /** Returns a term, or undefined. Concurrent calls share a statement. */
  get(id: number, scope: RequestCache): Awaitable<Term | undefined> {
    return this.#byId(scope).load(id)
  }

  /**
   * Loader of the terms of posts by taxonomy, ordered by name: `(await terms.ofPosts(scope).load(12)).get('category')`.
   */
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

  /** Returns the terms that match a query, and the total without its limit. Does not check permissions. */
  async query(termQuery: TermQuery, scope: RequestCache): Promise<TermList> {
    const query = await this.#fields.planned('term', [termQuery.taxonomy].flat(), termQuery, termQuery.orderby)
    if (
      query.post !== undefined &&
      typeof query.taxonomy === 'string' &&
      query.cursor === undefined &&
      isPlain(query)
    ) {
      // Embedding requests the terms of a post once per post of a list; one statement reads all of them.
      const terms = (await this.ofPosts(scope).load(query.post)).get(query.taxonomy) ?? []
      return slicePage(terms, query)
    }
    const { orderby = 'name', order = 'asc', include = [], slug = [] } = query
    if ((orderby === 'include' && include.length > 0) || (orderby === 'include_slugs' && slug.length > 0)) {
      if (query.cursor !== undefined) throw noCursorFor(orderby)
      const terms = await this.#store.all(this.#narrow(query).select(COLUMNS).orderBy('id'), tagsOf(query))
      const inOrder =
        orderby === 'include'
          ? orderAsGiven(terms, include, ({ id }) => id, order)
          : orderAsGiven(terms, slug, (term) => term.slug, order)
      return slicePage(inOrder, query)
    }
    const list = await (query.cursor === undefined ? this.#page(query) : this.#pageFrom(query.cursor, query))
    const loader = this.#byId(scope)
    for (const term of list.items) loader.prime(term.id, term)
    return list
  }

  async #pageFrom(cursor: ListCursor | null, query: TermQuery): Promise<TermList> {
    const columns = sortColumns(query)
    if (columns === null) throw noCursorFor(query.ownSort === undefined ? query.orderby! : 'SQL')
    const { limit = Infinity } = query
    const { items, next } = cursorPage(await this.#rows({ ...query, limit: limit + 1, offset: 0 }), limit, columns)
    for (const item of items) delete (item as { [SORTED]?: unknown })[SORTED]
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
    const columns = sortColumns(query)
    const page = limit === undefined || !query.fields?.sort ? null : this.#orderedPage(query, limit, offset)
    let select = (page === null ? this.#narrow(query) : this.#store.db.selectFrom('terms').where(page)).select(COLUMNS)
    const sort = query.cursor === undefined ? null : (query.fields?.sort ?? null)
    if (sort !== null) select = select.select(sql<string>`${sortColumnOf(sort, 'terms.id', order).by}`.as(SORTED))
    if (query.ownSort !== undefined)
      return limited(select.orderBy(query.ownSort.expression, order).orderBy('terms.id'), limit, offset)
    if (columns !== null) for (const { by, direction } of columns) select = select.orderBy(by, direction)
    // Like names, descriptions are sorted without regard to case.
    else select = select.orderBy(({ fn }) => fn('lower', ['description']), order).orderBy('id')
    return page === null ? limited(select, limit, offset) : select
  }

  #orderedPage(query: TermQuery, limit: number, offset: number) {
    const { cursor, fields, ...rest } = query
    return isOfOrderedPage(this.#store, {
      plan: fields!,
      table: 'terms',
      types: [query.taxonomy].flat(),
      statuses: [''],
      columns: sortColumns(query)!,
      cursor,
      // The other conditions are tested per term while the order is read.
      tests: conditionsOf(this.#store, { ...rest, fields: { ...fields!, tests: untestedBy(fields!), sort: null } }),
      limit,
      offset,
    })
  }

  #count(query: TermQuery): Promise<number> {
    const { limit: _, offset: __, orderby: ___, order: ____, cursor: _____, ...counted } = query
    const count = this.#store.once(`count of terms ${JSON.stringify(counted)}`, () =>
      this.#narrow(counted).select(({ fn }) => fn.countAll<number>().as('total')),
    )
    return this.#store.total(count, tagsOf(query))
  }

  #narrow(query: TermQuery): Narrowed {
    return this.#store.db.selectFrom('terms').where(expr.and(conditionsOf(this.#store, query)))
  }
}

/** Whether a query has no condition but the post, and uses the default order. */
function isPlain({ orderby = 'name', order = 'asc', ...query }: TermQuery): boolean {
  const { include = [], exclude = [], slug = [], search, parent, hideEmpty } = query
  if (goesByFields(query)) return false
  const isLimited = include.length + exclude.length + slug.length > 0 || search || parent !== undefined || hideEmpty
  return !isLimited && orderby === 'name' && order === 'asc'
}

/** SQLite accepts an offset only after a limit. */
function limited<Q extends { limit(limit: number): Q; offset(offset: number): Q }>(
  select: Q,
  limit: number | undefined,
  offset: number,
): Q {
  return limit === undefined ? select : select.limit(limit).offset(offset)
}

function slicePage(terms: readonly Term[], { limit = terms.length, offset = 0 }: TermQuery): TermList {
  return { items: terms.slice(offset, offset + limit), total: terms.length }
}
