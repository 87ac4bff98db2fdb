import type { Expression, RawBuilder, SqlBool } from 'kysely'
import { sql, isAmong, isBehind, type SortColumn, type Store } from '../../../storage/store/index.ts'
import {
  anyValue,
  matchingRows,
  orderedTest,
  untestedBy,
  type FieldSort,
  type FieldTest,
} from '../../../storage/field-index/index.ts'
import { conditions } from './conditions.ts'
import type { PostQuery, TermClause } from './query.ts'
import { orderOf } from './select-posts.ts'
import { sortColumns } from './sort-columns.ts'
import { allOf, unindexed, type Condition } from './sql-logic.ts'
import { termIds } from './term-conditions.ts'

/** Maximum number of index ranges to merge. Each range reads up to offset plus limit posts. */
const MAX_RANGES = 24

const DIRECTIONS = { asc: sql`asc`, desc: sql`desc` }

/** A range of an index in the order of the query. It is filtered, and its first posts are read. */
export interface IndexRange {
  from: RawBuilder<unknown>
  where: Condition[]
  id: string
  order: RawBuilder<unknown>
}

/** The index ranges that together contain the posts of a query. */
export function indexRanges(store: Store, query: PostQuery): IndexRange[] {
  const { types, statuses } = query
  if (types.length * statuses.length > MAX_RANGES) return [rangeOfPosts(store, query)]
  const terms = leadingTerms(query)
  const authors = leadingAuthors(query)
  const sort = query.fields?.sort ?? null
  const test = leadingTest(query)
  return types.flatMap((type) =>
    statuses.flatMap((status) => {
      const one = { ...query, types: [type], statuses: [status] }
      if (sort !== null) return [rangeOfOrder(store, one, sort)]
      if (terms !== null) return terms.map((term) => rangeOfTerm(store, one, term))
      if (test !== null) return valuesOf(test).map((value) => rangeOfValue(store, one, test, value))
      if (authors !== null) return authors.map((author) => rangeOfPosts(store, one, author))
      return rangesByDate(store, one)
    }),
  )
}

export function orderBy(store: Store, query: PostQuery): RawBuilder<unknown> {
  return sql.join(
    orderOf(store, query).map(
      ([by, direction]: [Expression<unknown>, 'asc' | 'desc']) => sql`${by} ${DIRECTIONS[direction]}`,
    ),
  )
}

/** Authors of the query if the list is read author by author, otherwise null. */
export function leadingAuthors(query: PostQuery): readonly number[] | null {
  const { types, statuses, orderby = 'date' } = query
  const authors = [...new Set(query.author)]
  const isMergeable = authors.length * types.length * statuses.length <= MAX_RANGES
  const isLed = leadingTerms(query) !== null || leadingTest(query) !== null
  return orderby === 'date' && authors.length > 0 && isMergeable && !isLed ? authors : null
}

/** The field test whose values the list is read by, one range per value, or null. */
export function leadingTest(query: PostQuery): FieldTest | null {
  const { types, statuses, orderby = 'date', fields } = query
  if (orderby !== 'date' || !fields || leadingTerms(query) !== null) return null
  const isLeading = (test: FieldTest) => {
    const { length } = valuesOf(test)
    return !test.missing && length > 0 && length * types.length * statuses.length <= MAX_RANGES
  }
  return fields.tests.find(isLeading) ?? null
}

/** The values of a test if each post has exactly one of them, otherwise an empty list. */
function valuesOf({ bounds }: FieldTest): readonly (string | number)[] {
  const [only, ...others] = bounds
  if (only === undefined || others.length > 0) return []
  return only.compare === 'eq' ? [only.value] : only.compare === 'in' ? only.values : []
}

/** Terms of the query if the list is read term by term, otherwise null. Each matching post has at least one of them. */
export function leadingTerms(query: PostQuery): { clause: TermClause; term: number }[] | null {
  const { types, statuses, orderby = 'date', terms = [], termRelation } = query
  const either = termRelation === 'or'
  const usable = terms.filter(
    ({ operator, includeChildren }) =>
      includeChildren !== true && (operator === 'in' || (operator === 'and' && !either)),
  )
  const each = usable.map((clause) => {
    const named = clause.operator === 'and' ? clause.terms.slice(0, 1) : [...new Set(clause.terms)]
    return named.map((term) => ({ clause, term }))
  })
  const all = usable.length < terms.length ? [] : each.flat()
  const leading = either ? all : each.sort((a, b) => a.length - b.length)[0]
  const isMergeable = leading !== undefined && leading.length * types.length * statuses.length <= MAX_RANGES
  return orderby === 'date' && isMergeable && leading.length > 0 ? leading : null
}

/**
 * Ranges for posts modified after a time, oldest first: posts published after the time, and older posts that were
 * edited later. The latter have an index by month of publication, so months without matches are skipped.
 */
function rangesOfChanged(store: Store, query: PostQuery, time: string): IndexRange[] {
  const { types, statuses, limit, offset = 0 } = query
  const all = rangeOfPosts(store, query)
  const month = sql`substr(posts.date, 1, 7)`
  const indexed = allOf([
    store.isIn('posts.type', types),
    store.isIn('posts.status', statuses),
    sql<SqlBool>`posts.modified > posts.date`,
  ])
  const older = allOf([
    ...all.where,
    sql<SqlBool>`posts.modified > posts.date`,
    sql<SqlBool>`posts.modified > ${time}`,
    sql<SqlBool>`${unindexed(store, 'posts.date')} <= ${time}`,
  ])
  const next = (from: Condition) =>
    sql`(select ${month} from posts where ${indexed} and ${from} and ${month} <= ${time.slice(0, 7)}
      order by posts.type, posts.status, ${month} limit 1)`
  // Each month with the number of matches before it, until there are enough.
  const months = sql`with recursive months(month, before) as (
    select ${next(sql`1 = 1`)}, cast(0 as bigint) union all
    select ${next(sql`${month} > months.month`)}, months.before + (select count(*) from
      (select 1 from posts where ${older} and ${month} = months.month limit ${limit + offset}) as hits)
    from months where months.month is not null and months.before < ${limit + offset})
    select month from months where month is not null and before < ${limit + offset}`
  const inMonths = isAmong(store.dialect, month, months)
  return [
    { ...all, where: [older, inMonths] },
    { ...all, where: [...all.where, sql`posts.date > ${time}`] },
  ]
}

/**
 * Ranges for posts modified before a time. Most were also published before it, so newer dates are skipped; the
 * exceptions have their own index.
 */
function rangesByDate(store: Store, query: PostQuery): IndexRange[] {
  const { orderby = 'date', order, modifiedAfter, modifiedBefore } = query
  const all = rangeOfPosts(store, query)
  if (orderby !== 'date') return [all]
  if (modifiedBefore === undefined)
    return order === 'asc' && modifiedAfter !== undefined ? rangesOfChanged(store, query, modifiedAfter) : [all]
  const ahead = sql<SqlBool>`posts.modified < posts.date`
  return [
    { ...all, where: [...all.where, sql`posts.date < ${modifiedBefore}`] },
    { ...all, where: [...all.where, ahead, sql`posts.date >= ${modifiedBefore}`] },
  ]
}

function rangeOfPosts(store: Store, query: PostQuery, author?: number): IndexRange {
  const { author: _, ...rest } = query
  const where =
    author === undefined
      ? conditions(store, query, 'test')
      : [...conditions(store, rest, 'test'), store.isIn('posts.author_id', [author])]
  return { from: sql`posts`, where, id: 'posts.id', order: orderBy(store, query) }
}

function rangeOfTerm(
  store: Store,
  query: PostQuery,
  { clause, term }: { clause: TermClause; term: number },
): IndexRange {
  const { order = 'desc', tieOrder = order, after, before } = query
  const id = termIds(store, { ...clause, terms: [term] })
  const where: Condition[] = [
    sql`term_id = (${id})`,
    store.isIn('post_type', query.types),
    store.isIn('post_status', query.statuses),
  ]
  if (after !== undefined) where.push(sql`post_date > ${after}`)
  if (before !== undefined) where.push(sql`post_date < ${before}`)
  if (query.cursor) {
    const columns = sortColumns(store, query)!
    where.push(
      isBehind(
        columns.map((column) => ({ ...column, by: sql.ref(`post_${column.name}`) })),
        query.cursor,
      ),
    )
  }
  const tests = uncoveredConditions(store, query, clause, term)
  if (tests.length > 0) where.push(sql`exists (select 1 from posts where posts.id = post_id and ${allOf(tests)})`)
  return {
    from: sql`term_relationships`,
    where,
    id: 'post_id',
    order: sql`post_date ${DIRECTIONS[order]}, post_id ${DIRECTIONS[tieOrder]}`,
  }
}

/** Conditions that the range of a term does not cover. */
function uncoveredConditions(store: Store, query: PostQuery, clause: TermClause, term: number): Condition[] {
  const { terms = [] } = query
  const others = terms.filter((one) => one !== clause)
  if (clause.operator === 'and' && clause.terms.length > 1)
    others.push({ ...clause, terms: clause.terms.filter((one) => one !== term) })
  const rest = query.termRelation === 'or' ? [] : others
  const { after: _, before: __, cursor: ___, ...uncovered } = query
  // The first two conditions, type and status, are covered by the index.
  return conditions(store, { ...uncovered, terms: rest }, 'test').slice(2)
}

/** Posts with a value of a field, in order of date. */
function rangeOfValue(store: Store, query: PostQuery, test: FieldTest, value: string | number): IndexRange {
  const { order = 'desc', tieOrder = order, after, before } = query
  const { after: _, before: __, cursor: ___, ...uncovered } = query
  const one: FieldTest = { ...test, bounds: [{ compare: 'eq', value }] }
  const where = matchingRows(store, one, query)
  if (after !== undefined) where.push(sql`indexed_values.date > ${after}`)
  if (before !== undefined) where.push(sql`indexed_values.date < ${before}`)
  if (query.cursor) where.push(isBehind(carried(sortColumns(store, query)!), query.cursor))
  const tests = untestedBy(query.fields!, test)
  return {
    ...rangeOfValues(store, where, { ...uncovered, fields: { ...query.fields!, tests } }),
    order: sql`indexed_values.date ${DIRECTIONS[order]}, indexed_values.object ${DIRECTIONS[tieOrder]}`,
  }
}

/** Posts with a value of a field, in order of that value. */
function rangeOfOrder(store: Store, query: PostQuery, sort: FieldSort): IndexRange {
  const { order = 'desc', tieOrder = order } = query
  const { cursor, ...uncovered } = query
  const { column } = sort
  // With several values the first one determines the position, while a condition may match another one.
  const test = orderedTest(query.fields!)
  const where = [...matchingRows(store, test ?? anyValue(sort), query), sql<SqlBool>`indexed_values.position = 0`]
  if (cursor) where.push(isBehind(carried(sortColumns(store, query)!), cursor))
  const [by, direction] = [sql.ref(`indexed_values.${column}`), DIRECTIONS[order]]
  const tests = untestedBy(query.fields!, test)
  return {
    ...rangeOfValues(store, where, { ...uncovered, fields: { ...query.fields!, tests, sort: null } }),
    order: sql`${by} ${direction}, indexed_values.date ${direction}, indexed_values.object ${DIRECTIONS[tieOrder]}`,
  }
}

/** @param uncovered the remaining conditions, tested against the posts */
function rangeOfValues(store: Store, where: Condition[], uncovered: PostQuery): Omit<IndexRange, 'order'> {
  // The first two conditions, type and status, are covered by the index.
  const tests = conditions(store, uncovered, 'test').slice(2)
  if (tests.length > 0)
    where.push(sql`exists (select 1 from posts where posts.id = indexed_values.object and ${allOf(tests)})`)
  return { from: sql`indexed_values`, where, id: 'indexed_values.object' }
}

/** Maps sort columns to their copies in `indexed_values`. */
function carried(columns: readonly SortColumn[]): SortColumn[] {
  return columns.map((column) => {
    const name = column.kind ?? (column.name === 'id' ? 'object' : column.name)
    return { ...column, by: sql.ref(`indexed_values.${name}`) }
  })
}
