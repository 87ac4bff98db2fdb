// Limits the requests per minute of each client, including pages, files and cached responses.
import { defineErrors, definePlugin } from 'svc-rest'

interface RequestsOptions {
  /** Maximum number of requests per client and minute. */
  most: number
}

const errors = defineErrors({
  rest_too_many_requests: [429, (most: number) => `The limit is ${most} requests per minute. Try again in a minute.`],
})

/** Rejects requests above the limit with status 429. Each process counts separately. */
export default definePlugin<RequestsOptions>({
  name: 'request-limit',
  options: { most: { default: 600, type: 'integer', minimum: 1 } },
  apply({ hooks, onRemove }, { most }) {
    /** Requests in the current minute, by IP address. */
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
