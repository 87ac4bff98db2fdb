import type { Action, Filter, RestRequest, RestResponse, SyncFilter } from '../../../kernel/index.ts'
import type { Role } from '../roles/index.ts'
import type { Avatars } from './avatars.ts'
import type { UserQuery } from './query.ts'
import type { User } from './reader.ts'
import type { UserService } from './service.ts'
import type { NewUser, UserChange } from './writer.ts'

declare module '../../../kernel/index.ts' {
  interface CurrentUser {
    /** The login name; a visitor has none. */
    readonly login?: string
    /** The display name. */
    readonly name?: string
  }
  interface ItemTypes {
    user: { shown: User; item: User; change: NewUser | UserChange; query: UserQuery }
  }
  interface Services {
    /** Users. */
    users: UserService
    /** URLs of the avatars of users. */
    avatars: Avatars
  }
  interface Hooks {
    /** Filter: the sizes of avatars in pixels. @since 0.1.0 */
    rest_avatar_sizes: SyncFilter<number[]>
    /** Filter: the address of one avatar; `email` may be empty. @since 0.1.0 */
    get_avatar_url: SyncFilter<string, [email: string, size: number]>
    /** Filter: the roles that a person may give to others. @since 0.1.0 */
    editable_roles: SyncFilter<readonly Role[], [user: RestRequest['user']]>
    /** Filter: login names that nobody may take, in lower case. @since 0.1.0 */
    illegal_user_logins: SyncFilter<readonly string[]>
    /**
     * Filter: a user about to be stored, or what is about to change of one. Runs after every check of the request and
     * may refuse by throwing. `user` is null for a new one. @since 0.1.0
     */
    rest_pre_insert_user: Filter<NewUser | UserChange, [request: RestRequest, user: User | null]>
    /** Action: the user is stored, meta and registered fields are not yet; the transaction is open. @since 0.1.0 */
    rest_insert_user: Action<[user: User, request: RestRequest, creating: boolean]>
    /** Action: the user is stored whole, and the transaction closed. @since 0.1.0 */
    rest_after_insert_user: Action<[user: User, request: RestRequest, creating: boolean]>
    /** Action: a user has another password, and every session of theirs is over. The transaction may still be open. @since 0.1.0 */
    password_changed: Action<[id: number]>
    /** Action: a user and what is theirs are about to go; `reassign` gets their content, or null. The transaction is open. @since 0.1.0 */
    delete_user: Action<[user: User, reassign: number | null]>
    /** Action: a request has deleted a user, and the transaction is closed. @since 0.1.0 */
    rest_delete_user: Action<[user: User, response: RestResponse, request: RestRequest]>
  }
}
