import {
  isThenable,
  type Awaitable,
  type RestRequest,
  type Endpoint,
  type Route,
  type RestServer,
} from '../../kernel/index.ts'

/**
 * The methods of a route that the user may use with this very request. A check that fails permits nothing.
 * @param known an endpoint of which it is known that they may
 */
export function allowedMethods(
  server: RestServer,
  route: Route,
  request: RestRequest,
  known: Endpoint | null = null,
): Awaitable<readonly string[]> {
  const permitted = route.endpoints.map((one) => one === known || permits(server, request, one))
  // Most checks return at once, and then nobody waits.
  if (!permitted.some(isThenable)) return methodsOf(route, permitted as boolean[])
  return Promise.all(permitted.map(async (one) => one)).then((late) => methodsOf(route, late))
}

/** The methods of each route, by which of its endpoints are permitted: a bit for each. */
const methodsByRoute = new WeakMap<Route, Map<number, readonly string[]>>()

function methodsOf(route: Route, permitted: readonly boolean[]): readonly string[] {
  let known = methodsByRoute.get(route)
  if (known === undefined) methodsByRoute.set(route, (known = new Map()))
  let which = 0
  for (const one of permitted) which = which * 2 + (one ? 1 : 0)
  let methods = known.get(which)
  if (methods === undefined) {
    methods = [...new Set(route.endpoints.flatMap((one, index) => (permitted[index] === true ? one.methods : [])))]
    known.set(which, methods)
  }
  return methods
}

/** Whether the endpoint's check says exactly true; a check that fails does not. */
function permits(server: RestServer, request: RestRequest, endpoint: Endpoint): Awaitable<boolean> {
  try {
    const refused = server.permission(request, endpoint)
    if (!isThenable(refused)) return refused === null
    return refused.then(
      (late) => late === null,
      () => false,
    )
  } catch {
    return false
  }
}
