import { forbidden, type PluginContext, type RestError, type RestRequest } from '../../../kernel/index.ts'
import type { ResourcePermissions } from '../../resources/index.ts'
import { errors } from './errors.ts'
import type { User } from './reader.ts'

/** Permissions for users. */
export class UserPermissions implements ResourcePermissions<User> {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  list(request: RestRequest): true | RestError {
    if (this.seesAll(request)) return true
    if (isPresent(request.get('roles')) || isPresent(request.get('capabilities')))
      return forbidden(request, errors.rest_user_cannot_view)
    if (request.get('context') === 'edit') return forbidden(request, errors.rest_forbidden_context)
    const order = request.get('orderby')
    if (order === 'email' || order === 'registered_date') return forbidden(request, errors.rest_forbidden_orderby)
    if (request.get('who') === 'authors' && !this.writesContent(request, 'edit_posts'))
      return forbidden(request, errors.rest_forbidden_who)
    return true
  }

  read(user: User, request: RestRequest): true | RestError {
    if (user.id === request.user.id || this.seesAll(request)) return true
    if (request.get('context') === 'edit') return forbidden(request, errors.rest_forbidden_context)
    if (user.published || this.#can(request, 'edit_user', user)) return true
    return forbidden(request, errors.rest_user_cannot_view)
  }

  create(request: RestRequest): true | RestError {
    return this.#can(request, 'create_users') || forbidden(request, errors.rest_cannot_create_user)
  }

  async update(user: User, request: RestRequest): Promise<true | RestError> {
    if (await this.#changesRoles(user, request)) {
      if (!this.#can(request, 'promote_user', user)) return forbidden(request, errors.rest_cannot_edit_roles)
      const others = Object.keys(request.requestParams()).filter((name) => name !== 'id' && name !== 'roles')
      if (others.length === 0)
        return (await this.#reaches(user, request)) || forbidden(request, errors.rest_cannot_edit_roles)
    }
    if (this.#can(request, 'edit_user', user) && (await this.#reaches(user, request))) return true
    return forbidden(request, errors.rest_cannot_edit)
  }

  async delete(user: User, request: RestRequest): Promise<true | RestError> {
    if (this.#can(request, 'delete_user', user) && (await this.#reaches(user, request))) return true
    return forbidden(request, errors.rest_user_cannot_delete)
  }

  /** Whether the requesting user sees all users, not only authors of public content. */
  seesAll(request: RestRequest): boolean {
    return this.#can(request, 'list_users')
  }

  /** Returns the context in which the requesting user can see another user; null for none. */
  visibleContext(user: User, request: RestRequest): 'edit' | 'view' | null {
    const isOwn = user.id === request.user.id
    if (isOwn || this.seesAll(request) || this.#can(request, 'edit_user', user)) return 'edit'
    return user.published ? 'view' : null
  }

  /** Whether the requesting user can edit content, their own or of others, of a type with authors. */
  writesContent(request: RestRequest, capability: 'edit_posts' | 'edit_others_posts'): boolean {
    const { contentTypes } = this.#plugin.services
    return contentTypes
      .exposed()
      .some((type) => contentTypes.supports(type.name, 'author') && this.#can(request, type.capabilities[capability]))
  }

  /** Whether the requesting user can read published content of a type. */
  readsContent(name: string, request: RestRequest): boolean {
    const type = this.#plugin.services.contentTypes.get(name)
    return type !== undefined && (type.capabilities.read === 'read' || this.#can(request, type.capabilities.read))
  }

  /**
   * Checks whether the requesting user can give registered roles; the reference of the argument refuses unknown ones.
   * @param user the user who gets the roles; null for a new user
   * @throws rest_user_invalid_role
   */
  checkRoles(names: readonly string[], user: User | null, request: RestRequest): void {
    const { roles, users } = this.#plugin.services
    const editable = new Set(users.assignableRoles(request.user).map(({ name }) => name))
    for (const name of names)
      if (!editable.has(name))
        throw forbidden(request, errors.rest_user_invalid_role, `You may not give the role ${name}.`)
    // Users cannot lock themselves out.
    const canStillEditUsers = roles.capabilitiesOf(names)['edit_users'] === true
    if (user?.id === request.user.id && !canStillEditUsers) {
      const sentence = 'You may not take the right to change users from yourself.'
      throw forbidden(request, errors.rest_user_invalid_role, sentence)
    }
  }

  /** Whether the request gives roles to a user, or removes all roles. */
  async #changesRoles(user: User, request: RestRequest): Promise<boolean> {
    const requestedRoles = request.get('roles')
    if (isPresent(requestedRoles)) return true
    return (
      requestedRoles !== undefined &&
      (await this.#plugin.services.users.profile(user.id, request.scope)).roles.length > 0
    )
  }

  /** Whether the requesting user has all powers of the other user. */
  #reaches({ id }: User, { user, scope }: RestRequest): Promise<boolean> {
    return this.#plugin.services.users.reaches(user, id, scope)
  }

  #can(request: RestRequest, capability: string, user?: User): boolean {
    return this.#plugin.services.capabilities.can(request.user, capability, user)
  }
}

/** Whether a list is present, validated or not. */
function isPresent(list: unknown): boolean {
  return list !== undefined && !(Array.isArray(list) && list.length === 0)
}
