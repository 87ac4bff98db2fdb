import { VISITOR, type PluginContext, type RestRequest } from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { Nonces } from './nonces.ts'

/**
 * Requires a nonce for requests with a session cookie (specification 5.1): without one the request is a visitor's, an
 * invalid one is refused, and the response to a valid one contains a new one.
 * @param hasCookie whether a request has a valid cookie
 */
export function checkNonces(
  { hooks, branding }: PluginContext,
  nonces: Nonces,
  hasCookie: (request: RestRequest) => boolean,
): void {
  const header = branding.header('Nonce')
  const fresh = new WeakMap<RestRequest, string>()

  hooks.rest_authentication_errors.tap('cookie-auth', (result, request) => {
    if (result !== null) return result
    if (!hasCookie(request) && request.user.id !== 0) return result
    const nonce = request.get(branding.nonceParameter) ?? request.headers.get(header)
    if (nonce === null) {
      request.user = VISITOR
      return true
    }
    if (typeof nonce !== 'string' || nonces.verify(nonce, branding.nonceAction, request.user) === false) {
      request.user = VISITOR
      return errors.rest_cookie_invalid_nonce()
    }
    fresh.set(request, nonces.create(branding.nonceAction, request.user))
    return true
  })
  hooks.rest_pre_serve_request.tap('cookie-auth', (served, { request, response }) => {
    const nonce = fresh.get(request)
    if (nonce !== undefined) response.headers.set(header, nonce)
    return served
  })
  // A response with a nonce is specific to its user, also for visitors.
  hooks.rest_send_nocache_headers.tap('cookie-auth', (send, request) => send || fresh.has(request))
}
