import { AsyncLocalStorage } from 'node:async_hooks'
import { requestingUser, runAction, type Hooks } from '../../../kernel/index.ts'

/**
 * Changes that let a user log in, or do more than before: a password, an email address, roles, application passwords, a
 * created or deleted user, or an option of the site that affects one of these.
 */
export type AccountChange = 'password' | 'email' | 'roles' | 'application_passwords' | 'user' | 'option'

/** Checks whether the credentials of a request suffice to change accounts. */
export interface AccountChanges {
  /**
   * Checks the credentials of the current request. Returns immediately in commands and jobs, in `asSite`, and for
   * visitors.
   * @throws rest_insufficient_scope for an application password without the scope `accounts`,
   * rest_confirmation_required for a session whose user has not entered their password recently, and the errors of taps
   * of the hook
   */
  check(change: AccountChange): Promise<void>
  /**
   * Runs changes of accounts that the site makes, such as a role that a customer gets with a purchase, without the
   * check. The requesting user must not choose the account, the role or the value.
   * @param work changes the accounts
   * @returns the result of `work`
   */
  asSite<T>(this: void, work: () => T): T
}

export function createAccountChanges(hooks: Hooks): AccountChanges {
  const site = new AsyncLocalStorage<true>()
  return {
    async check(change) {
      if (site.getStore() === true) return
      const user = requestingUser()
      if (user !== undefined && user.id !== 0) await runAction(hooks.pre_change_account, change, user)
    },
    asSite: (work) => site.run(true, work),
  }
}
