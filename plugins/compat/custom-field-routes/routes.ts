import {
  forbidden,
  errors as kernelErrors,
  noParams,
  RestRequest,
  type PluginContext,
  type RestServer,
} from '../../public.ts'
import { errors } from './errors.ts'
import { ServedObjects, type RouteKind } from './objects.ts'

const NAMESPACE = 'acf/v3'
const FIELD = '/?(?P<field>[\\w\\-\\_]+)?'

/** Adds the routes, and replaces the field `acf` of other routes. */
export function addFieldRoutes(plugin: PluginContext, server: RestServer): void {
  const routes = new FieldRoutes(plugin, server)
  const { contentTypes, customFields, extraFields, taxonomies } = plugin.services
  const main = plugin.branding.namespace('v2')
  // The route of a field matches any name after the ID, so routes below an object come first.
  const depth = (base: string) => base.split('/').length
  const types = contentTypes.exposed().toSorted((a, b) => depth(b.rest_base) - depth(a.rest_base))
  for (const type of types) routes.add('post', type.rest_base, contentTypes.itemsRoute(type))
  for (const taxonomy of taxonomies.exposed()) routes.add('term', taxonomy.rest_base, taxonomies.itemsRoute(taxonomy))
  routes.add('comment', 'comments', `/${main}/comments`)
  routes.addOptions()
  routes.add('user', 'users', `/${main}/users`)
  for (const objectType of customFields.objectTypes()) {
    if (objectType.endsWith('-revision')) continue
    extraFields.register(objectType, 'acf', {
      get_callback: ({ id }, _name, request) => routes.shown(objectType, Number(id), request),
      update_callback: null,
      override: true,
    })
    extraFields.register(objectType, 'fields', {
      update_callback: async (values, object: { id: number }, _name, request) => {
        if (isObject(values)) await customFields.write(objectType, object.id, values, request)
      },
    })
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
/** Returns a route with the values of its captures: faces of a font have the ID of the font in their route. */
const filled = (route: string, { captures }: RestRequest) =>
  route.replaceAll(/\(\?P<(\w{1,100})>[^()]{0,100}\)/g, (_pattern, name: string) => textOf(captures[name]))

class FieldRoutes {
  readonly #plugin: PluginContext
  readonly #server: RestServer
  readonly #objects: ServedObjects

  constructor(plugin: PluginContext, server: RestServer) {
    this.#plugin = plugin
    this.#server = server
    this.#objects = new ServedObjects(plugin)
  }

  /** Adds the routes of one kind of objects. @param items route of their list in the main namespace */
  add(kind: RouteKind, base: string, items: string): void {
    this.#server.registerRoute(NAMESPACE, `/${base}/(?P<id>[\\d]+)${FIELD}`, {
      0: {
        methods: 'GET',
        callback: (request) => this.#one(kind, request),
        permission_callback: () => true,
      },
      1: {
        methods: ['POST', 'PUT', 'PATCH'],
        callback: (request) => this.#update(kind, request),
        permission_callback: async (request) =>
          (await this.#objects.isEditable(kind, idOf(request), request)) ||
          forbidden(request, kernelErrors.rest_forbidden),
      },
    })
    this.#server.registerRoute(NAMESPACE, `/${base}`, {
      methods: 'GET',
      callback: (request) => this.#list(kind, items, request),
      permission_callback: () => true,
    })
  }

  /** Adds the routes of option pages. */
  addOptions(): void {
    const { capabilities, customFields } = this.#plugin.services
    const shown = async (request: RestRequest) => {
      const values = await customFields.pageValues(String(request.captures['id']), request)
      return this.#answer(Object.keys(values).length > 0 ? values : this.#unbound(), request)
    }
    this.#server.registerRoute(NAMESPACE, `/options/(?P<id>[\\w\\-\\_]+)${FIELD}`, {
      0: { methods: 'GET', callback: shown, permission_callback: () => true },
      1: {
        methods: ['POST', 'PUT', 'PATCH'],
        callback: async (request) => {
          await customFields.writePage(String(request.captures['id']), sentFields(request))
          return shown(request)
        },
        permission_callback: (request) =>
          capabilities.can(request.user, 'manage_options') || forbidden(request, kernelErrors.rest_forbidden),
      },
    })
  }

  /** Returns the values of an object: the stored ones; null for each field if it stores none. */
  async shown(objectType: string, id: number, request: RestRequest): Promise<Record<string, unknown> | false> {
    const { customFields } = this.#plugin.services
    const stored = await customFields.storedValues(objectType, id, request)
    if (Object.keys(stored).length > 0) return stored
    const isPost = this.#plugin.services.contentTypes.get(objectType) !== undefined
    return isPost ? withoutValues(await customFields.names(objectType, id, request)) : this.#unbound()
  }

  #unbound(): Record<string, unknown> | false {
    return withoutValues(this.#plugin.services.customFields.unboundNames())
  }

  /** Objects that do not exist and objects that the user cannot read have no values. */
  async #one(kind: RouteKind, request: RestRequest) {
    const object = await this.#objects.find(kind, idOf(request), request)
    const isReadable =
      object !== null &&
      (await this.#ask('GET', filled(object.route, request), request, { _fields: 'id' })).status === 200
    return this.#answer(isReadable ? await this.shown(object.objectType, object.id, request) : this.#unbound(), request)
  }

  #answer(values: Record<string, unknown> | false, request: RestRequest) {
    const name = request.captures['field']
    if (typeof name !== 'string' || name === '') return { acf: values }
    return { [name]: values !== false && Object.hasOwn(values, name) ? values[name] : null }
  }

  /** The route of the main namespace selects the objects, with its permissions and arguments. */
  async #list(kind: RouteKind, items: string, request: RestRequest) {
    const preset = kind === 'term' ? { orderby: 'id', hide_empty: true } : {}
    const { _fields: _, acf_format: __, ...query } = request.query
    const listed = await this.#ask('GET', filled(items, request), request, { ...preset, ...query, _fields: 'id' })
    if (listed.isError) return listed
    const ids = (listed.data as { id: number }[]).map(({ id }) => id)
    return Promise.all(
      ids.map(async (id) => {
        const object = await this.#objects.find(kind, id, request)
        return { id, acf: object === null ? false : await this.shown(object.objectType, id, request) }
      }),
    )
  }

  async #update(kind: RouteKind, request: RestRequest) {
    const fields = sentFields(request)
    const object = await this.#objects.find(kind, idOf(request), request)
    if (object === null) throw errors.cant_update_item()
    const written = await this.#ask('POST', filled(object.route, request), request, { _fields: 'id' }, { fields })
    if (written.isError) return written
    return this.#answer(await this.shown(object.objectType, object.id, request), request)
  }

  #ask(method: string, route: string, parent: RestRequest, query: Record<string, unknown>, json?: object) {
    const params = Object.assign(noParams(), query)
    return this.#server.dispatch(new RestRequest(method, route, { query: params, json, parent }))
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function withoutValues(names: readonly string[]): Record<string, null> | false {
  return names.length === 0 ? false : Object.fromEntries(names.map((name) => [name, null]))
}

const idOf = (request: RestRequest): number => Number(request.captures['id'])

/** @throws cant_update_item */
function sentFields(request: RestRequest): Record<string, unknown> {
  const fields = request.get('fields')
  if (!isObject(fields) || Object.keys(fields).length === 0) throw errors.cant_update_item()
  return fields
}
