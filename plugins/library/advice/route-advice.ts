import { allowsMethod, type Registered, type Route } from '../../../kernel/index.ts'
import { firstPlace } from './first-place.ts'

/** Fields and message of a log line. */
type Advice = [facts: object, warning: string]

/** Returns the warnings about a route that is being registered. @param rawNamespace the namespace as written */
export function adviceAbout(
  entry: Registered,
  rawNamespace: string,
  registered: Iterable<Registered>,
  initialising: boolean,
): Advice[] {
  const { route, registrant } = entry
  const warnings = warningsAbout(route, rawNamespace)
  if (!initialising) {
    warnings.push('a route is registered outside of rest_api_init: register it in a tap of that hook')
  }
  const at = warnings.length === 0 ? null : registrant.at()
  const facts = { route: route.pattern, plugin: route.owner, ...(at !== null && { at }) }
  return [...warnings.map((warning): Advice => [facts, warning]), ...collisions(entry, registered)]
}

/**
 * Returns warnings about endpoints that are never called, because the same pattern already has their methods. Endpoints
 * for other methods are added to the existing ones.
 */
function collisions(later: Registered, registered: Iterable<Registered>): Advice[] {
  const { route: added, override } = later
  const methods = added.endpoints.flatMap((endpoint) => endpoint.methods)
  const repeated = methods.filter((method, index) => methods.indexOf(method) !== index)
  const { trusted } = later.registrant
  const warnings = trusted || repeated.length === 0 ? [] : [twice(later, repeated, null)]
  if (override) return warnings
  for (const first of registered) {
    const { route } = first
    if (route.pattern !== added.pattern) continue
    const duplicates = methods.filter((method) => route.endpoints.some((endpoint) => allowsMethod(endpoint, method)))
    if (duplicates.length === 0) continue
    if (route.owner === added.owner) {
      // Default plugins do so for types of other plugins, which get a separate warning.
      if (!trusted) warnings.push(twice(later, duplicates, first.registrant.at()))
      continue
    }
    // The warning is for the third-party plugin.
    const registrant = later.registrant.trusted ? first.registrant : later.registrant
    const { plugin } = registrant
    const place = registrant.at()
    warnings.push([
      { plugin, of: plugin === route.owner ? added.owner : route.owner, ...(place !== null && { at: place }) },
      `${added.owner} registers ${duplicates.join(', ')} ${added.pattern}, which ${route.owner} already handles: the endpoint of ${added.owner} is never called. Choose another path, or register the one that counts with override`,
    ])
  }
  return warnings
}

/**
 * Creates the warning about a route that its plugin has registered before. @param first location of the first
 * registration
 */
function twice({ route, registrant }: Registered, methods: readonly string[], first: string | null): Advice {
  const at = registrant.at()
  const facts = { plugin: route.owner, of: route.owner, ...(at !== null && { at }), ...(first !== null && { first }) }
  const label = `${[...new Set(methods)].join(', ')} ${route.pattern}`
  return [
    facts,
    `${route.owner} registers ${label} twice${firstPlace(first)}: the second callback is never called. Remove one of the two, or register the one that counts with override`,
  ]
}

/** Returns warnings about a route that works nevertheless. */
function warningsAbout({ namespace, pattern, endpoints }: Route, rawNamespace: string): string[] {
  const warnings: string[] = []
  // A route that looks like a namespace itself, such as /batch/v1, cannot collide.
  const alone = /^\/[\w.~-]+\/v\d+$/.test(pattern)
  if (namespace === '' && !alone)
    warnings.push('a route has no namespace: give it one, such as name/v1, or it can collide with others')
  else if (namespace !== '' && namespace !== rawNamespace)
    warnings.push('the namespace of a route begins or ends with a slash: leave the slashes out')
  else if (namespace !== '' && !/^[\w.~-]+(?:\/[\w.~-]+)*$/.test(namespace))
    warnings.push('the namespace of a route is not a plain path: move variable parts into the route')
  if (namespace !== '' && pattern === `/${namespace}`)
    warnings.push('a route replaces the index of its namespace: give it a path below')
  if (endpoints.some(({ permission_callback: check }) => check === null)) {
    warnings.push('a route without a permission check is public')
  }
  return warnings
}
