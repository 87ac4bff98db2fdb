import {
  checkSizes,
  definePlugin,
  isThenable,
  type Awaitable,
  type Endpoint,
  type RestRequest,
  type RestResponse,
  type RestServer,
  type Route,
} from '../../kernel/index.ts'

/** Tells in `Allow` which methods of the matched route the user may use with this very request (specification 4.4). */
export default definePlugin({
  name: 'allow-header',
  apply({ hooks }) {
    hooks.rest_post_dispatch.tapPromise('allow-header', (response, server, request) => {
      const route = response.matchedRoute === null ? undefined : server.routes.get(response.matchedRoute)
      if (route === undefined) return response
      const { endpoint, isError } = response
      // Reading was permitted just now, and changed nothing.
      const known = !isError && (request.method === 'GET' || request.method === 'HEAD') ? endpoint : null
      if (route.endpoints.length === 1 && route.endpoints[0] === known) return setAllow(response, route, ALL)
      const given = request.givenParams()
      // What is larger than an endpoint looks at is nothing for its check either: the URL alone is checked.
      if (route.endpoints.some(({ args }) => checkSizes(args, given) !== null)) request.useChecked(request.captures)
      const permitted = route.endpoints.map((one) => one === known || permits(server, request, one))
      // Most checks return at once, and then nobody waits.
      if (!permitted.some(isThenable)) return setAllow(response, route, permitted as boolean[])
      return Promise.all(permitted.map(async (one) => one)).then((late) => setAllow(response, route, late))
    })
  },
})

/** That the only endpoint is permitted. */
const ALL: readonly boolean[] = [true]

function setAllow(response: RestResponse, route: Route, permitted: readonly boolean[]): RestResponse {
  const methods = methodsOf(route, permitted)
  if (methods !== '') response.headers.set('Allow', methods)
  return response
}

/** The header for each route, by which of its endpoints are permitted: a bit for each. */
const known = new WeakMap<Route, Map<number, string>>()

/** The methods of the permitted endpoints; '' for none. */
function methodsOf(route: Route, permitted: readonly boolean[]): string {
  let headers = known.get(route)
  if (headers === undefined) known.set(route, (headers = new Map()))
  let which = 0
  for (const one of permitted) which = which * 2 + (one ? 1 : 0)
  let methods = headers.get(which)
  if (methods === undefined) {
    methods = [
      ...new Set(route.endpoints.flatMap((one, index) => (permitted[index] === true ? one.methods : []))),
    ].join(', ')
    headers.set(which, methods)
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
