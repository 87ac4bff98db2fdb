import { allowedMethods } from '../resources/index.ts'
import { definePlugin, isThenable } from '../../kernel/index.ts'
import { checkSizes } from '../requests/arguments/index.ts'

/**
 * Lists in `Allow` the methods of the matched route that the user can use with the parameters of this request
 * (specification 4.4).
 */
export default definePlugin({
  name: 'allow-header',
  apply({ hooks }) {
    hooks.rest_post_dispatch.tapPromise('allow-header', (response, server, request) => {
      const route = response.matchedRoute === null ? undefined : server.routes.get(response.matchedRoute)
      if (route === undefined) return response
      const { endpoint, isError } = response
      // The permission to read has just been checked, and reading changes nothing.
      const permitted = !isError && (request.method === 'GET' || request.method === 'HEAD') ? endpoint : null
      // If a parameter exceeds the size limits of an endpoint, permissions are checked with the parameters of the URL
      // path only.
      const endpoints = route.endpoints.filter((one) => one !== permitted)
      const params = endpoints.length === 0 ? {} : request.requestParams()
      if (endpoints.some(({ args }) => checkSizes(args, params) !== null)) request.useChecked(request.captures)
      const setAllow = (methods: readonly string[]) => {
        if (methods.length > 0) response.headers.set('Allow', methods.join(', '))
        return response
      }
      const methods = allowedMethods(server, route, request, permitted)
      return isThenable(methods) ? methods.then(setAllow) : setAllow(methods)
    })
  },
})
