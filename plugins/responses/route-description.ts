import {
  applySyncFilter,
  type Arguments,
  type ArgumentSchema,
  type Endpoint,
  type RestServer,
  type Route,
} from '../../kernel/index.ts'

/** How an index document shows one endpoint of a route. */
interface EndpointDescription {
  methods: readonly string[]
  allow_batch?: { v1: boolean }
  /** Arguments by name; an empty list where there are none. */
  args: Record<string, unknown> | unknown[]
}

/** How an index document, and OPTIONS, show a route. */
interface RouteDescription {
  namespace: string
  /** The methods of all endpoints shown. */
  methods: string[]
  endpoints: EndpointDescription[]
  /** The schema of the objects behind the route, in the context `help` alone. */
  schema?: unknown
  /** The URL of the route, where it has no captures. */
  _links?: { self: { href: string }[] }
  [further: string]: unknown
}

/** In which detail a route is described: `help` adds the schema of its objects. */
export type DescriptionContext = 'view' | 'help'

/** The keywords of an argument that are shown to clients. */
const KEYWORDS = (
  'title description default type format enum items properties additionalProperties patternProperties minProperties ' +
  'maxProperties minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems ' +
  'maxItems uniqueItems anyOf oneOf'
).split(' ') as (keyof ArgumentSchema)[]

/** Keywords that only the server needs, whatever their value. */
const INTERNAL = new Set(
  'arg_options size_limits sanitize_callback validate_callback auth_callback prepare_callback'.split(' '),
)

/** Descriptions by route and context: the server makes new routes whenever one comes or goes. */
const described = new WeakMap<Route, Partial<Record<DescriptionContext, Record<string, unknown> | null>>>()

/** How index documents and OPTIONS show a route; null for one that they do not show. Made once for each table of routes. */
export function describeRoute(
  { hooks, urls }: RestServer,
  route: Route,
  context: DescriptionContext,
): Record<string, unknown> | null {
  let known = described.get(route)
  if (known === undefined) described.set(route, (known = {}))
  if (known[context] === undefined) {
    const made = describe(route, context, urls.rest(route.pattern))
    known[context] = made === null ? null : applySyncFilter(hooks.rest_route_data, made, route, context)
  }
  return known[context]
}

/** @param url URL of the route, used where it has no captures */
function describe(route: Route, context: DescriptionContext, url: string): RouteDescription | null {
  const shown = route.endpoints.filter((endpoint) => endpoint.show_in_index)
  if (shown.length === 0) return null
  const description: RouteDescription = {
    namespace: route.namespace,
    methods: [...new Set(shown.flatMap((endpoint) => endpoint.methods))],
    endpoints: shown.map(describeEndpoint),
  }
  if (context === 'help' && route.schema !== null) description.schema = shownToClients(route.schema())
  if (!/[([{?*+|\\]/.test(route.pattern)) description._links = { self: [{ href: url }] }
  return description
}

function describeEndpoint({ methods, allow_batch: batch, args }: Endpoint): EndpointDescription {
  return { methods, ...(batch === null ? {} : { allow_batch: batch }), args: describeArguments(args) }
}

function describeArguments(args: Arguments): Record<string, unknown> | unknown[] {
  const entries = Object.entries(args).flatMap(([name, schema]) => {
    if (schema.hidden === true) return []
    const shown = KEYWORDS.filter((keyword) => schema[keyword] !== undefined)
    const described = Object.fromEntries(shown.map((keyword) => [keyword, shownToClients(schema[keyword])]))
    return [[name, { ...described, required: schema.required === true }] as const]
  })
  return entries.length === 0 ? [] : Object.fromEntries(entries)
}

/** A schema as clients read it: nothing that only the server needs, and a map without entries as an empty list. */
function shownToClients(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shownToClients)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'function' || INTERNAL.has(key) ? [] : [[key, shownToClients(inner)] as const],
  )
  return entries.length === 0 ? [] : Object.fromEntries(entries)
}
