import { definePlugin, RestRequest } from '../../../kernel/index.ts'

/** Internal requests as they were before revision 5.3: text is no path, but a parameter set without entries. */
export default definePlugin({
  name: 'old-requests',
  apply({ hooks }) {
    hooks.rest_ensure_request.tap('old-requests', (request, input) =>
      typeof input === 'string' ? new RestRequest('GET', '/') : request,
    )
  },
})
