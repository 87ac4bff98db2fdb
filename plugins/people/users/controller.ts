import {
  applyFilter,
  applySyncFilter,
  authorizationStatus,
  Controller,
  includedIds,
  RestResponse,
  runAction,
  toIsoUtc,
  valuesOf,
  type Arguments,
  type EndpointGroup,
  type ItemContext,
  type ItemSchema,
  type Link,
  type PluginContext,
  type RestError,
  type RestRequest,
  type RestServer,
  type Selection,
} from '../../../kernel/index.ts'
import type { Role } from '../roles/index.ts'
import { errors } from './errors.ts'
import type { NewUser, Profile, User, UserChange, UserOrder, UserQuery, UserSearchColumn } from './model.ts'
import { DELETE_ARGUMENTS, userListArguments, userSchema } from './schema.ts'

/** Fields that are read from the profile. */
const PROFILE_FIELDS = [
  'first_name',
  'last_name',
  'description',
  'locale',
  'nickname',
  'roles',
  'capabilities',
  'extra_capabilities',
] as const

/** What the site says of people. */
export interface UserSettings {
  /** Language of the site. */
  language: string
  avatars: boolean
}

/** The routes of people: list, one of them, and the one who asks. */
export class UsersController extends Controller<User> {
  readonly #settings: UserSettings

  constructor(plugin: PluginContext, settings: UserSettings) {
    super(plugin, plugin.branding.namespace('v2'), 'users', 'user')
    this.#settings = settings
  }

  override register(server: RestServer): void {
    const schema = () => this.publicSchema()
    const context = { context: this.contextParam('view') }
    const writing = ['POST', 'PUT', 'PATCH']
    server.registerRoute(this.namespace, this.restBase, {
      0: {
        callback: (request) => this.#list(request),
        permission_callback: (request) => this.#mayList(request),
        args: this.collectionParams(),
      },
      1: {
        methods: 'POST',
        callback: (request) => this.#create(request),
        permission_callback: (request) => this.#mayCreate(request),
        args: this.itemArguments('create'),
      },
      schema,
    })
    const item = (who: (request: RestRequest) => Promise<User>): Record<0 | 1 | 2, EndpointGroup> => ({
      0: {
        callback: async (request) => this.prepare(await who(request), request),
        permission_callback: async (request) => this.#mayRead(await who(request), request),
        args: context,
      },
      1: {
        methods: writing,
        callback: async (request) => this.#update(await who(request), request),
        permission_callback: async (request) => this.#mayUpdate(await who(request), request),
        args: this.itemArguments('update'),
      },
      2: {
        methods: 'DELETE',
        callback: async (request) => this.#delete(await who(request), request),
        permission_callback: async (request) => this.#mayDelete(await who(request), request),
        args: DELETE_ARGUMENTS,
      },
    })
    server.registerRoute(this.namespace, `${this.restBase}/(?P<id>[\\d]+)`, {
      args: { id: { description: 'Number of the user.', type: 'integer' } },
      ...item((request) => this.#userOf(request)),
      schema,
    })
    const me = item((request) => this.#whoAsks(request))
    server.registerRoute(this.namespace, `${this.restBase}/me`, {
      ...me,
      // Everybody may ask who they are; visitors learn that they are nobody.
      0: { ...me[0], permission_callback: () => true },
      schema,
    })
  }

  override collectionParams(): Arguments {
    const { context: _, ...common } = super.collectionParams()
    const types = this.plugin.services.contentTypes.exposed().map(({ name }) => name)
    const params = { context: this.contextParam('view'), ...common, ...userListArguments(types) }
    return applySyncFilter(this.plugin.hooks.rest_collection_params.for('user'), params, 'user')
  }

  protected override itemSchema(): ItemSchema {
    const { avatars, meta } = this.plugin.services
    return userSchema({
      avatars: this.#settings.avatars ? avatars.schema('Addresses of pictures of the user, by size.') : null,
      locales: [...new Set(['', 'en_US', this.#settings.language])],
      meta: meta.schemaFor('user', ''),
    })
  }

  protected override async toData(
    user: User,
    selection: Selection,
    request: RestRequest,
  ): Promise<Record<string, unknown>> {
    const { services } = this.plugin
    const { scope } = request
    // Registered fields know the user by their number, whatever else is asked for.
    const data: Record<string, unknown> = { id: user.id }
    const put = (field: string, value: () => unknown) => {
      if (selection.has(field)) data[field] = value()
    }
    // Asked for together, so that the values of all items come from one statement.
    const wantsProfile = PROFILE_FIELDS.some((field) => selection.has(field))
    const [profile, meta, link] = await Promise.all([
      wantsProfile ? services.users.profile(user.id, scope) : NO_PROFILE,
      selection.has('meta') ? services.meta.values('user', '', user.id, request, selection) : null,
      selection.has('link') ? services.permalinks.author(user) : '',
    ])
    put('username', () => user.login)
    put('name', () => user.name)
    put('first_name', () => profile.first_name)
    put('last_name', () => profile.last_name)
    put('email', () => user.email)
    put('url', () => user.url)
    put('description', () => profile.description)
    put('link', () => link)
    put('locale', () => profile.locale || this.#settings.language)
    put('nickname', () => profile.nickname)
    put('slug', () => user.slug)
    put('roles', () => profile.roles)
    put('registered_date', () => toIsoUtc(user.registered))
    put('capabilities', () => ({ ...services.roles.capabilitiesOf(profile.roles) }))
    put('extra_capabilities', () => Object.fromEntries(profile.roles.map((role) => [role, true])))
    put('avatar_urls', () => services.avatars.addresses(user.email))
    put('meta', () => meta)
    return data
  }

  protected override toLinks(user: User): Record<string, Link> {
    return { self: { href: this.href(user.id) }, collection: { href: this.href() } }
  }

  async #list(request: RestRequest): Promise<RestResponse> {
    const { hooks, services } = this.plugin
    const query = await applyFilter(hooks.rest_query.for('user'), this.#queryOf(request), request)
    const { items, total } = await services.users.query(query)
    const response = new RestResponse(await this.prepareList(items, request))
    const perPage = request.get('per_page') as number
    return this.paginate(response, request, { total, perPage, page: Math.ceil(query.offset / perPage) + 1 })
  }

  /** What the list holds for this person: all people, or authors of public content found by what everybody sees. */
  #queryOf(request: RestRequest): UserQuery {
    const { users } = this.plugin.services
    const seesAll = this.#can(request, 'list_users')
    const limit = request.get('per_page') as number
    const query: UserQuery = {
      ...includedIds(request),
      slugs: valuesOf<string>(request, 'slug').map((slug) => slug.toLowerCase()),
      orderBy: request.get('orderby') as UserOrder,
      order: request.get('order') as 'asc' | 'desc',
      limit,
      offset: (request.get('offset') as number | undefined) ?? ((request.get('page') as number) - 1) * limit,
    }
    const search = request.get('search') as string | undefined
    if (search) {
      query.search = search
      query.searchColumns = seesAll ? searchedFor(search) : ['id', 'slug', 'name']
    }
    const roles = valuesOf<string>(request, 'roles')
    if (roles.length > 0) query.roles = roles
    const capabilities = valuesOf<string>(request, 'capabilities')
    if (capabilities.length > 0) query.capabilities = capabilities
    else if (request.get('who') === 'authors') query.capabilities = ['edit_posts']
    // Whoever gives content to authors may choose one who has published nothing so far.
    const seesWriters = request.get('who') === 'authors' && this.#writes(request, 'edit_others_posts')
    const published = request.get('has_published_posts') as boolean | readonly string[] | undefined
    const types = users.publicTypes()
    if (Array.isArray(published) && published.length > 0)
      query.authorsOf = [...new Set(published)].filter(
        (type) => types.includes(type) || (seesAll && this.#readsAll(type, request)),
      )
    else if (published === true || !(seesAll || seesWriters)) query.authorsOf = types
    return { ...query, offset: Math.max(query.offset, 0) }
  }

  /** Whether the person may read whatever is published of a type. */
  #readsAll(name: string, request: RestRequest): boolean {
    const type = this.plugin.services.contentTypes.get(name)
    return type !== undefined && (type.capabilities.read === 'read' || this.#can(request, type.capabilities.read))
  }

  async #create(request: RestRequest): Promise<RestResponse | RestError> {
    const { hooks, services } = this.plugin
    if (request.get('id')) return errors.rest_user_exists()
    const given = await this.#changeOf(request)
    const refused = this.#refuseRoles(given.roles, null, request)
    if (refused !== null) return refused
    const wanted = { ...given, login: request.get('username') as string, email: request.get('email') as string }
    const filtered = (await applyFilter(hooks.rest_pre_insert_user, wanted, request, null)) as NewUser
    const secured = await services.users.secured(filtered)
    const user = await this.#write(request, null, () => services.users.create(secured))
    const response = await this.#prepareWhole(user, request)
    response.status = 201
    response.headers.set('Location', this.href(user.id))
    return response
  }

  async #update(user: User, request: RestRequest): Promise<RestResponse | RestError> {
    const { hooks, services } = this.plugin
    const login = request.get('username') as string | undefined
    if (login !== undefined && login !== user.login) return errors.rest_user_invalid_argument()
    const change = await this.#changeOf(request)
    const refused = this.#refuseRoles(change.roles, user, request)
    if (refused !== null) return refused
    const filtered = await applyFilter(hooks.rest_pre_insert_user, change, request, user)
    const secured = await services.users.secured(filtered)
    const changed = await this.#write(request, user, () => services.users.update(user.id, secured))
    return this.#prepareSeen(changed, request)
  }

  /** Stores a person with meta and registered fields: all of it, or nothing. */
  async #write(request: RestRequest, before: User | null, store: () => Promise<User>): Promise<User> {
    const { hooks, services } = this.plugin
    const creating = before === null
    const written = await services.store.transaction(async () => {
      const user = await store()
      request.scope.clear()
      await runAction(hooks.rest_insert.for('user'), user, request, creating)
      const refused =
        (await services.meta.update('user', '', user, request.get('meta'), request)) ??
        (await services.fields.update('user', user, request))
      if (refused !== null) throw refused
      return user
    })
    request.scope.clear()
    await runAction(hooks.rest_after_insert.for('user'), written, request, creating)
    return written
  }

  /** A person as those who may write them see them. */
  #prepareWhole(user: User, request: RestRequest): Promise<RestResponse> {
    request.set('context', 'edit' satisfies ItemContext)
    return this.prepare(user, request)
  }

  /**
   * A user as far as the person may see them who gives them a role or deletes them: whole, or as readers do, or nothing
   * but their number.
   */
  async #prepareSeen(user: User, request: RestRequest): Promise<RestResponse> {
    const isOwn = user.id === request.user.id
    if (isOwn || this.#can(request, 'edit_user', user) || this.#can(request, 'list_users'))
      return this.#prepareWhole(user, request)
    request.set('context', 'view' satisfies ItemContext)
    return this.#mayRead(user, request) === true ? this.prepare(user, request) : new RestResponse({ id: user.id })
  }

  /** What a request gives of a person, beside login, meta and registered fields. */
  async #changeOf(request: RestRequest): Promise<UserChange> {
    const change: Record<string, unknown> = {}
    for (const field of [
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
    ]) {
      const value = request.get(field)
      if (value !== undefined) change[field] = Array.isArray(value) ? [...new Set(value)] : value
    }
    const description = request.get('description') as string | undefined
    if (description !== undefined) {
      // Shown beside what everybody writes: nobody's is trusted more than a comment.
      change['description'] = await this.plugin.services.html.filterLong(description, 'user_description')
    }
    return change
  }

  async #delete(user: User, request: RestRequest): Promise<RestResponse | RestError> {
    const { hooks, services } = this.plugin
    const reassign = request.get('reassign') as number | null
    if (request.get('force') !== true) return errors.rest_trash_not_supported()
    if (reassign !== null) {
      const heir = reassign === user.id ? undefined : await services.users.get(reassign, request.scope)
      if (heir === undefined) return errors.rest_user_invalid_reassign()
    }
    const previous = await this.#prepareSeen(user, request)
    await services.users.delete(user.id, reassign)
    request.scope.clear()
    const response = new RestResponse({ deleted: true, previous: previous.data })
    await runAction(hooks.rest_delete.for('user'), user, response, request)
    return response
  }

  #mayList(request: RestRequest): true | RestError {
    const refuse = { data: { status: authorizationStatus(request) } }
    if (this.#can(request, 'list_users')) return true
    if (isGiven(request.get('roles')) || isGiven(request.get('capabilities')))
      return errors.rest_user_cannot_view(refuse)
    if (request.get('context') === 'edit') return errors.rest_forbidden_context(refuse)
    const order = request.get('orderby')
    if (order === 'email' || order === 'registered_date') return errors.rest_forbidden_orderby(refuse)
    if (request.get('who') === 'authors' && !this.#writes(request, 'edit_posts'))
      return errors.rest_forbidden_who(refuse)
    return true
  }

  /** Whether the person writes content of a type that has authors, of their own or of others. */
  #writes(request: RestRequest, capability: 'edit_posts' | 'edit_others_posts'): boolean {
    const { contentTypes } = this.plugin.services
    return contentTypes
      .exposed()
      .some(
        ({ name, capabilities }) =>
          contentTypes.supports(name, 'author') && this.#can(request, capabilities[capability]),
      )
  }

  #mayRead(user: User, request: RestRequest): true | RestError {
    if (user.id === request.user.id || this.#can(request, 'list_users')) return true
    const hidden = request.get('context') === 'edit' || !(user.published || this.#can(request, 'edit_user', user))
    return hidden ? errors.rest_user_cannot_view({ data: { status: authorizationStatus(request) } }) : true
  }

  #mayCreate(request: RestRequest): true | RestError {
    if (this.#can(request, 'create_users')) return true
    return errors.rest_cannot_create_user({ data: { status: authorizationStatus(request) } })
  }

  async #mayUpdate(user: User, request: RestRequest): Promise<true | RestError> {
    const refuse = { data: { status: authorizationStatus(request) } }
    if (await this.#decidesRoles(user, request)) {
      if (!this.#can(request, 'promote_user', user)) return errors.rest_cannot_edit_roles(refuse)
      const others = Object.keys(request.givenParams()).filter((name) => name !== 'id' && name !== 'roles')
      if (others.length === 0) return (await this.#reaches(user, request)) || errors.rest_cannot_edit_roles(refuse)
    }
    if (this.#can(request, 'edit_user', user) && (await this.#reaches(user, request))) return true
    return errors.rest_cannot_edit(refuse)
  }

  /** Whether the request gives a person roles, or takes all that they have. */
  async #decidesRoles(user: User, request: RestRequest): Promise<boolean> {
    const given = request.get('roles')
    if (isGiven(given)) return true
    return given !== undefined && (await this.plugin.services.users.profile(user.id, request.scope)).roles.length > 0
  }

  async #mayDelete(user: User, request: RestRequest): Promise<true | RestError> {
    if (this.#can(request, 'delete_user', user) && (await this.#reaches(user, request))) return true
    return errors.rest_user_cannot_delete({ data: { status: authorizationStatus(request) } })
  }

  /** Whether the other person has no power that the one who asks lacks. */
  #reaches({ id }: User, { user, scope }: RestRequest): Promise<boolean> {
    return this.plugin.services.users.reaches(user, id, scope)
  }

  /** Why these roles cannot be given; null when they can. */
  #refuseRoles(names: readonly string[] | undefined, user: User | null, request: RestRequest): RestError | null {
    if (names === undefined) return null
    const { hooks, services } = this.plugin
    const given: Role[] = []
    for (const name of names) {
      const role = services.roles.get(name)
      if (role === undefined) return errors.rest_user_invalid_role(`There is no role ${name}.`)
      given.push(role)
    }
    const refuse = { data: { status: authorizationStatus(request) } }
    const { capabilities, roles } = services
    const holding = roles.all().filter((role) => capabilities.hasPowersOf(request.user, role.capabilities))
    const editable = applySyncFilter(hooks.editable_roles, holding, request.user)
    for (const { name } of given) {
      if (editable.some((role) => role.name === name)) continue
      return errors.rest_user_invalid_role(`You may not give the role ${name}.`, refuse)
    }
    // Nobody locks themselves out.
    const keeps = services.roles.capabilitiesOf(names)['edit_users'] === true
    if (user?.id === request.user.id && !keeps) {
      return errors.rest_user_invalid_role('You may not take the right to change users from yourself.', refuse)
    }
    return null
  }

  #can(request: RestRequest, capability: string, user?: User): boolean {
    return this.plugin.services.capabilities.can(request.user, capability, user)
  }

  /** @throws rest_user_invalid_id */
  async #userOf(request: RestRequest): Promise<User> {
    const user = await this.plugin.services.users.get(Number(request.get('id')), request.scope)
    if (user === undefined) throw errors.rest_user_invalid_id()
    return user
  }

  /** @throws rest_not_logged_in */
  async #whoAsks(request: RestRequest): Promise<User> {
    const { id } = request.user
    const user = id === 0 ? undefined : await this.plugin.services.users.get(id, request.scope)
    if (user === undefined) throw errors.rest_not_logged_in()
    return user
  }
}

const NO_PROFILE: Profile = { first_name: '', last_name: '', nickname: '', description: '', locale: '', roles: [] }

/** What a text is looked for in, by what it looks like. */
function searchedFor(search: string): readonly UserSearchColumn[] {
  if (search.includes('@')) return ['email']
  if (/^\d+$/.test(search)) return ['id', 'login']
  return /^https?:\/\//i.test(search) ? ['url'] : ['login', 'slug', 'name', 'email', 'url']
}

/** Whether a list is given, checked or not. */
function isGiven(list: unknown): boolean {
  return list !== undefined && !(Array.isArray(list) && list.length === 0)
}
