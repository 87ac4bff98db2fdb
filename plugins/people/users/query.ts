import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { ListCursor } from '../../resources/index.ts'
import { expressionBuilder, sql, type Database, type Row, type Store } from '../../storage/store/index.ts'
import { meetsFields, type FieldOrder, type FieldQuery } from '../../storage/field-index/index.ts'
import type { Role, Roles } from '../roles/index.ts'

/** Orders of lists of users; by slug if `include` or `include_slugs` is requested without a list. */
export const USER_ORDERS = [
  'id',
  'include',
  'name',
  'registered_date',
  'slug',
  'include_slugs',
  'email',
  'url',
] as const
export type UserOrder = (typeof USER_ORDERS)[number] | FieldOrder

const COLUMNS = ['id', 'login', 'slug', 'name', 'email', 'url'] as const
export type UserSearchColumn = (typeof COLUMNS)[number]

/** Searchable columns by their names in requests. */
export const SEARCH_COLUMNS = {
  email: 'email',
  name: 'name',
  id: 'id',
  username: 'login',
  slug: 'slug',
} as const satisfies Record<string, UserSearchColumn>

/** Filters and order of a list of users. Omitted filters do not limit the list. */
export interface UserQuery extends FieldQuery<Exclude<keyof Row<'users'>, 'password_hash'>> {
  /** A text that one of `searchColumns` contains, or an ID. */
  search?: string
  searchColumns?: readonly UserSearchColumn[]
  include?: readonly number[]
  exclude?: readonly number[]
  slugs?: readonly string[]
  /** Users with one of these roles. */
  roles?: readonly string[]
  /** Users with a role that grants one of these capabilities. */
  capabilities?: readonly string[]
  /** Authors of published content of one of these types. */
  authorsOf?: readonly string[]
  /** `meta.points` lists only users with points. */
  orderBy: UserOrder
  order: 'asc' | 'desc'
  /**
   * Cursor pagination: the page starts after the cursor, or at the first user for null, and returns the next cursor.
   */
  cursor?: ListCursor | null
  limit: number
  offset: number
}

/** A name that no role has. */
const NO_ROLE = '\0'

/** Rows of `indexed_values` that belong to users have an empty type and status. */
const NO_LIMITS = { types: [''], statuses: [''] }

type InUsers = ExpressionBuilder<Database, 'users'>
type Condition = Expression<SqlBool>

export const inUsers: InUsers = expressionBuilder<Database, 'users'>()

const never = sql<SqlBool>`1 = 0`

/** Returns the condition that a user has published content of one of these types. */
export function hasPublished(of: InUsers, types: readonly string[]): Condition {
  if (types.length === 0) return never
  return of.exists(
    of
      .selectFrom('posts')
      .select(sql`1`.as('one'))
      .whereRef('posts.author_id', '=', 'users.id')
      .where('posts.status', '=', 'publish')
      .where('posts.type', 'in', types),
  )
}

export function conditionsOf(store: Store, roles: Roles, query: UserQuery): (of: InUsers) => Condition {
  const { search = '', searchColumns = [], include = [], exclude = [], slugs = [], authorsOf } = query
  return (of) => {
    const all: Condition[] = []
    if (search !== '') all.push(isFound(store, of, searchColumns, search))
    if (include.length > 0) all.push(store.isIn('users.id', include))
    if (exclude.length > 0) all.push(of.not(store.isIn('users.id', exclude)))
    if (slugs.length > 0) all.push(store.isIn('users.slug', slugs))
    if (query.roles !== undefined) all.push(hasRole(store, of, rolesNamed(roles, query.roles)))
    if (query.capabilities !== undefined) all.push(hasRole(store, of, rolesWith(roles, query.capabilities)))
    if (authorsOf !== undefined) all.push(hasPublished(of, authorsOf))
    all.push(...meetsFields(store, query, 'users.id', NO_LIMITS))
    return of.and(all)
  }
}

/** All columns are in the SQL, which must not depend on the searched ones. */
function isFound(store: Store, of: InUsers, searched: readonly UserSearchColumn[], text: string): Condition {
  const id = /^\d{1,9}$/.test(text) ? Number(text) : 0
  const isSearched = (column: UserSearchColumn) => sql<SqlBool>`${Number(searched.includes(column))} = 1`
  const contains = (column: UserSearchColumn) =>
    column === 'id' ? of('users.id', '=', id) : store.contains(`users.${column}`, text)
  return of.or(COLUMNS.map((column) => of.and([isSearched(column), contains(column)])))
}

function hasRole(store: Store, of: InUsers, names: readonly string[]): Condition {
  if (names.length === 0) return never
  return of.exists(
    of
      .selectFrom('user_meta')
      .select(sql`1`.as('one'))
      .whereRef('user_meta.user_id', '=', 'users.id')
      .where('user_meta.key', '=', 'roles')
      // The roles of a user are stored as a JSON list.
      .where((meta) => meta.or(names.map((name) => store.contains('user_meta.value', JSON.stringify(name))))),
  )
}

/** Returns the roles with these names, in any case; unknown names are ignored. */
function rolesNamed(roles: Roles, names: readonly string[]): string[] {
  const lowerCaseNames = new Set(names.map((name) => name.toLowerCase()))
  const all = roles.all().map(({ name }) => name)
  const matches = all.filter((name) => lowerCaseNames.has(name.toLowerCase()))
  return padded(matches, Math.min(lowerCaseNames.size, all.length))
}

function rolesWith(roles: Roles, capabilities: readonly string[]): string[] {
  const requested = new Set(capabilities)
  const all = roles.all()
  const matches = all.filter((role) => [role.name, ...capabilitiesOf(role)].some((name) => requested.has(name)))
  const names = matches.map(({ name }) => name)
  return padded(names, all.length)
}

function capabilitiesOf({ capabilities }: Role): string[] {
  return Object.keys(capabilities).filter((name) => capabilities[name] === true)
}

/** Pads a list with a name that no role has, so that the SQL does not depend on the number of values. */
function padded(names: readonly string[], size: number): string[] {
  return [...names, ...Array.from({ length: size - names.length }, () => NO_ROLE)]
}
