import {
  action,
  filter,
  type Action,
  type CurrentUser,
  type Filter,
  type HookSpecs,
  type RestError,
} from '../../../kernel/index.ts'
import type { Logins } from './logins.ts'
import type { Pages } from './pages.ts'

interface LoginHooks {
  /**
   * Filter: the user whose login name and password were right. Return an error to refuse the log-in, for example
   * without a second factor. @since 0.1.0
   */
  authenticate: Filter<CurrentUser | RestError, [login: string]>
  /** Action: a user has logged in and has a session. @since 0.1.0 */
  login_succeeded: Action<[user: CurrentUser]>
  /**
   * Action: a login name or its password was wrong. `login` is the typed text, which can be anything, even a password.
   * `userId` is null if no user has this login. @since 0.1.0
   */
  login_failed: Action<[login: string, address: string, userId: number | null]>
  /** Action: a log-in was refused without a check, after too many failures. @since 0.1.0 */
  login_refused: Action<[userId: number | null, address: string]>
  /** Action: a user has logged out; the session has ended. @since 0.1.0 */
  logged_out: Action<[userId: number]>
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Checks login names and passwords.
     * @example
     * const user = await services.login.check('ada', password, request.ip)
     * if (user instanceof RestError) throw user
     */
    login: Logins
    /**
     * Renders plain HTML pages of the site, which work without scripts.
     * @example
     * const { plainPages } = services
     * const page = plainPages.page('Garden', plainPages.html`<p>Welcome, ${request.user.name}</p>`)
     */
    plainPages: Pages
  }
  interface Hooks extends LoginHooks {}
}

export const loginHooks: HookSpecs<LoginHooks> = {
  authenticate: filter('user', 'login'),
  login_succeeded: action('user'),
  login_failed: action('login', 'address', 'userId'),
  login_refused: action('userId', 'address'),
  logged_out: action('userId'),
}
