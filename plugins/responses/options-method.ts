import { definePlugin, readCaptures, RestResponse } from '../../kernel/index.ts'
import { describeRoute } from './route-description.ts'

/** Responds to OPTIONS with a description of the route: methods, arguments, schema (specification 4.4). */
export default definePlugin({
  name: 'options-method',
  formerNames: ['options'],
  apply({ hooks }) {
    hooks.rest_pre_dispatch.tap('options-method', (result, server, request) => {
      if (result !== null || request.method !== 'OPTIONS') return result
      for (const { route, captures } of server.match(request.route)) {
        const description = describeRoute(server, route, 'help')
        if (description === null) continue
        request.captures = readCaptures(server.arguments, captures, route.endpoints)
        request.matchedRoute = route.pattern
        const response = new RestResponse(description)
        response.matchedRoute = route.pattern
        return response
      }
      return new RestResponse([])
    })
  },
})
