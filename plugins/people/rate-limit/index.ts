import { definePlugin } from '../../../kernel/index.ts'
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts'

export type { Limit as RateLimit, RateLimiter } from './rate-limiter.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * How often a password may be tried.
     * @example
     * const wait = await services.attempts.take(`voucher:${code}`, request.ip)
     * if (wait > 0) return new RestResponse({ wait }, 429)
     */
    attempts: RateLimiter
  }
}

export interface RateLimitOptions {
  /** How often one IP address may fail for one user before it has to wait. */
  tries: number
  /** Seconds after which that is forgotten. */
  window: number
}

/** Slows down who guesses passwords, without locking out whose password it is. */
export default definePlugin<RateLimitOptions>({
  name: 'attempts',
  needs: ['store'],
  provides: ['attempts'],
  options: {
    tries: { default: 5, type: 'integer', minimum: 1 },
    window: { default: 300, type: 'integer', minimum: 1 },
  },
  apply({ hooks, services, provide, log }, options) {
    const limiter = createRateLimiter(services.store, options)
    provide('attempts', {
      ...limiter,
      check(subject, ip, right) {
        // What operators act on (docs/guides/operating.md).
        if (!right) log.warn({ event: 'password_failed', ip, subject }, 'a password was wrong')
        return limiter.check(subject, ip, right)
      },
    })
    hooks.rest_pre_serve_request.tap('attempts', (served, { response: { error, headers } }) => {
      const wait = error?.data['retry_after']
      if (typeof wait === 'number') headers.set('Retry-After', wait)
      return served
    })
  },
})
