// Adds a header to every response: of the REST API, of pages and files, including cached responses and errors.
import { definePlugin } from 'svc-rest'

interface ResponseHeaderOptions {
  /** Value of the header. */
  policy: string
}

/** Sends `Cross-Origin-Opener-Policy` with every response. */
export default definePlugin<ResponseHeaderOptions>({
  name: 'response-header',
  options: { policy: { default: 'same-origin', type: 'string' } },
  apply({ hooks }, { policy }) {
    hooks.request_received.tap('response-header', (page, { responseHeaders }) => {
      responseHeaders.set('Cross-Origin-Opener-Policy', policy)
      return page
    })
  },
})
