import {
  action,
  filter,
  syncFilter,
  type Action,
  type Filter,
  type HookSpecs,
  type RestRequest,
  type SyncFilter,
} from '../../../kernel/index.ts'
import { SKIPS_FAILING } from '../../resources/index.ts'
import type { Role } from '../roles/index.ts'
import type { Avatars } from './avatars.ts'
import type { UserQuery } from './query.ts'
import type { User } from './reader.ts'
import type { UserService } from './service.ts'
import type { NewUser, UserChange } from './writer.ts'

interface UserHooks {
  /** Filter: the sizes of avatars in pixels. @since 0.1.0 */
  rest_avatar_sizes: SyncFilter<number[]>
  /** Filter: the URL of one avatar; `email` may be empty. @since 0.1.0 */
  get_avatar_url: SyncFilter<string, [email: string, size: number]>
  /** Filter: the roles that a user can give to others. @since 0.1.0 */
  editable_roles: SyncFilter<readonly Role[], [user: RestRequest['user']]>
  /** Filter: the locales that users can choose, in addition to that of the site: `de_DE`. @since 0.1.0 */
  user_locales: SyncFilter<readonly string[]>
  /** Filter: login names that cannot be used, in lower case. @since 0.1.0 */
  illegal_user_logins: SyncFilter<readonly string[]>
  /**
   * Filter: a user about to be stored, or the changes to one. Runs after every check of the request and can refuse by
   * throwing. In addition to the common arguments, `user` is the user before the change; null for a new one. @since
   * 0.1.0
   */
  rest_pre_insert_user: Filter<NewUser | UserChange, [request: RestRequest, user: User | null]>
  /**
   * Action: a user has a new password, and all of their sessions have ended. The transaction may still be open. @since
   * 0.1.0
   */
  password_changed: Action<[id: number]>
  /**
   * Action: a user and their data are about to be deleted. `reassign` gets their content; with 0 it has no author, with
   * null it is moved to the trash. The transaction is open. @since 0.1.0
   */
  delete_user: Action<[user: User, reassign: number | null]>
}

declare module '../../../kernel/index.ts' {
  interface CurrentUser {
    /** The login name; a visitor has none. */
    readonly login?: string
    /** The display name. */
    readonly name?: string
  }
  interface ItemTypes {
    // No `change`, as `rest_pre_insert_user` has its own arguments.
    user: { shown: User; item: User; query: UserQuery }
  }
  interface Services {
    /**
     * Users.
     * @example
     * const user = await services.users.get(1, request.scope)
     * const { items } = await services.users.query({ roles: ['editor'], orderBy: 'name', order: 'asc', limit: 10, offset: 0 })
     */
    users: UserService
    /**
     * URLs of the avatars of users.
     * @example
     * const { 96: url } = services.avatars.urls('ada@example.com')
     */
    avatars: Avatars
  }
  interface Hooks extends UserHooks {}
}

export const userHooks: HookSpecs<UserHooks> = {
  rest_avatar_sizes: syncFilter('sizes'),
  get_avatar_url: { ...syncFilter('url', 'email', 'size'), ...SKIPS_FAILING },
  editable_roles: syncFilter('roles', 'user'),
  user_locales: syncFilter('locales'),
  illegal_user_logins: syncFilter('logins'),
  rest_pre_insert_user: filter('change', 'request', 'user'),
  password_changed: action('id'),
  delete_user: action('user', 'reassign'),
}
