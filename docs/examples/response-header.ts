// Adds a header to every response: those of the REST API, pages and files, kept or refused.
import { definePlugin } from 'svc-rest'

interface ResponseHeaderOptions {
  /** What the header says. */
  policy: string
}

/** Sends `Cross-Origin-Opener-Policy` with everything. */
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
