import {
  applyFilter,
  definePlugin,
  makeRoute,
  RestResponse,
  type Awaitable,
  type EndpointGroup,
  type PluginContext,
  type RestRequest,
  type RestServer,
  type Route,
} from '../../kernel/index.ts'
import { describeRoute, type DescriptionContext } from './route-description.ts'
import { ItemBody, Json, schemeKey } from '../library/caching/index.ts'
import { gmtOffset, isTimeZone, nextOffsetChange } from '../resources/index.ts'

export interface IndexDocumentsOptions {
  /** URL of a help page that the index links to. */
  help: string
}

type RouteMap = Record<string, Record<string, unknown>>

/** Descriptions of routes, and their JSON text once needed. */
interface RouteDescriptions {
  readonly routes: Readonly<RouteMap>
  text?: string
}

/** Options that the index contains. */
const INDEX_OPTIONS = [
  'title',
  'description',
  'timezone',
  'site_logo',
  'site_icon',
  'show_on_front',
  'page_on_front',
  'page_for_posts',
] as const

/** Describes the REST API at its root, and each namespace at its own URL (specification 4.3). */
export default definePlugin<IndexDocumentsOptions>({
  name: 'index-documents',
  needs: ['settings'],
  options: {
    help: { default: 'https://www.npmjs.com/package/svc-rest', type: 'string' },
  },
  apply(plugin, { help }) {
    const documents = new IndexDocuments(plugin, help)
    // Runs first, so that other taps see the index routes like any other route.
    plugin.hooks.rest_endpoints.tap({ name: 'index-documents', stage: -1000 }, (routes) => documents.addTo(routes))
  },
})

class IndexDocuments {
  readonly #plugin: PluginContext
  readonly #help: string
  /** Descriptions by route table. */
  readonly #described = new WeakMap<ReadonlyMap<string, Route>, Map<string, RouteDescriptions>>()

  constructor(plugin: PluginContext, help: string) {
    this.#plugin = plugin
    this.#help = help
  }

  /** Returns the routes with `/`, and with the URL of each namespace before its first route. */
  addTo(routes: ReadonlyMap<string, Route>): Map<string, Route> {
    const all = new Map<string, Route>()
    const add = (route: Route) => {
      if (!routes.has(route.pattern)) all.set(route.pattern, route)
    }
    add(this.#route('', { context: { default: 'view' } }, (request) => this.root(request)))
    for (const [pattern, route] of routes) {
      const { namespace } = route
      if (namespace !== '' && !all.has(`/${namespace}`)) {
        const args = { namespace: { default: namespace }, context: { default: 'view' } }
        add(this.#route(namespace, args, (request) => this.ofNamespace(namespace, request)))
      }
      all.set(pattern, route)
    }
    return all
  }

  /** Creates the index of the site, limited to the properties in `_fields`. */
  async root(request: RestRequest): Promise<RestResponse> {
    const { hooks, services, urls, server, branding, since } = this.#plugin
    const options = await services.options.many(INDEX_OPTIONS)
    const zone = options.timezone
    const change = isTimeZone(zone) ? nextOffsetChange(zone) : null
    if (change !== null) request.cacheUntil(change * 1000)
    const logo = Number(options.site_logo ?? 0)
    const icon = Number(options.site_icon ?? 0)
    const data: Record<string, unknown> = {
      name: options.title ?? '',
      description: options.description ?? '',
      url: urls.home,
      home: urls.home,
      gmt_offset: isTimeZone(zone) ? gmtOffset(zone) : 0,
      timezone_string: typeof zone === 'string' && zone.includes('/') ? zone : '',
    }
    if (since('7.0')) {
      data['page_for_posts'] = Number(options.page_for_posts ?? 0)
      data['page_on_front'] = Number(options.page_on_front ?? 0)
      data['show_on_front'] = options.show_on_front ?? 'posts'
    }
    if (request.wants('namespaces')) data['namespaces'] = server.namespaces
    data['authentication'] = []
    const described = request.wants('routes') ? this.#describe(server, null, contextOf(request)) : null
    // A copy: taps can add to it.
    if (described !== null) data['routes'] = { ...described.routes }
    data['site_logo'] = logo
    data['site_icon'] = icon
    data['site_icon_url'] = ''
    const response = new RestResponse(data)
    response.addLink('help', this.#help)
    for (const [type, id] of [['site_logo', logo] as const, ['site_icon', icon] as const]) {
      if (id === 0) continue
      const href = urls.rest(`/${branding.namespace('v2')}/media/${id}`)
      response.addLink(branding.relation('featuredmedia'), href, { embeddable: true, type })
    }
    const index = await applyFilter(hooks.rest_index, response, request)
    if (since('6.2') && !request.wants('_links') && !request.wants('_embedded')) index.links.clear()
    return described === null || request.fields !== null || request.parent !== null
      ? index
      : this.#asText(index, described)
  }

  /** Serializes the index. Most of it are the routes, whose text is cached unless a tap has changed them. */
  #asText(index: RestResponse, described: RouteDescriptions): RestResponse {
    const { data, links } = index
    if (index.isError || index.body !== null || typeof data !== 'object' || data === null || '_links' in data)
      return index
    if (!isSame((data as { routes?: unknown }).routes, described.routes)) return index
    described.text ??= JSON.stringify(described.routes)
    const parts: string[] = []
    for (const [name, value] of Object.entries(data)) {
      const text = name === 'routes' ? described.text : JSON.stringify(value)
      if (text !== undefined) parts.push(`${JSON.stringify(name)}:${text}`)
    }
    const compact = JSON.stringify(this.#plugin.server.compactLinks(links))
    const texts = links.size === 0 ? null : { compact, full: JSON.stringify([...links]) }
    index.body = new ItemBody(Json.fromText(`{${parts.join(',')}}`), texts)
    return index
  }

  /** Creates the index of one namespace. */
  ofNamespace(namespace: string, request: RestRequest): Awaitable<RestResponse> {
    const { hooks, urls, server } = this.#plugin
    const data: Record<string, unknown> = { namespace }
    if (request.wants('routes')) data['routes'] = { ...this.#describe(server, namespace, contextOf(request)).routes }
    const response = new RestResponse(data)
    response.addLink('up', urls.rest())
    return applyFilter(hooks.rest_namespace_index, response, request)
  }

  #route(namespace: string, args: NonNullable<EndpointGroup['args']>, callback: EndpointGroup['callback']): Route {
    return {
      ...makeRoute(namespace, '', { callback, permission_callback: () => true, args, cache: true }),
      owner: this.#plugin.name,
    }
  }

  #describe(server: RestServer, namespace: string | null, context: DescriptionContext): RouteDescriptions {
    const { routes } = server
    let documents = this.#described.get(routes)
    if (documents === undefined) this.#described.set(routes, (documents = new Map()))
    const key = `${context} ${schemeKey()} ${namespace ?? ''}`
    let described = documents.get(key)
    if (described === undefined) {
      const all: RouteMap = {}
      for (const route of routes.values()) {
        if (namespace !== null && route.namespace !== namespace) continue
        const description = describeRoute(server, route, context)
        if (description !== null) all[shownPattern(route)] = description
      }
      described = { routes: all }
      documents.set(key, described)
    }
    return described
  }
}

/**
 * Returns the pattern under which clients look up a route: the route below the namespace in the option `x-shown-route`, or
 * the pattern that the router matches.
 */
function shownPattern({ pattern, namespace, options }: Route): string {
  const shown = options['x-shown-route']
  return typeof shown === 'string' ? `/${namespace}/${shown}` : pattern
}

/** Returns whether a map contains the same descriptions in the same order. */
function isSame(routeMap: unknown, described: Readonly<RouteMap>): boolean {
  if (typeof routeMap !== 'object' || routeMap === null) return false
  const [names, describedNames] = [Object.keys(routeMap), Object.keys(described)]
  return (
    names.length === describedNames.length &&
    names.every((name, index) => name === describedNames[index] && (routeMap as RouteMap)[name] === described[name])
  )
}

function contextOf(request: RestRequest): DescriptionContext {
  return request.get('context') === 'help' ? 'help' : 'view'
}
