import { definePlugin, RestError, VISITOR, type RestRequest } from '../../public.ts'
import { switchedOn } from '../switched-on.ts'
import { errors } from './errors.ts'
import { jwtHooks } from './hooks.ts'
import { TokenLogins } from './token-logins.ts'

export type { TokenResponse } from './hooks.ts'
export type { TokenClaims, TokenUser } from './tokens.ts'

export interface JwtOptions {
  /**
   * Key that signs the tokens, of at least 32 characters. Without it, the plugin issues and accepts no tokens. Other
   * servers that share the key can verify tokens, and issue them.
   */
  secret: string
  /** Seconds from the issue of a token until it expires; 604,800 (seven days) by default. */
  lifetime: number
  /** Whether requests with a token can change accounts. */
  account_changes: boolean
  /** Whether refusals do not show whether an account exists. By default they do, as clients expect. */
  hide_accounts: boolean
}

const NAMESPACE = 'jwt-auth/v1'
/** Path of the route that checks a token itself. */
const VALIDATION = `/${NAMESPACE}/token/validate`

/** Issues JSON Web Tokens for names and passwords, and authenticates requests by them. */
export default definePlugin<JwtOptions>({
  name: 'jwt',
  description: 'Tokens of the plugin JWT Authentication: jwt-auth/v1/token and Authorization: Bearer.',
  needs: ['users', 'login', 'store'],
  uses: ['application-passwords'],
  startsIf: switchedOn('jwt'),
  options: {
    secret: { default: '', type: 'string', minLength: 32, secret: true },
    lifetime: { default: 604_800, type: 'integer', minimum: 1 },
    account_changes: { default: false, type: 'boolean' },
    hide_accounts: { default: false, type: 'boolean' },
  },
  hooks: jwtHooks,
  apply(plugin, options) {
    const { hooks, log } = plugin
    if (options.secret === '')
      log.warn('The plugin jwt has no secret, so it refuses tokens. Set "secret" of "jwt" to at least 32 characters.')
    const logins = new TokenLogins(plugin, options)

    const refusals = new WeakMap<RestRequest, RestError>()
    // Before the cookie: credentials that the client sends explicitly take precedence over those a browser adds.
    hooks.determine_current_user.tapPromise({ name: 'jwt', stage: -9 }, async (user, request) => {
      const header = user.id === 0 ? request.headers.get('authorization') : null
      if (header === null || !header.startsWith('Bearer') || request.route === VALIDATION) return user
      try {
        return (await logins.userOf(header)) ?? user
      } catch (error) {
        if (!(error instanceof RestError)) throw error
        refusals.set(request, error)
        return user
      }
    })
    hooks.rest_authentication_errors.tap({ name: 'jwt', stage: -9 }, (result, request) => {
      const refusal = result === null ? refusals.get(request) : undefined
      if (refusal !== undefined) request.user = VISITOR
      return refusal ?? result
    })

    // Tokens of an application password have its scopes, which its plugin checks.
    hooks.pre_change_account.tap('jwt', (_change, { jwt, applicationPassword }) => {
      if (jwt === true && applicationPassword === undefined && !options.account_changes)
        throw errors.jwt_auth_account_change()
    })

    hooks.rest_api_init.tap('jwt', (server) => {
      server.registerRoute(NAMESPACE, '/token', {
        methods: 'POST',
        permission_callback: () => true,
        callback: (request) => logins.issue(request),
      })
      server.registerRoute(NAMESPACE, '/token/validate', {
        methods: 'POST',
        permission_callback: () => true,
        callback: async ({ headers }) => {
          const header = headers.get('authorization')
          if (header === null) throw errors.jwt_auth_no_auth_header()
          if (!header.startsWith('Bearer')) throw errors.jwt_auth_bad_auth_header()
          await logins.userOf(header)
          return { code: 'jwt_auth_valid_token', data: { status: 200 } }
        },
      })
    })
  },
})
