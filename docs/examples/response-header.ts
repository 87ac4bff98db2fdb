// Adds a header to every response: those of the REST API, pages and files.
import { definePlugin } from 'svc-rest'

interface ResponseHeaderOptions {
  /** What the header says. */
  policy: string
}

/** Sends `Permissions-Policy` with everything. */
export default definePlugin<ResponseHeaderOptions>({
  name: 'response-header',
  options: { policy: { default: 'camera=(), microphone=()', type: 'string' } },
  apply({ hooks }, { policy }) {
    hooks.rest_pre_serve_request.tap({ name: 'response-header', dependsOn: 'nothing' }, (served, { response }) => {
      response.headers.set('Permissions-Policy', policy)
      return served
    })
    hooks.site_headers.tap('response-header', (headers) => headers.set('Permissions-Policy', policy))
  },
})
