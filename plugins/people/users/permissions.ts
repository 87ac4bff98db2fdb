import { forbidden, type PluginContext, type RestError, type RestRequest } from '../../../kernel/index.ts'
import type { ResourcePermissions } from '../../resources/index.ts'
import { errors } from './errors.ts'
import { checkRoleNames } from './profile.ts'
import type { User } from './reader.ts'

/** Who may do what with users. */
export class UserPermissions implements ResourcePermissions<User> {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  list(request: RestRequest): true | RestError {
    if (this.seesAll(request)) return true
    if (isGiven(request.get('roles')) || isGiven(request.get('capabilities')))
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
    if (request.get('context') !== 'edit' && (user.published || this.#can(request, 'edit_user', user))) return true
    return forbidden(request, errors.rest_user_cannot_view)
  }

  create(request: RestRequest): true | RestError {
    return this.#can(request, 'create_users') || forbidden(request, errors.rest_cannot_create_user)
  }

  async update(user: User, request: RestRequest): Promise<true | RestError> {
    if (await this.#changesRoles(user, request)) {
      if (!this.#can(request, 'promote_user', user)) return forbidden(request, errors.rest_cannot_edit_roles)
      const others = Object.keys(request.givenParams()).filter((name) => name !== 'id' && name !== 'roles')
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

  /** Whether the user who asks sees all users, not authors of public content alone. */
  seesAll(request: RestRequest): boolean {
    return this.#can(request, 'list_users')
  }

  /** In which context the user who asks may see another at all; null for none. */
  visibleContext(user: User, request: RestRequest): 'edit' | 'view' | null {
    const isOwn = user.id === request.user.id
    if (isOwn || this.seesAll(request) || this.#can(request, 'edit_user', user)) return 'edit'
    return user.published ? 'view' : null
  }

  /** Whether the user who asks may edit content, their own or that of others, of a type that has authors. */
  writesContent(request: RestRequest, capability: 'edit_posts' | 'edit_others_posts'): boolean {
    const { contentTypes } = this.#plugin.services
    return contentTypes
      .exposed()
      .some((type) => contentTypes.supports(type.name, 'author') && this.#can(request, type.capabilities[capability]))
  }

  /** Whether the user who asks may read whatever is published of a type. */
  readsContent(name: string, request: RestRequest): boolean {
    const type = this.#plugin.services.contentTypes.get(name)
    return type !== undefined && (type.capabilities.read === 'read' || this.#can(request, type.capabilities.read))
  }

  /**
   * @param user who gets the roles; null for a new user
   * @throws rest_user_invalid_role for roles that the user who asks may not give
   */
  checkRoles(names: readonly string[], user: User | null, request: RestRequest): void {
    const { roles, users } = this.#plugin.services
    checkRoleNames(roles, names)
    const editable = new Set(users.assignableRoles(request.user).map(({ name }) => name))
    for (const name of names)
      if (!editable.has(name))
        throw forbidden(request, errors.rest_user_invalid_role, `You may not give the role ${name}.`)
    // Nobody locks themselves out.
    const keeps = roles.capabilitiesOf(names)['edit_users'] === true
    if (user?.id === request.user.id && !keeps) {
      const sentence = 'You may not take the right to change users from yourself.'
      throw forbidden(request, errors.rest_user_invalid_role, sentence)
    }
  }

  /** Whether the request gives a user roles, or takes all that they have. */
  async #changesRoles(user: User, request: RestRequest): Promise<boolean> {
    const given = request.get('roles')
    if (isGiven(given)) return true
    return given !== undefined && (await this.#plugin.services.users.profile(user.id, request.scope)).roles.length > 0
  }

  /** Whether the other user has no power that the one who asks lacks. */
  #reaches({ id }: User, { user, scope }: RestRequest): Promise<boolean> {
    return this.#plugin.services.users.reaches(user, id, scope)
  }

  #can(request: RestRequest, capability: string, user?: User): boolean {
    return this.#plugin.services.capabilities.can(request.user, capability, user)
  }
}

/** Whether a list is given, checked or not. */
function isGiven(list: unknown): boolean {
  return list !== undefined && !(Array.isArray(list) && list.length === 0)
}
