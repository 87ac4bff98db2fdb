import type { Expression, RawBuilder, SqlBool } from 'kysely'
import { sql, type Store } from '../../../storage/store/index.ts'
import type { TermClause } from './query.ts'
import { not, type Condition, type Use } from './sql-logic.ts'

/** Whether a post has the terms of a clause. */
export function hasTerms(store: Store, clause: TermClause, use: Use): Condition {
  const { operator } = clause
  const has = operator === 'and' ? hasEach(store, clause, use) : hasOne(store, clause, use)
  return operator === 'not in' ? not(has) : has
}

function hasOne(store: Store, clause: TermClause, use: Use): Condition {
  const related = sql`term_relationships where term_id in (${termIds(store, clause)})`
  return use === 'find'
    ? sql<SqlBool>`posts.id in (select post_id from ${related})`
    : sql<SqlBool>`exists (select 1 from ${related} and post_id = posts.id)`
}

/**
 * Whether a post has each of the terms, with their descendants if the clause includes them. The length of the statement
 * does not depend on the number of terms.
 */
function hasEach(store: Store, clause: TermClause, use: Use): Condition {
  const named = new Set(clause.terms).size
  // No post has a term that does not exist.
  const required =
    clause.includeChildren === true
      ? sql`(select case when count(distinct root) = ${named} then count(distinct id) end
          from (${termsBelow(store, clause)}) as required)`
      : sql`${named}`
  const related = sql`term_relationships where term_id in (${termIds(store, clause)})`
  return use === 'find'
    ? sql<SqlBool>`posts.id in (select post_id from ${related} group by post_id having count(distinct term_id) = ${required})`
    : sql<SqlBool>`(select count(distinct term_id) from ${related} and post_id = posts.id) = ${required}`
}

/** IDs of the named terms that belong to the taxonomy of the clause. */
export function termIds(store: Store, clause: TermClause): Expression<unknown> {
  return sql`select id from (${termsBelow(store, clause)}) as named`
}

/** The named terms (`root`), each with itself and, if the clause includes them, its descendants. */
function termsBelow(store: Store, { taxonomy, terms, includeChildren = false }: TermClause): RawBuilder<unknown> {
  const named = sql`select id, id as root from terms where taxonomy = ${taxonomy} and ${store.isIn('terms.id', terms)}`
  if (!includeChildren) return named
  return sql`with recursive below(id, root) as (${named}
    union select terms.id, below.root from terms inner join below on below.id = terms.parent_id) select id, root from below`
}
