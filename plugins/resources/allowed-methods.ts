import {
  isThenable,
  type Awaitable,
  type RestRequest,
  type Endpoint,
  type Route,
  type RestServer,
} from '../../kernel/index.ts'

/**
 * Returns the methods of a route that the user can use with the parameters of this request. A failed check permits
 * nothing.
 * @param permittedEndpoint endpoint that is already known to be permitted
 */
export function allowedMethods(
  server: RestServer,
  route: Route,
  request: RestRequest,
  permittedEndpoint: Endpoint | null = null,
): Awaitable<readonly string[]> {
  const permitted = route.endpoints.map((one) => one === permittedEndpoint || permits(server, request, one))
  // Most checks are synchronous, and then no promise is needed.
  if (!permitted.some(isThenable)) return methodsOf(route, permitted as boolean[])
  return Promise.all(permitted.map(async (one) => one)).then((late) => methodsOf(route, late))
}

/** Cached methods of each route, by a bit mask of its permitted endpoints. */
const methodsByRoute = new WeakMap<Route, Map<number, readonly string[]>>()

function methodsOf(route: Route, permitted: readonly boolean[]): readonly string[] {
  let methodsByMask = methodsByRoute.get(route)
  if (methodsByMask === undefined) methodsByRoute.set(route, (methodsByMask = new Map()))
  let mask = 0
  for (const one of permitted) mask = mask * 2 + (one ? 1 : 0)
  let methods = methodsByMask.get(mask)
  if (methods === undefined) {
    methods = [...new Set(route.endpoints.flatMap((one, index) => (permitted[index] === true ? one.methods : [])))]
    methodsByMask.set(mask, methods)
  }
  return methods
}

/** Returns whether the permission check of an endpoint returns exactly true. A failed check counts as false. */
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
