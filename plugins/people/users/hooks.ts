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

/** The hooks of users. */
interface UserHooks {
  /** Filter: the sizes of avatars in pixels. @since 0.1.0 */
  rest_avatar_sizes: SyncFilter<number[]>
  /** Filter: the URL of one avatar; `email` may be empty. @since 0.1.0 */
  get_avatar_url: SyncFilter<string, [email: string, size: number]>
  /** Filter: the roles that a user may give to others. @since 0.1.0 */
  editable_roles: SyncFilter<readonly Role[], [user: RestRequest['user']]>
  /** Filter: the locales that users may choose, beside that of the site: `de_DE`. @since 0.1.0 */
  user_locales: SyncFilter<readonly string[]>
  /** Filter: login names that nobody may take, in lower case. @since 0.1.0 */
  illegal_user_logins: SyncFilter<readonly string[]>
  /**
   * Filter: a user about to be stored, or what is about to change of one. Runs after every check of the request and
   * may refuse by throwing. Beside what taps of its family get, `user` is who is about to change; null for a new one.
   * @since 0.1.0
   */
  rest_pre_insert_user: Filter<NewUser | UserChange, [request: RestRequest, user: User | null]>
  /** Action: a user has another password, and every session of theirs is over. The transaction may still be open. @since 0.1.0 */
  password_changed: Action<[id: number]>
  /** Action: a user and what is theirs are about to go; `reassign` gets their content; 0 for nobody, null where it goes to the trash. The transaction is open. @since 0.1.0 */
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
