import type { Registered } from './route-table.ts'
import { allowsMethod, warningsAbout } from './routes.ts'

/** Facts and sentence, as the log takes them. */
type Advice = [facts: object, warning: string]

/** What the log is told of a route that is being registered. @param given the namespace as it is written */
export function adviceAbout(
  entry: Registered,
  given: string,
  registered: Iterable<Registered>,
  initialising: boolean,
): Advice[] {
  const { route, registrant } = entry
  const warnings = warningsAbout(route, given)
  if (!initialising) {
    warnings.push('a route is registered outside of rest_api_init: register it in a tap of that hook')
  }
  const at = warnings.length === 0 ? null : registrant.at()
  const facts = { route: route.pattern, plugin: route.owner, ...(at !== null && { at }) }
  return [...warnings.map((warning): Advice => [facts, warning]), ...collisions(entry, registered)]
}

/**
 * What the log is told of a route whose endpoints are never asked, because another plugin has the same pattern and the
 * same methods already. Endpoints for other methods stand beside those of others.
 */
function collisions(later: Registered, registered: Iterable<Registered>): Advice[] {
  const { route: made, override } = later
  if (override) return []
  const warnings: Advice[] = []
  const methods = made.endpoints.flatMap((endpoint) => endpoint.methods)
  for (const first of registered) {
    const { route } = first
    if (route.pattern !== made.pattern || route.owner === made.owner) continue
    const taken = methods.filter((method) => route.endpoints.some((endpoint) => allowsMethod(endpoint, method)))
    if (taken.length === 0) continue
    // The one to be told is who is no default.
    const told = later.registrant.trusted ? first.registrant : later.registrant
    const { plugin } = told
    const place = told.at()
    warnings.push([
      { plugin, of: plugin === route.owner ? made.owner : route.owner, ...(place !== null && { at: place }) },
      `${made.owner} registers ${taken.join(', ')} ${made.pattern}, which ${route.owner} answers already: the endpoint of ${made.owner} is never asked. Choose another path, or register the one that counts with override`,
    ])
  }
  return warnings
}
