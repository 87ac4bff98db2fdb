import {
  applySyncFilter,
  type Arguments,
  type ArgumentSchema,
  type Endpoint,
  type RestServer,
  type Route,
} from '../../kernel/index.ts'
import { schemeKey } from '../library/caching/index.ts'

/** Description of an endpoint in an index document. */
interface EndpointDescription {
  methods: readonly string[]
  allow_batch?: { v1: boolean }
  /** Arguments by name; an empty list without arguments. */
  args: Record<string, unknown> | unknown[]
}

/** Description of a route in index documents and in OPTIONS. */
interface RouteDescription {
  namespace: string
  /** The methods of all endpoints shown. */
  methods: string[]
  endpoints: EndpointDescription[]
  /** Schema of the objects of the route; only in the context `help`. */
  schema?: unknown
  /** URL of the route if its pattern has no captures. */
  _links?: { self: { href: string }[] }
  [further: string]: unknown
}

/** Level of detail: `help` adds the schema of the objects. */
export type DescriptionContext = 'view' | 'help'

/** Keywords of arguments that clients see. */
const KEYWORDS = (
  'title description default type format enum items properties additionalProperties patternProperties minProperties ' +
  'maxProperties minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems ' +
  'maxItems uniqueItems anyOf oneOf'
).split(' ') as (keyof ArgumentSchema)[]

/** Keywords that are internal to the server. */
const INTERNAL = new Set(
  'arg_options size_limits references sanitize_callback validate_callback auth_callback prepare_callback'.split(' '),
)

/** Cached descriptions by route, context and scheme of URLs. The server creates new route objects if routes change. */
const described = new WeakMap<Route, Map<string, Record<string, unknown> | null>>()

/**
 * Returns the description of a route for index documents and OPTIONS; null for a hidden route. Cached per route table.
 */
export function describeRoute(
  { hooks, urls }: RestServer,
  route: Route,
  context: DescriptionContext,
): Record<string, unknown> | null {
  let cached = described.get(route)
  if (cached === undefined) described.set(route, (cached = new Map()))
  const key = `${context} ${schemeKey()}`
  let description = cached.get(key)
  if (description === undefined) {
    description = describe(route, context, urls.rest(route.pattern))
    if (description !== null) description = applySyncFilter(hooks.rest_route_data, description, route, context)
    cached.set(key, description)
  }
  return description
}

/** @param url URL of the route, used if the pattern has no captures */
function describe(route: Route, context: DescriptionContext, url: string): RouteDescription | null {
  const shown = route.endpoints.filter((endpoint) => endpoint.show_in_index)
  if (shown.length === 0) return null
  const description: RouteDescription = {
    namespace: route.namespace,
    methods: [...new Set(shown.flatMap((endpoint) => endpoint.methods))],
    endpoints: shown.map(describeEndpoint),
  }
  if (context === 'help' && route.schema !== null) description.schema = toClientSchema(route.schema())
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
    const described = Object.fromEntries(shown.map((keyword) => [keyword, toClientSchema(schema[keyword])]))
    return [[name, { ...described, required: schema.required === true }] as const]
  })
  return entries.length === 0 ? [] : Object.fromEntries(entries)
}

/** Returns a schema for clients: without internal keywords, and with an empty list for an empty map. */
function toClientSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toClientSchema)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'function' || INTERNAL.has(key) ? [] : [[key, toClientSchema(inner)] as const],
  )
  return entries.length === 0 ? [] : Object.fromEntries(entries)
}
