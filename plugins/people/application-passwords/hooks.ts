import {
  action,
  filter,
  syncFilter,
  type Action,
  type CurrentUser,
  type Filter,
  type HookSpecs,
  type RestRequest,
  type SyncFilter,
} from '../../../kernel/index.ts'
import type { User } from '../users/index.ts'
import type { ApplicationPassword, ApplicationPasswordChange, ApplicationPasswords, Scope } from './model.ts'

/** The hooks of application passwords. */
interface ApplicationPasswordHooks {
  /** Filter: whether a user may have and use application passwords, on a connection that may. @since 0.1.0 */
  application_passwords_available_for_user: SyncFilter<boolean, [user: Pick<CurrentUser, 'id'>]>
  /** Filter: an application password about to be stored, or what is about to change of one. @since 0.1.0 */
  rest_pre_insert_application_password: Filter<ApplicationPasswordChange, [request: RestRequest, user: User]>
  /** Action: an application password is stored; the password itself is told to nobody but the client. @since 0.1.0 */
  rest_after_insert_application_password: Action<[item: ApplicationPassword, request: RestRequest, creating: boolean]>
  /** Action: an application password is revoked. @since 0.1.0 */
  rest_delete_application_password: Action<[item: ApplicationPassword, request: RestRequest]>
}

declare module '../../../kernel/index.ts' {
  interface CurrentUser {
    /** UUID of the application password that the request was made with. */
    readonly applicationPassword?: string
    /** The scopes of that application password. */
    readonly scopes?: readonly Scope[]
  }
  interface Services {
    /**
     * Passwords that users give to programs.
     * @example
     * const { item, password: shownOnce } = await services.applicationPasswords.create(1, { name: 'laptop' })
     * log.info({ uuid: item.uuid }, 'made')
     */
    applicationPasswords: ApplicationPasswords
  }
  interface Hooks extends ApplicationPasswordHooks {}
}

export const applicationPasswordHooks: HookSpecs<ApplicationPasswordHooks> = {
  application_passwords_available_for_user: syncFilter('available', 'user'),
  rest_pre_insert_application_password: filter('change', 'request', 'user'),
  rest_after_insert_application_password: action('item', 'request', 'creating'),
  rest_delete_application_password: action('item', 'request'),
}
