import { definePlugin, RestRequest } from '../../../kernel/index.ts'

/** Internal requests before revision 5.3: a string is not a path but an empty set of parameters. */
export default definePlugin({
  name: 'old-requests',
  apply({ hooks }) {
    hooks.rest_ensure_request.tap('old-requests', (request, input) =>
      typeof input === 'string' ? new RestRequest('GET', '/') : request,
    )
  },
})
