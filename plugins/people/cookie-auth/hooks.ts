import { syncAction, type HookSpecs, type RestRequest, type SyncAction } from '../../../kernel/index.ts'
import type { Nonces } from './nonces.ts'
import type { SessionCookie } from './cookie.ts'
import type { Sessions } from './sessions.ts'

/** The hooks of session cookies. */
interface CookieAuthHooks {
  /** Action: the session cookie of a request is good. Whether the request may act by it, the nonce decides. @since 0.1.0 */
  auth_cookie_valid: SyncAction<[userId: number, request: RestRequest]>
  /** Action: the session cookie of a request is no token at all. @since 0.1.0 */
  auth_cookie_malformed: SyncAction<[request: RestRequest]>
  /** Action: the session of a request's cookie has come to its end. @since 0.1.0 */
  auth_cookie_expired: SyncAction<[request: RestRequest]>
  /** Action: no session has the token of a request's cookie: it never had, or somebody has ended it. @since 0.1.0 */
  auth_cookie_bad_session_token: SyncAction<[request: RestRequest]>
  /** Action: the user of a request's session is gone. @since 0.1.0 */
  auth_cookie_bad_username: SyncAction<[request: RestRequest]>
}

declare module '../../../kernel/index.ts' {
  interface CurrentUser {
    /** Id of the session whose cookie came along; absent for a visitor, and for users known by other credentials. */
    readonly session?: string
  }
  interface Services {
    /**
     * Browsers in which users are logged in.
     * @example
     * const session = await services.sessions.create(1, { ip: request.ip, agent: 'kiosk' })
     * const cookie = services.sessionCookie.set(session, true)
     */
    sessions: Sessions
    /**
     * The cookie that carries the token of a session.
     * @example
     * const token = services.sessionCookie.read(request.headers)
     */
    sessionCookie: SessionCookie
    /**
     * What shows that a request was made on purpose.
     * @example
     * const nonce = services.nonces.create('water', request.user)
     * const isTrue = services.nonces.verify(nonce, 'water', request.user) !== false
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
