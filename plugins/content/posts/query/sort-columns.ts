import { sql, type SortColumn, type Store } from '../../../storage/store/index.ts'
import { sortColumnOf } from '../../../storage/field-index/index.ts'
import { ORDER_COLUMNS, type PostQuery } from './query.ts'

/** The columns that give each post of a query a unique position; null for a search, the order of a list, or custom SQL. */
export function sortColumns(store: Store, query: PostQuery): SortColumn[] | null {
  const { orderby = 'date', order: direction = 'desc', tieOrder = direction } = query
  if (query.ownSort !== undefined) return null
  const last = { name: 'id', by: sql.ref('posts.id'), direction: tieOrder }
  if (orderby === 'title') return [{ name: 'title', by: store.sortKey('posts.title'), direction, cut: true }, last]
  const sort = query.fields?.sort ?? null
  // In the order of the index of values.
  if (sort !== null)
    return [sortColumnOf(sort, 'posts.id', direction), { name: 'date', by: sql.ref('posts.date'), direction }, last]
  if (orderby === 'relevance' || orderby === 'include' || orderby === 'include_slugs') return null
  return [
    ...ORDER_COLUMNS[orderby as keyof typeof ORDER_COLUMNS].map((column) => ({
      name: column.slice('posts.'.length),
      by: sql.ref(column),
      direction,
    })),
    last,
  ]
}

/**
 * Whether posts are read by the index of type, status and ID. PostgreSQL does not choose it by itself: with the type as
 * a constant that no order depends on, it would scan all IDs, including IDs of other types.
 */
export function isWalkedById({ dialect }: Store, { orderby, types }: PostQuery): boolean {
  return dialect === 'postgres' && orderby === 'id' && types.length === 1
}
