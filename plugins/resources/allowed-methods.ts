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
 * @param known endpoint that is already known to be permitted
 */
export function allowedMethods(
  server: RestServer,
  route: Route,
  request: RestRequest,
  known: Endpoint | null = null,
): Awaitable<readonly string[]> {
  const permitted = route.endpoints.map((one) => one === known || permits(server, request, one))
  // Most checks are synchronous, and then no promise is needed.
  if (!permitted.some(isThenable)) return methodsOf(route, permitted as boolean[])
  return Promise.all(permitted.map(async (one) => one)).then((late) => methodsOf(route, late))
}

/** Cached methods of each route, by a bit mask of its permitted endpoints. */
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
