import { cursorOf, includedIds, pageRange, normalizeSlug, valuesOf, type ResourceInput } from '../../resources/index.ts'
import type { PluginContext, RestRequest } from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { UserPermissions } from './permissions.ts'
import { SEARCH_COLUMNS, type UserOrder, type UserQuery, type UserSearchColumn } from './query.ts'
import type { User } from './reader.ts'
import type { NewUser, UserChange } from './writer.ts'

const FIELDS = [
  'name',
  'first_name',
  'last_name',
  'email',
  'url',
  'locale',
  'nickname',
  'slug',
  'roles',
  'password',
] as const

/** Names that pages show. */
const NAMES = ['name', 'first_name', 'last_name', 'nickname'] as const

/** Columns that users who only see authors of published content can search. */
const SEEN_BY_ALL = ['id', 'slug', 'name'] as const satisfies readonly UserSearchColumn[]

/** Parses queries and changes of users from requests. */
export class UserInput implements ResourceInput<User, UserQuery, NewUser | UserChange> {
  readonly #plugin: PluginContext
  readonly #permissions: UserPermissions

  constructor(plugin: PluginContext, permissions: UserPermissions) {
    this.#plugin = plugin
    this.#permissions = permissions
  }

  /**
   * Returns the query of a list for the requesting user: all users, or authors of public content searched by public
   * columns.
   */
  async queryOf(request: RestRequest): Promise<UserQuery> {
    const { fieldIndex } = this.#plugin.services
    const fieldConditions = fieldIndex.has('user') ? await fieldIndex.conditionsOf('user', '', request) : null
    const offset = request.get('offset') as number | undefined
    const query: UserQuery = {
      ...includedIds(request),
      slugs: valuesOf<string>(request, 'slug').flatMap((slug) => [slug.toLowerCase(), normalizeSlug(slug)]),
      orderBy: fieldConditions?.orderby ?? (request.get('orderby') as UserOrder),
      order: request.get('order') as 'asc' | 'desc',
      ...pageRange(request),
      ...cursorOf(request),
      ...(offset !== undefined && { offset: Math.max(offset, 0) }),
    }
    if (fieldConditions !== null && fieldConditions.where.length > 0) query.where = fieldConditions.where
    // Asterisks at the ends are wildcards, and a search finds all texts that contain it.
    const search = trimAsterisks((request.get('search') as string | undefined) ?? '')
    if (search !== '') {
      query.search = search
      query.searchColumns = this.#searchColumns(search, request)
    }
    const roles = valuesOf<string>(request, 'roles')
    if (roles.length > 0) query.roles = roles
    const capabilities = valuesOf<string>(request, 'capabilities')
    if (capabilities.length > 0) query.capabilities = capabilities
    else if (request.get('who') === 'authors') query.capabilities = ['edit_posts']
    const authorsOf = this.#authorsOf(request)
    if (authorsOf !== undefined) query.authorsOf = authorsOf
    return query
  }

  /**
   * Returns the changes of a request to a user, without meta and registered fields.
   * @throws rest_user_exists, rest_user_invalid_argument, rest_user_invalid_role
   */
  async changeOf(request: RestRequest, before: User | null): Promise<NewUser | UserChange> {
    const login = request.get('username') as string | undefined
    if (before === null && request.get('id')) throw errors.rest_user_exists()
    if (before !== null && login !== undefined && login !== before.login) throw errors.rest_user_invalid_argument()
    const change: Record<string, unknown> = {}
    for (const field of FIELDS) {
      const value = request.get(field)
      if (value !== undefined) change[field] = Array.isArray(value) ? [...new Set(value)] : value
    }
    // Stored as HTML, like names of terms: `Q &amp; A`.
    for (const field of NAMES) {
      const name = change[field] as string | undefined
      if (name !== undefined) change[field] = this.#plugin.services.html.filter(name, 'strip')
    }
    const description = request.get('description') as string | undefined
    if (description !== undefined) {
      // Filtered like a comment for every user, because it is shown next to other content.
      change['description'] = await this.#plugin.services.html.filterLong(description, 'user_description')
    }
    const { roles } = change as UserChange
    if (roles !== undefined) this.#permissions.checkRoles(roles, before, request)
    return before === null ? { ...change, login: login!, email: request.get('email') as string } : change
  }

  /** Returns the columns to search: those in the request that the user can see. */
  #searchColumns(search: string, request: RestRequest): readonly UserSearchColumn[] {
    const seesAll = this.#permissions.seesAll(request)
    const declared = Object.hasOwn(request.endpoint?.args ?? {}, 'search_columns')
    const names = declared ? valuesOf<keyof typeof SEARCH_COLUMNS>(request, 'search_columns') : []
    if (names.length === 0) return seesAll ? columnsFor(search) : SEEN_BY_ALL
    const columns = names.map((name) => SEARCH_COLUMNS[name])
    return seesAll ? columns : SEEN_BY_ALL.filter((column) => columns.includes(column))
  }

  /** Returns the content types to whose authors the list is limited; undefined for all users. */
  #authorsOf(request: RestRequest): readonly string[] | undefined {
    const permissions = this.#permissions
    const seesAll = permissions.seesAll(request)
    const types = this.#plugin.services.users.publicTypes()
    const published = request.get('has_published_posts') as boolean | readonly string[] | undefined
    if (Array.isArray(published) && published.length > 0)
      return [...new Set<string>(published)].filter(
        (type) => types.includes(type) || (seesAll && permissions.readsContent(type, request)),
      )
    // A user who assigns authors can choose one who has published nothing yet.
    const seesWriters = request.get('who') === 'authors' && permissions.writesContent(request, 'edit_others_posts')
    return published === true || !(seesAll || seesWriters) ? types : undefined
  }
}

function trimAsterisks(text: string): string {
  let [start, end] = [0, text.length]
  while (text[start] === '*') start += 1
  while (end > start && text[end - 1] === '*') end -= 1
  return text.slice(start, end)
}

/** Returns the columns to search, by the form of the text. */
function columnsFor(search: string): readonly UserSearchColumn[] {
  if (search.includes('@')) return ['email']
  if (/^\d+$/.test(search)) return ['id', 'login']
  return /^https?:\/\//i.test(search) ? ['url'] : ['login', 'slug', 'name', 'email', 'url']
}
