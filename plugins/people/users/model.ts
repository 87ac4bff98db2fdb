import DataLoader from 'dataloader'
import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely'
import {
  applySyncFilter,
  formatUtc,
  ShortLivedCache,
  runAction,
  runWork,
  RequestCache,
  validateValue,
  VISITOR,
  Work,
  type Awaitable,
  type CurrentUser,
  type Hooks,
} from '../../../kernel/index.ts'
import type { ContentTypes } from '../../content/content-types/index.ts'
import type { MetaFields } from '../../content/meta/index.ts'
import type { Posts } from '../../content/posts/index.ts'
import type { Capabilities, Role, Roles } from '../roles/index.ts'
import type { Database, Store } from '../../storage/store/index.ts'
import { errors } from './errors.ts'
import { isPassword, whyNotLogin } from './names.ts'

/** A person with an account, without what nobody but the login needs to know. */
export interface User {
  readonly id: number
  readonly login: string
  /** The name in addresses. */
  readonly slug: string
  /** The name for others to read. */
  readonly name: string
  readonly email: string
  readonly url: string
  /** UTC, as it is stored. */
  readonly registered: string
  /** Whether they are the author of published content that everybody may read. */
  readonly published: boolean
}

/** What is kept of a person in their meta. */
export interface Profile {
  readonly first_name: string
  readonly last_name: string
  readonly nickname: string
  readonly description: string
  /** '' for the language of the site. */
  readonly locale: string
  /** Names of roles; those that nobody registered are left out. */
  readonly roles: readonly string[]
}

type ProfileChange = Partial<Profile>

/** A password of which nothing but the hash is known any more. */
export class HashedPassword {
  readonly hash: string

  constructor(hash: string) {
    this.hash = hash
  }
}

/** What is to change of a person. */
export interface UserChange extends ProfileChange {
  email?: string
  slug?: string
  /** The name for others to read; '' for one that is made of the others. */
  name?: string
  url?: string
  /** The new password, as it is typed, or as `users.secured` gives it back. */
  password?: string | HashedPassword
}

/** A person about to be stored. Without a slug they get one that does not tell their login. */
export interface NewUser extends UserChange {
  login: string
  email: string
}

/** Fields that a list of people can be sorted by; an order of given ids or slugs is by slug where none are given. */
export type UserOrder = 'id' | 'include' | 'name' | 'registered_date' | 'slug' | 'include_slugs' | 'email' | 'url'

/** What people can be found by. */
const SEARCH_COLUMNS = ['id', 'login', 'slug', 'name', 'email', 'url'] as const
export type UserSearchColumn = (typeof SEARCH_COLUMNS)[number]

/** What a list of people holds. */
export interface UserQuery {
  /** A text that one of `searchColumns` contains, or that is the id. */
  search?: string
  searchColumns?: readonly UserSearchColumn[]
  include?: readonly number[]
  exclude?: readonly number[]
  slugs?: readonly string[]
  /** People with one of these roles. */
  roles?: readonly string[]
  /** People whose roles give one of these capabilities. */
  capabilities?: readonly string[]
  /** Authors of published content of one of these types. */
  authorsOf?: readonly string[]
  orderBy: UserOrder
  order: 'asc' | 'desc'
  limit: number
  offset: number
}

/** People with an account: their rows, profiles and rights. */
export interface Users {
  /** The person of an id, batched within a request. */
  get(id: number, scope: RequestCache): Promise<User | undefined>
  /** The profile of a person who is there, batched within a request. */
  profile(id: number, scope: RequestCache): Promise<Profile>
  /** One page of people, and how many there are on all pages. */
  query(query: UserQuery): Promise<{ items: User[]; total: number }>
  /** The id of the person with a login or, where no login is like it, an email address; whatever the case. */
  idOf(loginOrEmail: string): Promise<number | undefined>
  /** The stored hash of a person's password: '' admits none, undefined is nobody. */
  passwordHash(id: number): Promise<string | undefined>
  /**
   * Stores a better hash of the password that a person has.
   * @param from the hash it replaces; one that was changed meanwhile stays
   */
  upgradePasswordHash(id: number, from: string, to: string): Promise<void>
  /**
   * A person as the one who asks, with what their roles allow; undefined when there is nobody of this id. It may be half
   * a second old when something else than this service changed the person. Given at once where it is remembered.
   */
  current(id: number): Awaitable<CurrentUser | undefined>
  /** Whether somebody has no power over the site that the person who asks lacks: then they may be changed, or acted for. */
  reaches(asking: CurrentUser, id: number, scope: RequestCache): Promise<boolean>
  /** Types whose published content makes its author a public one: those that the interface serves to every reader. */
  publicTypes(): string[]
  /**
   * What is to be stored, with its password hashed. For those who store it in a transaction with something else: a hash
   * takes its time, and others wait for the end of a transaction.
   * @throws rest_user_invalid_password, password_queue_full
   */
  secured<T extends UserChange>(change: T): Promise<T>
  /**
   * Stores a new person.
   * @throws existing_user_login, existing_user_email, rest_user_invalid_username, rest_user_invalid_email,
   *   rest_user_invalid_password, rest_user_invalid_role
   */
  create(user: NewUser): Promise<User>
  /**
   * Changes a person. A new password ends all of their sessions.
   * @throws rest_user_invalid_id, rest_user_invalid_email, rest_user_invalid_slug, rest_user_invalid_password,
   *   rest_user_invalid_role
   */
  update(id: number, change: UserChange): Promise<User>
  /**
   * Deletes a person for good, with their sessions, application passwords and meta.
   * @param reassign who gets their content; with null it goes to the trash
   * @throws rest_user_invalid_id, rest_user_invalid_reassign
   */
  delete(id: number, reassign: number | null): Promise<void>
}

/** What the model works with. */
export interface UsersParts {
  store: Store
  hooks: Hooks
  roles: Roles
  capabilities: Capabilities
  meta: MetaFields
  contentTypes: ContentTypes
  /** What is stored of a password. */
  readonly hashPassword: (plain: string) => Promise<string>
  /** A text as a name in addresses. */
  readonly slugify: (text: string) => string
  /** Who has what people write; undefined where nobody does. */
  readonly posts: () => Posts | undefined
  /** The role of people who are given none. */
  readonly defaultRole: () => Promise<string>
}

/** Keys of user meta that belong to the person rather than to a plugin. */
export const PROFILE_KEYS = ['first_name', 'last_name', 'nickname', 'description', 'locale', 'roles'] as const

/** How many people who ask are remembered. */
const MOST_RECENT = 1000

/** A name that no role has. */
const NO_ROLE = '\0'

/** Longest slug, in characters. */
const SLUG_LENGTH = 50

const COLUMNS = ['id', 'login', 'slug', 'name', 'email', 'url', 'registered'] as const
const ORDER_COLUMNS = {
  id: 'id',
  name: 'name',
  registered_date: 'registered',
  slug: 'slug',
  email: 'email',
  url: 'url',
} as const satisfies Partial<Record<UserOrder, (typeof COLUMNS)[number]>>

type UserRow = Omit<User, 'published'> & { published: number }
type InUsers = ExpressionBuilder<Database, 'users'>

/** People over the tables `users` and `user_meta`. */
export function createUsers(parts: UsersParts): Users {
  const { store, hooks, roles, meta, contentTypes, hashPassword, defaultRole } = parts
  const { db } = store
  const LOADER = Symbol('users')

  /** Whether the row's person has published something of one of these types. */
  const hasPublished = (of: InUsers, types: readonly string[]): Expression<SqlBool> => {
    if (types.length === 0) return sql<SqlBool>`1 = 0`
    return of.exists(
      of
        .selectFrom('posts')
        .select(sql`1`.as('one'))
        .whereRef('posts.author_id', '=', 'users.id')
        .where('posts.status', '=', 'publish')
        .where('posts.type', 'in', types),
    )
  }
  const withRole = (of: InUsers, names: readonly string[]): Expression<SqlBool> => {
    if (names.length === 0) return sql<SqlBool>`1 = 0`
    return of.exists(
      of
        .selectFrom('user_meta')
        .select(sql`1`.as('one'))
        .whereRef('user_meta.user_id', '=', 'users.id')
        .where('user_meta.key', '=', 'roles')
        // The roles of a person are a JSON list of texts.
        .where((meta) => meta.or(names.map((name) => store.contains('user_meta.value', JSON.stringify(name))))),
    )
  }
  const select = () =>
    db
      .selectFrom('users')
      .select(COLUMNS.map((column) => `users.${column}` as const))
      .select((of) =>
        of.case().when(hasPublished(of, users.publicTypes())).then(sql.lit(1)).else(sql.lit(0)).end().as('published'),
      )
  const toUser = ({ published, ...row }: UserRow): User => ({ ...row, published: published === 1 })

  const readMany = async (ids: readonly number[]) => {
    const key = `users, published in ${users.publicTypes().join(' ')}`
    const rows = await store.all<UserRow>(store.forIds(key, ids, (some) => select().where('users.id', 'in', some)))
    const byId = new Map(rows.map((row) => [row.id, toUser(row)]))
    return ids.map((id) => byId.get(id))
  }
  const readOne = async (id: number) => {
    const [user] = await readMany([id])
    if (user === undefined) throw errors.rest_user_invalid_id()
    return user
  }

  /** People as those who ask, by id: read again after a moment. */
  const recent = new ShortLivedCache<number, { user: Awaitable<CurrentUser | undefined> }>(store, MOST_RECENT)
  const forgetCurrent = (id: number) => recent.forget((_, other) => other === id)
  const readCurrent = async (id: number): Promise<CurrentUser | undefined> => {
    const row = await store.first<{ id: number; login: string; name: string; roles: string | null }>(
      db
        .selectFrom('users')
        .leftJoin('user_meta', (join) =>
          join.onRef('user_meta.user_id', '=', 'users.id').on('user_meta.key', '=', 'roles'),
        )
        .select(['users.id', 'users.login', 'users.name', 'user_meta.value as roles'])
        .where('users.id', '=', id)
        .orderBy('user_meta.id')
        .limit(1),
    )
    if (row === undefined) return undefined
    const names = knownRoles(parsed(row.roles))
    return Object.freeze({ ...row, roles: names, capabilities: roles.capabilitiesOf(names) })
  }

  const matching = (query: UserQuery) => (of: InUsers) => {
    const { search = '', searchColumns = [], include = [], exclude = [], slugs = [], authorsOf } = query
    const all: Expression<SqlBool>[] = []
    // All columns are in the SQL: its wording must not depend on what is looked for.
    const looked = (column: UserSearchColumn) => sql<SqlBool>`${Number(searchColumns.includes(column))} = 1`
    if (search !== '')
      all.push(of.or(SEARCH_COLUMNS.map((column) => of.and([looked(column), found(of, column, search)]))))
    if (include.length > 0) all.push(store.isIn('users.id', include))
    if (exclude.length > 0) all.push(of.not(store.isIn('users.id', exclude)))
    if (slugs.length > 0) all.push(store.isIn('users.slug', slugs))
    if (query.roles !== undefined) all.push(withRole(of, rolesNamed(query.roles)))
    if (query.capabilities !== undefined) all.push(withRole(of, rolesWith(query.capabilities)))
    if (authorsOf !== undefined) all.push(hasPublished(of, authorsOf))
    return of.and(all)
  }
  const found = (of: InUsers, column: UserSearchColumn, text: string): Expression<SqlBool> => {
    if (column !== 'id') return store.contains(`users.${column}`, text)
    return of('users.id', '=', /^\d{1,9}$/.test(text) ? Number(text) : 0)
  }
  /** The roles that there are of those asked for, whatever the case: a list may name anything. */
  const rolesNamed = (names: readonly string[]) => {
    const asked = new Set(names.map((name) => name.toLowerCase()))
    const all = roles.all().map(({ name }) => name)
    const known = all.filter((name) => asked.has(name.toLowerCase()))
    return padded(known, Math.min(asked.size, all.length))
  }
  const rolesWith = (capabilities: readonly string[]) => {
    const asked = new Set(capabilities)
    const all = roles.all()
    const given = (role: Role) => Object.keys(role.capabilities).filter((name) => role.capabilities[name] === true)
    const known = all.filter((role) => [role.name, ...given(role)].some((name) => asked.has(name)))
    return padded(
      known.map(({ name }) => name),
      all.length,
    )
  }
  /** Filled up with what no role is called, so that the wording of a statement tells nothing of the values. */
  const padded = (names: readonly string[], size: number) => [
    ...names,
    ...Array.from({ length: size - names.length }, () => NO_ROLE),
  ]

  /** One page in the order in which the query itself names people. */
  const inGivenOrder = async (query: UserQuery, given: ReadonlyMap<unknown, number>, by: 'id' | 'slug') => {
    const rows = await store.all<{ id: number; slug: string }>(
      db.selectFrom('users').select(['users.id', 'users.slug']).where(matching(query)),
    )
    const place = (row: { id: number; slug: string }) => given.get(row[by]) ?? given.size
    const sorted = rows.sort((one, other) => place(one) - place(other) || one.id - other.id).map(({ id }) => id)
    if (query.order === 'desc') sorted.reverse()
    const page = sorted.slice(query.offset, query.offset + query.limit)
    const found = page.length === 0 ? [] : await readMany(page)
    return { items: found.filter((user) => user !== undefined), total: sorted.length }
  }

  const isTaken = async (tx: Store, column: 'login' | 'email' | 'slug', value: string, but = 0) =>
    (await tx.first(db.selectFrom('users').select('id').where(column, '=', value).where('id', '<>', but))) !== undefined
  const freeSlug = async (tx: Store, wanted: string) => {
    for (let number = 1; ; number += 1) {
      const slug = number === 1 ? wanted : `${wanted}-${number}`
      if (!(await isTaken(tx, 'slug', slug))) return slug
    }
  }

  // Without half of an encoded letter at its end.
  const slugOf = (text: string) =>
    parts
      .slugify(text)
      .slice(0, SLUG_LENGTH)
      .replace(/(?:%[0-9a-f]?|-)$/, '')

  const hashOf = async (password: string | HashedPassword) => {
    if (password instanceof HashedPassword) return password.hash
    if (!isPassword(password)) throw errors.rest_user_invalid_password()
    return hashPassword(password)
  }
  const checkRoles = (names: readonly string[]) => {
    for (const name of names)
      if (roles.get(name) === undefined) throw errors.rest_user_invalid_role(`There is no role ${name}.`)
  }
  const writeProfile = async (id: number, change: ProfileChange) => {
    const scope = new RequestCache()
    for (const key of PROFILE_KEYS) {
      const value = change[key]
      if (value !== undefined) await meta.write('user', id, key, [value], scope)
    }
  }

  const users: Users = {
    get: (id, scope) =>
      scope.get(LOADER, () => new DataLoader<number, User | undefined>(readMany, { maxBatchSize: 1000 })).load(id),

    async profile(id, scope) {
      const values = await Promise.all(PROFILE_KEYS.map((key) => meta.single('user', id, key, scope)))
      const [first_name, last_name, nickname, description, locale] = values.map((value) =>
        typeof value === 'string' ? value : '',
      ) as [string, string, string, string, string]
      return { first_name, last_name, nickname, description, locale, roles: knownRoles(values[5]) }
    },

    async query(query) {
      const { orderBy, order } = query
      const named = orderBy === 'include' ? query.include : orderBy === 'include_slugs' ? query.slugs : undefined
      if (named !== undefined && named.length > 0) {
        const places = new Map<unknown, number>(named.map((value, place) => [value, place]))
        return inGivenOrder(query, places, orderBy === 'include' ? 'id' : 'slug')
      }
      const column = ORDER_COLUMNS[orderBy as keyof typeof ORDER_COLUMNS] ?? 'slug'
      const key = column === 'name' ? store.sortKey('users.name') : sql.ref(`users.${column}`)
      let page = select().where(matching(query)).orderBy(key, order)
      if (column !== 'id') page = page.orderBy('users.id', order)
      const count = db
        .selectFrom('users')
        .select((of) => of.fn.countAll<number>().as('total'))
        .where(matching(query))
      const [rows, counted] = await Promise.all([
        store.all<UserRow>(page.limit(query.limit).offset(query.offset)),
        store.first<{ total: number }>(count),
      ])
      return { items: rows.map(toUser), total: counted?.total ?? 0 }
    },

    async idOf(loginOrEmail) {
      const by = (column: 'login' | 'email') =>
        store.first<{ id: number }>(
          db.selectFrom('users').select('id').where(column, '=', loginOrEmail).orderBy('id').limit(1),
        )
      if (loginOrEmail === '') return undefined
      return ((await by('login')) ?? (loginOrEmail.includes('@') ? await by('email') : undefined))?.id
    },

    async passwordHash(id) {
      const row = await store.first<{ password_hash: string }>(
        db.selectFrom('users').select('password_hash').where('id', '=', id),
      )
      return row?.password_hash
    },

    async upgradePasswordHash(id, from, to) {
      const upgrade = db.updateTable('users').set({ password_hash: to })
      await store.run(upgrade.where('id', '=', id).where('password_hash', '=', from))
    },

    current(id) {
      const there = recent.get(id)
      if (there !== undefined) return there.user
      const begun = recent.begin()
      // For everybody who asks at the moment, whoever of them goes away.
      const reading = runWork(new Work(), () => readCurrent(id))
      const read: { user: Awaitable<CurrentUser | undefined> } = { user: reading }
      recent.keep(id, read, begun)
      reading.then(
        (user) => void (read.user = user),
        // A failure is told to those who wait, and not kept.
        () => forgetCurrent(id),
      )
      return reading
    },

    async reaches(asking, id, scope) {
      if (id === asking.id) return true
      const theirs = roles.capabilitiesOf((await users.profile(id, scope)).roles)
      return parts.capabilities.hasPowersOf(asking, theirs)
    },

    publicTypes: () =>
      contentTypes
        .exposed()
        .filter((type) => type.viewable && type.capabilities.read === 'read')
        .map(({ name }) => name),

    async secured(change) {
      if (change.password === undefined) return change
      return { ...change, password: new HashedPassword(await hashOf(change.password)) }
    },

    async create(given) {
      const { login, email, url = '', password } = given
      const bad = whyNotLogin(login)
      if (bad !== null) throw errors.rest_user_invalid_username(bad)
      if (applySyncFilter(hooks.illegal_user_logins, []).includes(login.toLowerCase())) {
        throw errors.rest_user_invalid_username('is not available')
      }
      if (email !== '' && !isEmail(email)) throw errors.rest_user_invalid_email()
      const given_roles = given.roles ?? [await defaultRole()]
      checkRoles(given_roles)
      const { first_name = '', last_name = '', description = '', locale = '' } = given
      const nickname = given.nickname || login
      const password_hash = password === undefined ? '' : await hashOf(password)
      const registered = formatUtc(Math.floor(Date.now() / 1000))
      return store.inTurn(async (tx) => {
        if (await isTaken(tx, 'login', login)) throw errors.existing_user_login()
        if (email !== '' && (await isTaken(tx, 'email', email))) throw errors.existing_user_email()
        const row = { login, email, url, password_hash, registered, slug: `new ${login.toLowerCase()}` }
        const { id } = (await tx.first<{ id: number }>(tx.db.insertInto('users').values(row).returning('id')))!
        const name = given.name || nameFor({ id, login }, { first_name, last_name, nickname })
        const slug = await freeSlug(tx, slugOf(given.slug ?? '') || slugOf(name) || `user-${id}`)
        await tx.run(tx.db.updateTable('users').set({ name, slug }).where('id', '=', id))
        await writeProfile(id, { first_name, last_name, nickname, description, locale, roles: given_roles })
        return readOne(id)
      })
    },

    async update(id, change) {
      const { email, slug, name: wantedName, url, password, ...profile } = change
      if (profile.roles !== undefined) checkRoles(profile.roles)
      if (email !== undefined && email !== '' && !isEmail(email)) throw errors.rest_user_invalid_email()
      const wanted = slug === undefined ? undefined : slugOf(slug)
      if (wanted === '') throw errors.rest_user_invalid_slug()
      const password_hash = password === undefined ? undefined : await hashOf(password)
      const changed = await store.inTurn(async (tx) => {
        const { login } = await readOne(id)
        if (profile.nickname === '') profile.nickname = login
        if (email !== undefined && email !== '' && (await isTaken(tx, 'email', email, id)))
          throw errors.rest_user_invalid_email()
        if (wanted !== undefined && (await isTaken(tx, 'slug', wanted, id))) throw errors.rest_user_invalid_slug()
        const nameless = wantedName === '' ? await users.profile(id, new RequestCache()) : null
        const name = nameless === null ? wantedName : nameFor({ id, login }, { ...nameless, ...profile })
        const row = Object.fromEntries(
          Object.entries({ email, slug: wanted, name, url, password_hash }).filter(([, value]) => value !== undefined),
        )
        if (Object.keys(row).length > 0) await tx.run(tx.db.updateTable('users').set(row).where('id', '=', id))
        if (password_hash !== undefined) await tx.run(tx.db.deleteFrom('sessions').where('user_id', '=', id))
        await writeProfile(id, profile)
        return readOne(id)
      })
      forgetCurrent(id)
      if (password_hash !== undefined) await runAction(hooks.password_changed, id)
      return changed
    },

    async delete(id, reassign) {
      await store.inTurn(async (tx) => {
        const user = await readOne(id)
        if (reassign !== null) {
          const [heir] = reassign === id ? [] : await readMany([reassign])
          if (heir === undefined) throw errors.rest_user_invalid_reassign()
        }
        await runAction(hooks.delete_user, user, reassign)
        const posts = parts.posts()
        if (reassign === null) await posts?.trashOf(id, { user: VISITOR, scope: new RequestCache() })
        else await posts?.reassign(id, reassign)
        // Comments keep the name that they were signed with.
        await tx.run(tx.db.updateTable('comments').set({ author_id: 0 }).where('author_id', '=', id))
        await tx.run(tx.db.deleteFrom('users').where('id', '=', id))
      })
      forgetCurrent(id)
    },
  }

  function knownRoles(stored: unknown): string[] {
    const names = Array.isArray(stored) ? stored : []
    return [...new Set(names)].filter(
      (name): name is string => typeof name === 'string' && roles.get(name) !== undefined,
    )
  }
  return users
}

/** What others call a person who says no name. They see it, so it does not tell the login. */
function nameFor(
  { id, login }: Pick<User, 'id' | 'login'>,
  { first_name, last_name, nickname }: Pick<Profile, 'first_name' | 'last_name' | 'nickname'>,
): string {
  return `${first_name} ${last_name}`.trim() || (nickname === login ? '' : nickname) || `User ${id}`
}

function isEmail(text: string): boolean {
  return validateValue(text, { type: 'string', format: 'email' }, 'email') === true
}

function parsed(json: string | null): unknown {
  try {
    return json === null ? null : JSON.parse(json)
  } catch {
    return null
  }
}
