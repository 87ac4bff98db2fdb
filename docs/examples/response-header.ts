// Adds a header to every response: those of the REST API, pages and files, kept or refused.
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
    hooks.request_received.tap('response-header', (page, { responseHeaders }) => {
      responseHeaders.set('Permissions-Policy', policy)
      return page
    })
  },
})
