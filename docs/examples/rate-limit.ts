// Lets each client ask so many times a minute: pages, files and the REST API alike, kept responses too.
import { defineErrors, definePlugin } from 'svc-rest'

interface RequestsOptions {
  /** Requests that one client may send in a minute. */
  most: number
}

const errors = defineErrors({
  rest_too_many_requests: [429, (most: number) => `Send ${most} requests in a minute at most, and try again then.`],
})

/** Refuses clients that ask too often. Each process counts for itself. */
export default definePlugin<RequestsOptions>({
  name: 'request-limit',
  options: { most: { default: 600, type: 'integer', minimum: 1 } },
  apply({ hooks, onRemove }, { most }) {
    /** Requests in this minute, by IP address. */
    const counts = new Map<string, number>()
    const minute = setInterval(() => counts.clear(), 60_000).unref()
    onRemove(() => clearInterval(minute), 'timer of the minute')

    hooks.request_received.tap('request-limit', (page, request) => {
      const count = (counts.get(request.ip) ?? 0) + 1
      counts.set(request.ip, count)
      request.responseHeaders.set('RateLimit-Remaining', String(Math.max(0, most - count)))
      if (count <= most) return page
      request.responseHeaders.set('Retry-After', '60')
      throw errors.rest_too_many_requests(most)
    })
  },
})
