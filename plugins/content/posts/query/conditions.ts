import type { RawBuilder, SqlBool } from 'kysely'
import { sql, isBehind, type Store } from '../../../storage/store/index.ts'
import { hasPlace, meetsTest } from '../../../storage/field-index/index.ts'
import { ORDER_COLUMNS, type PostQuery } from './query.ts'
import { hasReadableParent, inReadScopes } from './read-scope-conditions.ts'
import { matchesSearch, relevanceOf } from './search-conditions.ts'
import { isWalkedById, sortColumns } from './sort-columns.ts'
import { allOf, anyOf, not, unestimated, unindexed, type Condition, type Use } from './sql-logic.ts'
import { hasTerms } from './term-conditions.ts'

/** The SQL conditions of an `effectiveQuery`, starting with those on type and status. */
export function conditions(store: Store, query: PostQuery, use: Use = 'find'): Condition[] {
  const { search = '', terms = [], readScope = null, orderby = 'date' } = query
  const type = isWalkedById(store, query)
    ? sql<SqlBool>`posts.type = any(array[${query.types[0]}])`
    : store.isIn('posts.type', query.types)
  const list: Condition[] = [type, store.isIn('posts.status', query.statuses)]
  const add = (condition: Condition) => void list.push(condition)
  // With conditions on several correlated columns PostgreSQL underestimates the matching posts, and reads and sorts
  // them all.
  const addColumn = (name: string, condition: Condition) =>
    add(use === 'test' && name !== sorted ? unestimated(store, condition) : condition)
  const [sorted] = orderby in ORDER_COLUMNS ? ORDER_COLUMNS[orderby as keyof typeof ORDER_COLUMNS] : []
  // The column that posts are sorted by is a range of that index.
  const column = (name: string) => (use === 'find' || name === sorted ? sql.ref(name) : unindexed(store, name))
  const addIn = (name: string, values: readonly (string | number)[] = []) => {
    if (values.length > 0) addColumn(name, store.isIn(column(name), values))
  }
  const addNotIn = (name: string, values: readonly number[] = []) => {
    if (values.length > 0) addColumn(name, not(store.isIn(column(name), values)))
  }
  const addBetween = (name: string, after: string | undefined, before: string | undefined) => {
    if (after !== undefined) addColumn(name, sql`${column(name)} > ${after}`)
    if (before !== undefined) addColumn(name, sql`${column(name)} < ${before}`)
  }
  addIn('posts.id', query.include)
  addNotIn('posts.id', query.exclude)
  addIn('posts.author_id', query.author)
  addNotIn('posts.author_id', query.authorExclude)
  addIn('posts.parent_id', query.parent)
  addNotIn('posts.parent_id', query.parentExclude)
  addIn('posts.slug', query.slug)
  if (query.menuOrder !== undefined) addIn('posts.menu_order', [query.menuOrder])
  addIn('posts.mime_type', query.mimeTypes)
  // Added for the index on media types: without it PostgreSQL underestimates the posts of these MIME types and reads
  // all other types as well.
  const kinds = new Set(query.mimeTypes?.map((mimeType) => mimeType.split('/', 1)[0]!))
  if (use === 'find' && store.dialect === 'postgres' && kinds.size === 1 && !kinds.has(''))
    add(isOfMediaType(store, column('posts.mime_type'), [...kinds][0]!))
  if (query.mediaType !== undefined)
    addColumn('posts.mime_type', isOfMediaType(store, column('posts.mime_type'), query.mediaType))
  addBetween('posts.date', query.after, query.before)
  addBetween('posts.modified', query.modifiedAfter, query.modifiedBefore)
  if (terms.length > 0) {
    const clauses = terms.map((clause) => hasTerms(store, clause, use))
    add(query.termRelation === 'or' ? anyOf(clauses) : allOf(clauses))
  }
  if (query.format !== undefined) add(hasTerms(store, query.format, use))
  const limits = use === 'find' ? { types: query.types, statuses: query.statuses } : undefined
  for (const test of query.fields?.tests ?? []) add(meetsTest(store, test, 'posts.id', limits))
  if (query.fields) for (const one of hasPlace(store, query.fields, 'posts.id')) add(one)
  for (const { expression } of query.own ?? []) add(expression)
  // Usually decided by the title, so it comes before the full-text search.
  if (query.rank !== undefined) add(unestimated(store, sql`${relevanceOf(store, search) ?? 1} = ${query.rank}`))
  if (search.trim() !== '') add(matchesSearch(store, query, use))
  if (readScope !== null) add(inReadScopes(store, readScope, { table: 'posts', column, types: query.types }))
  if (query.cursor) add(isBehind(sortColumns(store, query)!, query.cursor))
  if (query.above) {
    const { readScopes, author } = query.above
    const own = author === 0 ? [] : [sql<SqlBool>`${column('posts.author_id')} = ${author}`]
    add(anyOf([sql<SqlBool>`posts.status <> ${'inherit'}`, ...own, hasReadableParent(store, 'posts', readScopes)]))
  }
  return list
}

/** Whether the first part of a MIME type matches, as an expression that the media index covers. */
function isOfMediaType(store: Store, column: RawBuilder<unknown>, mediaType: string): Condition {
  const sqlite = store.dialect === 'sqlite'
  const kind = sqlite ? sql`substr(${column}, 1, instr(${column}, '/') - 1)` : sql`split_part(${column}, '/', 1)`
  return sql<SqlBool>`(${column} <> '' and ${kind} = ${mediaType})`
}
