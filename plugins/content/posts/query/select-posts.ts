import type { Compilable, Expression, SelectQueryBuilder } from 'kysely'
import { sql, type Database, type Store } from '../../../storage/store/index.ts'
import { matchingRows, onlyTest } from '../../../storage/field-index/index.ts'
import { conditions } from './conditions.ts'
import { effectiveQuery } from './effective-query.ts'
import type { PostQuery } from './query.ts'
import { relevanceOf } from './search-conditions.ts'
import { isWalkedById, sortColumns } from './sort-columns.ts'
import { allOf } from './sql-logic.ts'

export type PostSelect<O = Record<never, never>> = SelectQueryBuilder<Database, 'posts', O>

/** The posts of a query, in no order. Values are bound: the wording depends on which are there, and on how many. */
export function selectPosts(store: Store, query: PostQuery): PostSelect {
  return store.db.selectFrom('posts').where(allOf(conditions(store, effectiveQuery(query))))
}

/** How many posts a query finds, on all pages. Where values of a field are all it asks for, these are counted. */
export function countPosts(store: Store, query: PostQuery): Compilable<{ total: number }> {
  const { fields, types, statuses, ...asked } = effectiveQuery(query)
  const test = fields ? onlyTest(fields) : null
  // Type and status come first, and the values have them.
  if (test === null || conditions(store, { ...asked, types, statuses }).length > 2)
    return selectPosts(store, query).select(({ fn }) => fn.countAll<number>().as('total'))
  const values = allOf(matchingRows(store, test, { types, statuses }))
  return store.db
    .selectFrom('indexed_values')
    .where(values)
    .select(({ fn }) => fn.countAll<number>().as('total'))
}

/** The order of a query, except for the orders that a list gives. Equals go by ID, so that pages never overlap. */
export function orderOf(store: Store, query: PostQuery): [by: Expression<unknown>, direction: 'asc' | 'desc'][] {
  const { orderby = 'date', tieOrder, search = '' } = query
  if (query.ownSort !== undefined)
    return [
      [query.ownSort.expression, query.order ?? 'desc'],
      [sql.ref('posts.id'), tieOrder ?? query.order ?? 'desc'],
    ]
  if (orderby === 'relevance') {
    const relevance = relevanceOf(store, search)
    return [
      // Where words are only unwanted, all that is found matches as well.
      ...(relevance === null ? [] : [[relevance, 'asc'] as [Expression<unknown>, 'asc']]),
      [sql.ref('posts.date'), 'desc'],
      [sql.ref('posts.id'), tieOrder ?? 'desc'],
    ]
  }
  const columns = (sortColumns(store, query) ?? []).map(({ by, direction }): [Expression<unknown>, 'asc' | 'desc'] => [
    by,
    direction,
  ])
  return isWalkedById(store, query) ? [[sql.ref('posts.type'), columns[0]![1]], ...columns] : columns
}

/** The query in its order. */
export function ordered<O>(store: Store, select: PostSelect<O>, query: PostQuery): PostSelect<O> {
  return orderOf(store, query).reduce((sorted, [by, direction]) => sorted.orderBy(by, direction), select)
}
