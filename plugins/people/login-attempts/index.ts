import { definePlugin } from '../../../kernel/index.ts'
import { LoginAttempts } from './login-attempts.ts'

export type { AttemptLimit, LoginAttempts } from './login-attempts.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Limits attempts to guess a secret.
     * @example
     * const wait = await services.loginAttempts.consume(`voucher:${code}`, request.ip)
     * if (wait > 0) return new RestResponse({ wait }, 429)
     */
    loginAttempts: LoginAttempts
  }
}

export interface LoginAttemptsOptions {
  /** Failures of one IP address for one user before it must wait; 5 by default. */
  tries: number
  /** Seconds from the first of these failures until they expire; 300 (5 minutes) by default. */
  window: number
}

/** Limits attempts to guess passwords, without locking out their owners. */
export default definePlugin<LoginAttemptsOptions>({
  name: 'login-attempts',
  formerNames: ['attempts'],
  formerServices: { attempts: 'loginAttempts' },
  needs: ['store'],
  provides: ['loginAttempts'],
  options: {
    tries: { default: 5, type: 'integer', minimum: 1 },
    window: { default: 300, type: 'integer', minimum: 1 },
  },
  apply({ hooks, services, provide, log }, options) {
    provide('loginAttempts', new LoginAttempts(services.store, options, log))
    hooks.rest_pre_serve_request.tap('login-attempts', (served, { response: { error, headers } }) => {
      const wait = error?.data['retry_after']
      if (typeof wait === 'number') headers.set('Retry-After', wait)
      return served
    })
  },
})
