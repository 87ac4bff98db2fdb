import { definePlugin } from '../../../kernel/index.ts'
import { VISIBLE_TO_ALL } from '../../storage/changes/index.ts'
import { Avatars, AVATARS_OPTION } from './avatars.ts'
import { UserChangeReader } from './change-reader.ts'
import { UsersController } from './controller.ts'
import { addUserCommands } from './commands.ts'
import { CurrentUserController } from './current-user-controller.ts'
import { userHooks } from './hooks.ts'
import { LiveOptions } from './live-options.ts'
import { registerUserMeta } from './profile.ts'
import { registerReferences } from './references.ts'
import { UserService } from './service.ts'

export { errors as userErrors } from './errors.ts'
export { userNamed } from './named.ts'
export { AVATARS_OPTION, type Avatars } from './avatars.ts'
export type { HashedPassword } from './credentials.ts'
export type { Profile } from './profile.ts'
export type { UserOrder, UserQuery, UserSearchColumn } from './query.ts'
export type { User, UserList } from './reader.ts'
export type { UserService } from './service.ts'
export { toLoginName } from './login-name.ts'
export { freeUserSlug, type NewUser, type UserChange } from './writer.ts'

export interface UsersOptions {
  /** URL of the avatar service, up to the hash of an email address. */
  avatars: string
  /**
   * Hides logins from visitors: users created without a name are shown as `User 12` until they set one, and slugs derive
   * from that name. By default both derive from the login, as clients of the REST API expect.
   */
  hide_logins: boolean
}

/** Users: reading and writing them, the requesting user, and avatars. */
export default definePlugin<UsersOptions>({
  name: 'users',
  needs: [
    'resources',
    'store',
    'field-index',
    'settings',
    'roles',
    'content-types',
    'meta',
    'permalinks',
    'html',
    'passwords',
  ],
  after: ['extra-fields', 'changes'],
  provides: ['avatars', 'users'],
  // The content of deleted users is reassigned or moved to the trash.
  uses: ['posts'],
  options: {
    avatars: { default: 'https://secure.gravatar.com/avatar/', type: 'string', pattern: '^(https?:)?//.+' },
    hide_logins: { default: false, type: 'boolean' },
  },
  hooks: userHooks,
  apply(plugin, options) {
    const { has, hooks, provide, services, since } = plugin
    registerUserMeta(services.meta)
    const live = new LiveOptions(plugin)
    const algorithm = since('6.8') ? 'sha256' : 'md5'
    provide('avatars', new Avatars(hooks, options.avatars, () => live.showsAvatars, algorithm))
    provide('users', new UserService(plugin, options.hide_logins))
    if (has('changes')) {
      services.changeReaders.set('user', new UserChangeReader(services))
      services.changeReaders.set(AVATARS_OPTION, VISIBLE_TO_ALL)
    }
    registerReferences(plugin)
    addUserCommands(plugin)

    // Runs late, so that types, meta and fields that other plugins register in the same hook are known.
    hooks.rest_api_init.tapPromise({ name: 'users', stage: 100 }, async (server) => {
      await live.read()
      for (const Class of [UsersController, CurrentUserController]) new Class(plugin, live).register(server)
    })
  },
})
