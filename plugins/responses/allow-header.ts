import { allowedMethods } from '../resources/index.ts'
import { definePlugin, isThenable } from '../../kernel/index.ts'
import { checkSizes } from '../requests/arguments/index.ts'

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
      // What is larger than an endpoint looks at is nothing for its check either: the URL alone is checked.
      const asked = route.endpoints.filter((one) => one !== known)
      const given = asked.length === 0 ? {} : request.givenParams()
      if (asked.some(({ args }) => checkSizes(args, given) !== null)) request.useChecked(request.captures)
      const setAllow = (methods: readonly string[]) => {
        if (methods.length > 0) response.headers.set('Allow', methods.join(', '))
        return response
      }
      const methods = allowedMethods(server, route, request, known)
      return isThenable(methods) ? methods.then(setAllow) : setAllow(methods)
    })
  },
})
