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

/**
 * The posts of a query, unordered. Values are bound, so the SQL depends only on which conditions are present and on the
 * number of their values.
 */
export function selectPosts(store: Store, query: PostQuery): PostSelect {
  return store.db.selectFrom('posts').where(allOf(conditions(store, effectiveQuery(query))))
}

/** The total of a query. If it has no conditions but a field test, the indexed values are counted instead. */
export function countPosts(store: Store, query: PostQuery): Compilable<{ total: number }> {
  const { fields, types, statuses, ...rest } = effectiveQuery(query)
  const test = fields ? onlyTest(fields) : null
  // The first two conditions, type and status, are covered by the index.
  if (test === null || conditions(store, { ...rest, types, statuses }).length > 2)
    return selectPosts(store, query).select(({ fn }) => fn.countAll<number>().as('total'))
  const values = allOf(matchingRows(store, test, { types, statuses }))
  return store.db
    .selectFrom('indexed_values')
    .where(values)
    .select(({ fn }) => fn.countAll<number>().as('total'))
}

/**
 * The sort order of a query, except for orders defined by a list. Ties are ordered by ID, so that pages never overlap.
 */
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
      // With only unwanted words, all matches rank equally.
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

/** Applies the order of a query. */
export function ordered<O>(store: Store, select: PostSelect<O>, query: PostQuery): PostSelect<O> {
  return orderOf(store, query).reduce((sorted, [by, direction]) => sorted.orderBy(by, direction), select)
}
