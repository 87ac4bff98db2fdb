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

interface ApplicationPasswordHooks {
  /** Filter: whether a user can have and use application passwords, on a connection that permits them. @since 0.1.0 */
  application_passwords_available_for_user: SyncFilter<boolean, [user: Pick<CurrentUser, 'id'>]>
  /** Filter: an application password about to be stored, or the changes to one. @since 0.1.0 */
  rest_pre_insert_application_password: Filter<ApplicationPasswordChange, [request: RestRequest, user: User]>
  /** Action: an application password is stored. The secret itself is only sent to the client. @since 0.1.0 */
  rest_after_insert_application_password: Action<[item: ApplicationPassword, request: RestRequest, creating: boolean]>
  /** Action: an application password is revoked. @since 0.1.0 */
  rest_delete_application_password: Action<[item: ApplicationPassword, request: RestRequest]>
}

declare module '../../../kernel/index.ts' {
  interface CurrentUser {
    /** UUID of the application password of the request. */
    readonly applicationPassword?: string
    /** Scopes of that application password. */
    readonly scopes?: readonly Scope[]
  }
  interface Services {
    /**
     * Passwords that users create for programs.
     * @example
     * const { item, password: shownOnce } = await services.applicationPasswords.create(1, { name: 'laptop' })
     * log.info({ uuid: item.uuid }, 'created')
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
