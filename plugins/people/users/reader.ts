import { noCursorFor, type ItemList } from '../../resources/index.ts'
import type { Awaitable, PluginContext, RequestCache } from '../../../kernel/index.ts'
import {
  sql,
  cursorPage,
  isBehind,
  loaderOf,
  orderAsGiven,
  rowsOf,
  type Row,
  type SortColumn,
  type Store,
} from '../../storage/store/index.ts'
import {
  isOfOrderedPage,
  SORTED,
  sortColumnOf,
  tagsOfFields,
  untestedBy,
  type FieldIndex,
} from '../../storage/field-index/index.ts'
import type { Roles } from '../roles/index.ts'
import { errors } from './errors.ts'
import { conditionsOf, hasPublished, inUsers, type UserOrder, type UserQuery } from './query.ts'

const COLUMNS = ['id', 'login', 'slug', 'name', 'email', 'url', 'registered'] as const

/** A user without credentials. `name` is the display name; `registered` is in UTC. */
export interface User extends Readonly<Pick<Row<'users'>, (typeof COLUMNS)[number]>> {
  /** Whether the user is the author of published content that everyone can read. */
  readonly published: boolean
}

/** A page of users, and the total number of users. */
export type UserList = ItemList<User>

const ORDER_COLUMNS = {
  id: 'id',
  name: 'name',
  registered_date: 'registered',
  slug: 'slug',
  email: 'email',
  url: 'url',
} as const satisfies Partial<Record<UserOrder, (typeof COLUMNS)[number]>>

/** Tags of a user; `published` depends on the visibility of posts. */
const USER = { of: (id: number) => [`user:${id}`, 'posts:visibility'] }
/** Tags of every list of users. */
const LIST = ['users', 'posts:visibility']

type UserRow = Omit<User, 'published'> & { published: number }

export class UserReader {
  readonly #store: Store
  readonly #contentTypes: PluginContext['services']['contentTypes']
  readonly #roles: Roles
  readonly #fields: FieldIndex

  constructor({ contentTypes, fieldIndex, roles, store }: PluginContext['services']) {
    this.#store = store
    this.#fields = fieldIndex
    this.#contentTypes = contentTypes
    this.#roles = roles
  }

  /** Returns the user with an ID, batched within a request. */
  get(id: number, scope: RequestCache): Awaitable<User | undefined> {
    return loaderOf(scope, 'users', (ids) => this.readMany(ids), USER).load(id)
  }

  /** Reads users from the database, without a cache. */
  async readMany(ids: readonly number[]): Promise<(User | undefined)[]> {
    const key = `users, published in ${this.publicTypes().join(' ')}`
    const query = this.#store.forIds(key, ids, (some) => this.#select().where('users.id', 'in', some))
    const rows = await rowsOf<UserRow>(this.#store, query, ids, ids.flatMap(USER.of))
    return rows.map((row) => row && toUser(row))
  }

  /** Reads a user from the database, without a cache. @throws rest_user_invalid_id */
  async readOne(id: number): Promise<User> {
    const [user] = await this.readMany([id])
    if (user === undefined) throw errors.rest_user_invalid_id()
    return user
  }

  /** Returns a page of users, and the total number. Does not check permissions. */
  async query(requested: UserQuery): Promise<UserList> {
    const query = await this.#fields.planned('user', [''], requested, requested.orderBy)
    const { orderBy } = query
    const explicitOrder = orderBy === 'include' ? query.include : orderBy === 'include_slugs' ? query.slugs : undefined
    const hasExplicitOrder = explicitOrder !== undefined && explicitOrder.length > 0 && query.ownSort === undefined
    if (query.ownSort !== undefined && query.cursor !== undefined) throw noCursorFor('SQL')
    if (hasExplicitOrder && query.cursor !== undefined) throw noCursorFor(orderBy)
    if (hasExplicitOrder) return this.#queryInExplicitOrder(query, explicitOrder, orderBy === 'include' ? 'id' : 'slug')
    const columns = sortColumns(this.#store, query)
    const { cursor, limit, offset } = query
    const tags = tagsOf(query)
    if (cursor !== undefined) {
      const rows = await this.#store.all<UserRow>(this.#page(query, columns, limit + 1, 0), tags)
      const { items, next } = cursorPage(rows, limit, columns)
      const total = cursor === null && next !== null ? await this.#count(query) : items.length
      for (const item of items) delete (item as { [SORTED]?: unknown })[SORTED]
      return { items: items.map(toUser), next, total }
    }
    const [rows, total] = await Promise.all([
      this.#store.all<UserRow>(this.#page(query, columns, limit, offset), tags),
      this.#count(query),
    ])
    return { items: rows.map(toUser), total }
  }

  #page(query: UserQuery, columns: readonly SortColumn[], limit: number, offset: number) {
    const store = this.#store
    const { cursor, fields, ownSort } = query
    const left = { ...query, ...(fields && { fields: { ...fields, tests: untestedBy(fields), sort: null } }) }
    const ordered = !fields?.sort
      ? null
      : isOfOrderedPage(store, {
          plan: fields,
          table: 'users',
          types: [''],
          statuses: [''],
          columns,
          cursor,
          tests: [conditionsOf(store, this.#roles, left)(inUsers)],
          limit,
          offset,
        })
    let page =
      ordered === null ? this.#select().where(conditionsOf(store, this.#roles, query)) : this.#select().where(ordered)
    if (cursor && ordered === null) page = page.where(isBehind(columns, cursor))
    if (fields?.sort && cursor !== undefined) page = page.select(sql<string>`${columns[0]!.by}`.as(SORTED))
    if (ownSort !== undefined) page = page.orderBy(ownSort.expression, query.order).orderBy('users.id', query.order)
    else for (const { by, direction } of columns) page = page.orderBy(by, direction)
    return ordered === null ? page.limit(limit).offset(offset) : page
  }

  async #count(query: UserQuery): Promise<number> {
    const count = this.#store.db
      .selectFrom('users')
      .select((of) => of.fn.countAll<number>().as('total'))
      .where(conditionsOf(this.#store, this.#roles, query))
    return (await this.#store.first<{ total: number }>(count, tagsOf(query)))?.total ?? 0
  }

  /** Returns the types whose published content makes its author public: everyone can read it through the REST API. */
  publicTypes(): string[] {
    return this.#contentTypes
      .exposed()
      .filter((type) => type.viewable && type.capabilities.read === 'read')
      .map(({ name }) => name)
  }

  /** Returns a page in the order in which the query itself lists users. */
  async #queryInExplicitOrder(
    query: UserQuery,
    explicitOrder: readonly unknown[],
    by: 'id' | 'slug',
  ): Promise<UserList> {
    const rows = await this.#store.all<{ id: number; slug: string }>(
      this.#store.db
        .selectFrom('users')
        .select(['users.id', 'users.slug'])
        .where(conditionsOf(this.#store, this.#roles, query)),
      tagsOf(query),
    )
    const sorted = orderAsGiven<(typeof rows)[number], unknown>(rows, explicitOrder, (row) => row[by], query.order)
    const page = sorted.slice(query.offset, query.offset + query.limit).map(({ id }) => id)
    const found = page.length === 0 ? [] : await this.readMany(page)
    return { items: found.filter((user) => user !== undefined), total: sorted.length }
  }

  #select() {
    return this.#store.db
      .selectFrom('users')
      .select(COLUMNS.map((column) => `users.${column}` as const))
      .select((of) =>
        of.case().when(hasPublished(of, this.publicTypes())).then(sql.lit(1)).else(sql.lit(0)).end().as('published'),
      )
  }
}

/** Returns the tags of a list of users. */
function tagsOf(query: UserQuery): string[] {
  return [...LIST, ...tagsOfFields(query, 'user', [])]
}

function sortColumns(store: Store, { orderBy, order: direction, fields }: UserQuery): SortColumn[] {
  if (fields?.sort)
    return [sortColumnOf(fields.sort, 'users.id', direction), { name: 'id', by: sql.ref('users.id'), direction }]
  const name = ORDER_COLUMNS[orderBy as keyof typeof ORDER_COLUMNS] ?? 'slug'
  const last = { name: 'id', by: sql.ref('users.id'), direction }
  if (name === 'id') return [last]
  const cut = name === 'name'
  return [{ name, by: cut ? store.sortKey('users.name') : sql.ref(`users.${name}`), direction, cut }, last]
}

function toUser({ published, ...row }: UserRow): User {
  return { ...row, published: published === 1 }
}
