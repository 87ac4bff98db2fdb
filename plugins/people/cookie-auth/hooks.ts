import { syncAction, type HookSpecs, type RestRequest, type SyncAction } from '../../../kernel/index.ts'
import type { Nonces } from './nonces.ts'
import type { SessionCookie } from './cookie.ts'
import type { Sessions } from './sessions.ts'

interface CookieAuthHooks {
  /**
   * Action: the session cookie of a request is valid. The nonce decides whether the request can act with it. @since
   * 0.1.0
   */
  auth_cookie_valid: SyncAction<[userId: number, request: RestRequest]>
  /** Action: the session cookie of a request is not a token. @since 0.1.0 */
  auth_cookie_malformed: SyncAction<[request: RestRequest]>
  /** Action: the session of a request's cookie has expired. @since 0.1.0 */
  auth_cookie_expired: SyncAction<[request: RestRequest]>
  /**
   * Action: the token of a request's cookie belongs to no session; it is unknown, or the session was ended. @since
   * 0.1.0
   */
  auth_cookie_bad_session_token: SyncAction<[request: RestRequest]>
  /** Action: the user of a request's session does not exist. @since 0.1.0 */
  auth_cookie_bad_username: SyncAction<[request: RestRequest]>
}

declare module '../../../kernel/index.ts' {
  interface CurrentUser {
    /** ID of the session of the request; absent for visitors, and for users identified by other credentials. */
    readonly session?: string
  }
  interface Services {
    /**
     * Sessions of logged-in users in browsers.
     * @example
     * const session = await services.sessions.create(1, { ip: request.ip, agent: 'kiosk' })
     * const cookie = services.sessionCookie.set(session, true)
     */
    sessions: Sessions
    /**
     * The cookie with the token of a session.
     * @example
     * const token = services.sessionCookie.read(request.headers)
     */
    sessionCookie: SessionCookie
    /**
     * Tokens that protect requests against forgery by other sites.
     * @example
     * const nonce = services.nonces.create('water', request.user)
     * const isValid = services.nonces.verify(nonce, 'water', request.user) !== false
     */
    nonces: Nonces
  }
  interface Hooks extends CookieAuthHooks {}
}

export const cookieAuthHooks: HookSpecs<CookieAuthHooks> = {
  auth_cookie_valid: syncAction('userId', 'request'),
  auth_cookie_malformed: syncAction('request'),
  auth_cookie_expired: syncAction('request'),
  auth_cookie_bad_session_token: syncAction('request'),
  auth_cookie_bad_username: syncAction('request'),
}
