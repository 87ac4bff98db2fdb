import {
  applyFilter,
  applySyncFilter,
  forbidden,
  RestResponse,
  runAction,
  type ErrorMaker,
  type Link,
  type PermissionCheck,
  type PluginContext,
  type RestError,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import {
  formatUtc,
  toIso,
  Controller,
  SCHEMA_DRAFT,
  type ItemSchema,
  type PropertySchema,
  type Selection,
} from '../../resources/index.ts'
import { userErrors, type User } from '../users/index.ts'
import { errors } from './errors.ts'
import { SCOPES, type ApplicationPassword, type ApplicationPasswordChange, type Scope } from './model.ts'
import type { Usage } from './usage.ts'

/** An application password in a response; includes the secret only right after its creation. */
type Shown = ApplicationPassword & { readonly password?: string }

/** The routes of application passwords, below the routes of their users. */
export class ApplicationPasswordsController extends Controller<Shown> {
  readonly #available: (request: RestRequest) => boolean
  readonly #usage: Usage

  /**
   * @param available whether a request can manage application passwords
   * @param usage uses that are not written yet
   */
  constructor(plugin: PluginContext, available: (request: RestRequest) => boolean, usage: Usage) {
    const base = 'users/(?P<user_id>(?:[\\d]+|me))/application-passwords'
    super(plugin, plugin.branding.namespace('v2'), base, 'application-password')
    this.#available = available
    this.#usage = usage
  }

  override register(server: RestServer): void {
    const schema = () => this.publicSchema()
    const context = { context: this.contextParam('view') }
    // The time and IP address of the last use are written later, outside the requests that read them.
    const cache = false
    server.registerRoute(this.namespace, this.restBase, {
      cache,
      0: {
        callback: (request) => this.#list(request),
        permission_callback: this.#may('list_app_passwords', errors.rest_cannot_list_application_passwords),
        args: context,
      },
      1: {
        methods: 'POST',
        callback: (request) => this.#create(request),
        permission_callback: this.#may('create_app_password', errors.rest_cannot_create_application_passwords),
        args: this.itemArguments('create'),
      },
      2: {
        methods: 'DELETE',
        callback: (request) => this.#revokeAll(request),
        permission_callback: this.#may('delete_app_passwords', errors.rest_cannot_delete_application_passwords),
      },
      schema,
    })
    server.registerRoute(this.namespace, `${this.restBase}/introspect`, {
      cache,
      0: {
        callback: (request) => this.#introspect(request),
        permission_callback: (request) => this.#mayIntrospect(request),
        args: context,
      },
      schema,
    })
    server.registerRoute(this.namespace, `${this.restBase}/(?P<uuid>[\\w\\-]+)`, {
      cache,
      0: {
        callback: async (request) => this.prepare(await this.#itemOf(request), request),
        permission_callback: this.#may('read_app_password', errors.rest_cannot_read_application_password),
        args: context,
      },
      1: {
        methods: ['POST', 'PUT', 'PATCH'],
        callback: (request) => this.#update(request),
        permission_callback: this.#may('edit_app_password', errors.rest_cannot_edit_application_password),
        args: this.itemArguments('update'),
      },
      2: {
        methods: 'DELETE',
        callback: (request) => this.#revoke(request),
        permission_callback: this.#may('delete_app_password', errors.rest_cannot_delete_application_password),
      },
      schema,
    })
  }

  protected override get hookName(): string {
    return 'application_password'
  }

  protected override itemSchema(): ItemSchema {
    const everywhere = ['view', 'edit', 'embed']
    const readOnly = (description: string, more: Partial<PropertySchema>): PropertySchema => ({
      description,
      context: ['view', 'edit'],
      readonly: true,
      ...more,
    })
    return {
      $schema: SCHEMA_DRAFT,
      title: 'application-password',
      type: 'object',
      properties: {
        uuid: readOnly('UUID of the application password.', { type: 'string', format: 'uuid', context: everywhere }),
        app_id: {
          description: 'UUID of the program. Version 5, made from a URL, is recommended.',
          type: 'string',
          context: everywhere,
          oneOf: [
            { type: 'string', format: 'uuid' },
            { type: 'string', enum: [''] },
          ],
        },
        name: {
          description: 'Name of the program that uses the password.',
          type: 'string',
          required: true,
          context: everywhere,
          minLength: 1,
          pattern: '.*\\S.*',
        },
        password: readOnly('The password. It is shown once, when it is made.', { type: 'string', context: ['edit'] }),
        scopes: {
          description:
            'Rights of the password beyond content: accounts for passwords, email addresses, roles and users.',
          type: 'array',
          items: { type: 'string', enum: SCOPES },
          uniqueItems: true,
          context: everywhere,
        },
        created: readOnly('When it was made, in UTC.', { type: 'string', format: 'date-time' }),
        last_used: readOnly('When it was last used, in UTC; to the minute or so.', {
          type: ['string', 'null'],
          format: 'date-time',
        }),
        last_ip: readOnly('IP address from which it was last used.', { type: ['string', 'null'], format: 'ip' }),
      },
    }
  }

  protected override toData(shown: Shown, selection: Selection): Record<string, unknown> {
    const item = this.#usage.seen(shown)
    return selection.pick({
      uuid: item.uuid,
      app_id: item.appId,
      name: item.name,
      created: toIso(formatUtc(item.created)),
      last_used: item.lastUsed === null ? null : toIso(formatUtc(item.lastUsed)),
      last_ip: item.lastIp,
      // Omitted if empty: clients then get the fields they know.
      ...(item.scopes.length > 0 && { scopes: item.scopes }),
      ...(item.password !== undefined && { password: item.password }),
    })
  }

  protected override toLinks(item: Shown): Record<string, Link> {
    return { self: { href: this.#urlOf(item) } }
  }

  async #list(request: RestRequest): Promise<RestResponse> {
    const user = await this.#userOf(request)
    const items = await this.plugin.services.applicationPasswords.list(user.id)
    return new RestResponse(await this.prepareList(items, request))
  }

  async #create(request: RestRequest): Promise<RestResponse> {
    const { hooks, services } = this.plugin
    const user = await this.#userOf(request)
    const change = await applyFilter(hooks.rest_pre_insert_application_password, changeOf(request), request, user)
    const { item, password } = await services.applicationPasswords.create(user.id, change)
    await runAction(hooks.rest_after_insert_application_password, item, request, true)
    const response = await this.#prepareWhole({ ...item, password }, request)
    response.status = 201
    response.headers.set('Location', this.#urlOf(item))
    return response
  }

  async #update(request: RestRequest): Promise<RestResponse> {
    const { hooks, services } = this.plugin
    const user = await this.#userOf(request)
    const { uuid } = await this.#itemOf(request)
    // The program and the scopes are fixed at creation.
    const { appId: _, scopes: __, ...requestedChange } = changeOf(request)
    const change = await applyFilter(hooks.rest_pre_insert_application_password, requestedChange, request, user)
    const item = await services.applicationPasswords.update(user.id, uuid, change)
    await runAction(hooks.rest_after_insert_application_password, item, request, false)
    return this.#prepareWhole(item, request)
  }

  async #revoke(request: RestRequest): Promise<RestResponse> {
    const { hooks, services } = this.plugin
    const item = await this.#itemOf(request)
    const previous = await this.#prepareWhole(item, request)
    await services.applicationPasswords.revoke(item.userId, item.uuid)
    await runAction(hooks.rest_delete_application_password, item, request)
    return new RestResponse({ deleted: true, previous: previous.data })
  }

  async #revokeAll(request: RestRequest): Promise<RestResponse> {
    const { hooks, services } = this.plugin
    const user = await this.#userOf(request)
    const items = await services.applicationPasswords.list(user.id)
    const count = await services.applicationPasswords.revokeAll(user.id)
    for (const item of items) await runAction(hooks.rest_delete_application_password, item, request)
    return new RestResponse({ deleted: true, count })
  }

  async #introspect(request: RestRequest): Promise<RestResponse> {
    const { id, applicationPassword: uuid } = request.user
    const item = uuid === undefined ? undefined : await this.plugin.services.applicationPasswords.get(id, uuid)
    if (item === undefined) throw errors.rest_no_authenticated_app_password()
    return this.prepare(item, request)
  }

  /** Prepares an item in the context `edit`. */
  #prepareWhole(item: Shown, request: RestRequest): Promise<RestResponse> {
    request.set('context', 'edit')
    return this.prepare(item, request)
  }

  /** Returns the check of a capability about the user in the URL. */
  #may(capability: string, refusal: ErrorMaker<[]>): PermissionCheck {
    return async (request) => {
      const user = await this.#userOf(request)
      const { capabilities, users } = this.plugin.services
      const allowed = capabilities.can(request.user, capability, user)
      // An application password lets its holder act as the user.
      if (allowed && (await users.reaches(request.user, user.id, request.scope))) return true
      return forbidden(request, refusal)
    }
  }

  async #mayIntrospect(request: RestRequest): Promise<true | RestError> {
    const user = await this.#userOf(request)
    if (request.user.id === user.id) return true
    return forbidden(request, errors.rest_cannot_introspect_app_password_for_non_authenticated_user)
  }

  /**
   * @throws application_passwords_disabled, application_passwords_disabled_for_user, rest_not_logged_in,
   * rest_user_invalid_id
   */
  async #userOf(request: RestRequest): Promise<User> {
    const { hooks, services } = this.plugin
    if (!this.#available(request)) throw errors.application_passwords_disabled()
    const requestedId = request.get('user_id')
    if (requestedId === 'me' && request.user.id === 0) throw userErrors.rest_not_logged_in()
    const id = requestedId === 'me' ? request.user.id : Number(requestedId)
    const user = await services.users.get(id, request.scope)
    if (user === undefined) throw userErrors.rest_user_invalid_id()
    if (!applySyncFilter(hooks.application_passwords_available_for_user, true, user)) {
      throw errors.application_passwords_disabled_for_user()
    }
    return user
  }

  /** @throws rest_application_password_not_found, and the errors of `#userOf` */
  async #itemOf(request: RestRequest): Promise<ApplicationPassword> {
    const user = await this.#userOf(request)
    const item = await this.plugin.services.applicationPasswords.get(user.id, String(request.get('uuid')))
    if (item === undefined) throw errors.rest_application_password_not_found()
    return item
  }

  #urlOf({ userId, uuid }: ApplicationPassword): string {
    return this.plugin.urls.rest(`/${this.namespace}/users/${userId}/application-passwords/${uuid}`)
  }
}

function changeOf(request: RestRequest): ApplicationPasswordChange {
  const change: ApplicationPasswordChange = {}
  const name = request.get('name')
  const appId = request.get('app_id')
  if (typeof name === 'string') change.name = name
  if (typeof appId === 'string') change.appId = appId
  const scopes = request.get('scopes')
  if (Array.isArray(scopes)) change.scopes = scopes as Scope[]
  return change
}
