import type { RawBuilder, SqlBool } from 'kysely'
import { sql, type Store } from '../../../storage/store/index.ts'
import { TRASHED_STATUS_KEY } from '../../meta-keys.ts'
import type { ReadScope, StatusSet } from './query.ts'
import { allOf, anyOf, type Condition } from './sql-logic.ts'

/** Maximum length of a chain of attachments; deeper items are not listed. */
const MAX_ATTACHMENT_DEPTH = 3

/** SQL names of the posts that read scopes are applied to. */
interface ScopedTable {
  table: string
  /** Returns a column by its name, qualified with the table. */
  column: (name: string) => RawBuilder<unknown>
  /** Types to which the statement limits the posts already. */
  types?: readonly string[]
}

/** Whether a post is in one of the scopes. */
export function inReadScopes(store: Store, readScopes: readonly ReadScope[], target: ScopedTable): Condition {
  const { table, column, types: limitedTypes } = target
  const isIn = (name: string, values: readonly string[]) => store.isIn(column(`${table}.${name}`), values)
  const hasStatus = ({ statuses, trashed }: StatusSet): Condition[] => [
    ...(statuses.length === 0 ? [] : [isIn('status', statuses)]),
    ...(trashed.length === 0 ? [] : [allOf([isIn('status', ['trash']), hadStatus(store, table, trashed)])]),
  ]
  const each = readScopes.map(({ types, any, own, others, user }) => {
    const either = hasStatus(any)
    const [ownStatuses, otherStatuses] = user === 0 ? [[], []] : [hasStatus(own), hasStatus(others)]
    const author = column(`${table}.author_id`)
    if (ownStatuses.length > 0) either.push(allOf([sql<SqlBool>`${author} = ${user}`, anyOf(ownStatuses)]))
    if (otherStatuses.length > 0) either.push(allOf([sql<SqlBool>`${author} <> ${user}`, anyOf(otherStatuses)]))
    const isOfType = limitedTypes?.every((type) => types.includes(type)) === true ? [] : [isIn('type', types)]
    return allOf([...isOfType, anyOf(either)])
  })
  return anyOf(each)
}

/** Whether the parent of a post is in one of the scopes or does not exist. */
export function hasReadableParent(store: Store, below: string, readScopes: readonly ReadScope[], depth = 1): Condition {
  const above = `above_${depth}`
  const column = (name: string) => sql.ref(`${above}.${name}`)
  const readable = readScopes.map((readScope) =>
    inReadScopes(store, [readScope], { table: above, column: (name) => sql.ref(name) }),
  )
  readable.push(
    depth < MAX_ATTACHMENT_DEPTH
      ? sql<SqlBool>`(${column('status')} = ${'inherit'} and ${hasReadableParent(store, above, readScopes, depth + 1)})`
      : sql<SqlBool>`1 = 0`,
  )
  return sql<SqlBool>`not exists (select 1 from posts as ${sql.ref(above)}
    where ${column('id')} = ${sql.ref(`${below}.parent_id`)} and not (${sql.join(readable, sql` or `)}))`
}

/** Whether a trashed post had one of these statuses before. Without a stored status it counts as published. */
function hadStatus(store: Store, table: string, statuses: readonly string[]): Condition {
  const before = sql`coalesce((select case when json = 0 then value end from post_meta
    where post_id = ${sql.ref(`${table}.id`)} and key = ${TRASHED_STATUS_KEY} order by post_meta.id limit 1), 'publish')`
  return store.isIn(before, statuses)
}
