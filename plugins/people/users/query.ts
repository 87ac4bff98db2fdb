import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely'
import type { Database, Store } from '../../storage/store/index.ts'
import type { Role, Roles } from '../roles/index.ts'

/** What a list of users is sorted by; by slug where `include` or `include_slugs` has no list to go by. */
export type UserOrder = 'id' | 'include' | 'name' | 'registered_date' | 'slug' | 'include_slugs' | 'email' | 'url'

/** The columns that can be searched. */
const SEARCH_COLUMNS = ['id', 'login', 'slug', 'name', 'email', 'url'] as const
export type UserSearchColumn = (typeof SEARCH_COLUMNS)[number]

/** Which users, in which order. What is left out does not limit the list. */
export interface UserQuery {
  /** A text that one of `searchColumns` contains, or that is the ID. */
  search?: string
  searchColumns?: readonly UserSearchColumn[]
  include?: readonly number[]
  exclude?: readonly number[]
  slugs?: readonly string[]
  /** Users with one of these roles. */
  roles?: readonly string[]
  /** Users whose roles give one of these capabilities. */
  capabilities?: readonly string[]
  /** Authors of published content of one of these types. */
  authorsOf?: readonly string[]
  orderBy: UserOrder
  order: 'asc' | 'desc'
  limit: number
  offset: number
}

/** A role name that no role has. */
const NO_ROLE = '\0'

type InUsers = ExpressionBuilder<Database, 'users'>
type Condition = Expression<SqlBool>

const never = sql<SqlBool>`1 = 0`

/** Whether a user has published something of one of these types. */
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

/** The conditions of a list of users. */
export class UserConditions {
  readonly #store: Store
  readonly #roles: Roles

  constructor(store: Store, roles: Roles) {
    this.#store = store
    this.#roles = roles
  }

  of(query: UserQuery): (of: InUsers) => Condition {
    const { search = '', searchColumns = [], include = [], exclude = [], slugs = [], authorsOf } = query
    const store = this.#store
    return (of) => {
      const all: Condition[] = []
      if (search !== '') all.push(this.#found(of, searchColumns, search))
      if (include.length > 0) all.push(store.isIn('users.id', include))
      if (exclude.length > 0) all.push(of.not(store.isIn('users.id', exclude)))
      if (slugs.length > 0) all.push(store.isIn('users.slug', slugs))
      if (query.roles !== undefined) all.push(this.#hasRole(of, this.#rolesNamed(query.roles)))
      if (query.capabilities !== undefined) all.push(this.#hasRole(of, this.#rolesWith(query.capabilities)))
      if (authorsOf !== undefined) all.push(hasPublished(of, authorsOf))
      return of.and(all)
    }
  }

  /** All columns are in the SQL: its wording must not depend on which are searched. */
  #found(of: InUsers, searched: readonly UserSearchColumn[], text: string): Condition {
    const id = /^\d{1,9}$/.test(text) ? Number(text) : 0
    const isSearched = (column: UserSearchColumn) => sql<SqlBool>`${Number(searched.includes(column))} = 1`
    const contains = (column: UserSearchColumn) =>
      column === 'id' ? of('users.id', '=', id) : this.#store.contains(`users.${column}`, text)
    return of.or(SEARCH_COLUMNS.map((column) => of.and([isSearched(column), contains(column)])))
  }

  #hasRole(of: InUsers, names: readonly string[]): Condition {
    if (names.length === 0) return never
    return of.exists(
      of
        .selectFrom('user_meta')
        .select(sql`1`.as('one'))
        .whereRef('user_meta.user_id', '=', 'users.id')
        .where('user_meta.key', '=', 'roles')
        // The roles of a user are a JSON list of texts.
        .where((meta) => meta.or(names.map((name) => this.#store.contains('user_meta.value', JSON.stringify(name))))),
    )
  }

  /** The roles with these names, whatever the case: a list may name anything. */
  #rolesNamed(names: readonly string[]): string[] {
    const asked = new Set(names.map((name) => name.toLowerCase()))
    const all = this.#roles.all().map(({ name }) => name)
    const known = all.filter((name) => asked.has(name.toLowerCase()))
    return padded(known, Math.min(asked.size, all.length))
  }

  #rolesWith(capabilities: readonly string[]): string[] {
    const asked = new Set(capabilities)
    const all = this.#roles.all()
    const known = all.filter((role) => [role.name, ...capabilitiesOf(role)].some((name) => asked.has(name)))
    return padded(
      known.map(({ name }) => name),
      all.length,
    )
  }
}

function capabilitiesOf({ capabilities }: Role): string[] {
  return Object.keys(capabilities).filter((name) => capabilities[name] === true)
}

/** Filled up with what no role is called, so that the wording of a statement tells nothing of the values. */
function padded(names: readonly string[], size: number): string[] {
  return [...names, ...Array.from({ length: size - names.length }, () => NO_ROLE)]
}
