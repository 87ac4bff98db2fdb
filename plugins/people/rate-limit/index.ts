import { definePlugin } from '../../../kernel/index.ts'
import { createAttempts, type Attempts } from './attempts.ts'

export type { Attempts } from './attempts.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /** Limits of what may be tried with a wrong password. */
    attempts: Attempts
  }
}

export interface AttemptsOptions {
  /** How often one address may fail for one account before it has to wait. */
  tries: number
  /** Seconds after which that is forgotten. */
  window: number
}

/** Slows down who guesses passwords, without locking out whose password it is. */
export default definePlugin<AttemptsOptions>({
  name: 'attempts',
  needs: ['store'],
  options: {
    tries: { default: 5, type: 'integer', minimum: 1 },
    window: { default: 300, type: 'integer', minimum: 1 },
  },
  apply({ hooks, services, provide, log }, options) {
    const attempts = createAttempts(services.store, options)
    provide('attempts', {
      ...attempts,
      judge(subject, address, right) {
        // What operators act on (docs/guides/operating.md).
        if (!right) log.warn({ event: 'password_failed', ip: address, subject }, 'a password was wrong')
        return attempts.judge(subject, address, right)
      },
    })
    hooks.rest_pre_serve_request.tap('attempts', (served, { response: { error, headers } }) => {
      const wait = error?.data['retry_after']
      if (typeof wait === 'number') headers.set('Retry-After', wait)
      return served
    })
  },
})
