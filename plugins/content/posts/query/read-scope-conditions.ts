import type { RawBuilder, SqlBool } from 'kysely'
import { sql, type Store } from '../../../storage/store/index.ts'
import { TRASHED_STATUS_KEY } from '../../meta-keys.ts'
import type { ReadScope, StatusSet } from './query.ts'
import { allOf, anyOf, type Condition } from './sql-logic.ts'

/** How many items may be attached to each other in a row; what is attached to more is not listed. */
const MAX_ATTACHMENT_DEPTH = 3

/** How the posts that read scopes are asked of are called in SQL. */
interface Asked {
  table: string
  /** A column by its name with the table. */
  column: (name: string) => RawBuilder<unknown>
  /** Types that the posts are of anyway. */
  types?: readonly string[]
}

/** Whether a post is in one of the scopes. */
export function inReadScopes(store: Store, readScopes: readonly ReadScope[], asked: Asked): Condition {
  const { table, column, types: known } = asked
  const isIn = (name: string, values: readonly string[]) => store.isIn(column(`${table}.${name}`), values)
  const hasStatus = ({ statuses, trashed }: StatusSet): Condition[] => [
    ...(statuses.length === 0 ? [] : [isIn('status', statuses)]),
    ...(trashed.length === 0 ? [] : [allOf([isIn('status', ['trash']), hadStatus(store, table, trashed)])]),
  ]
  const each = readScopes.map(({ types, any, own, others, user }) => {
    const either = hasStatus(any)
    const [mine, theirs] = user === 0 ? [[], []] : [hasStatus(own), hasStatus(others)]
    const author = column(`${table}.author_id`)
    if (mine.length > 0) either.push(allOf([sql<SqlBool>`${author} = ${user}`, anyOf(mine)]))
    if (theirs.length > 0) either.push(allOf([sql<SqlBool>`${author} <> ${user}`, anyOf(theirs)]))
    const isOfType = known?.every((type) => types.includes(type)) === true ? [] : [isIn('type', types)]
    return allOf([...isOfType, anyOf(either)])
  })
  return anyOf(each)
}

/** Whether the post above a post is in one of the scopes, or is not there. */
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

/** Whether a post in the trash had one of these statuses before; where nobody knows, it was published. */
function hadStatus(store: Store, table: string, statuses: readonly string[]): Condition {
  const before = sql`coalesce((select case when json = 0 then value end from post_meta
    where post_id = ${sql.ref(`${table}.id`)} and key = ${TRASHED_STATUS_KEY} order by post_meta.id limit 1), 'publish')`
  return store.isIn(before, statuses)
}
