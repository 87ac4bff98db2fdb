import { definePlugin } from '../../../kernel/index.ts'
import { createAvatars } from './avatars.ts'
import { UsersController } from './controller.ts'
import { userHooks } from './hooks.ts'
import { createUsers, PROFILE_KEYS } from './model.ts'

export type { Avatars } from './avatars.ts'
export type { NewUser, Profile, User, UserChange, UserOrder, UserQuery, Users } from './model.ts'

export interface UsersOptions {
  /** Address of the image service of avatars, up to the hash of an email address. */
  avatars: string
}

/** People with an account: reading and writing them, who asks, and their avatars. */
export default definePlugin<UsersOptions>({
  name: 'users',
  needs: ['store', 'settings', 'roles', 'content-types', 'meta', 'extra-fields', 'permalinks', 'html', 'passwords'],
  // People who go leave what they wrote to others, or to the trash.
  uses: ['posts'],
  options: {
    avatars: { default: 'https://secure.gravatar.com/avatar/', type: 'string', pattern: '^(https?:)?//.+' },
  },
  hooks: userHooks,
  apply(plugin, options) {
    const { has, hooks, provide, services } = plugin
    const { capabilities, contentTypes, meta, permalinks, roles, store } = services
    for (const key of PROFILE_KEYS)
      meta.register('user', key, { type: key === 'roles' ? 'array' : 'string', single: true })
    // What an editor remembers of how a person arranged it: any keys.
    meta.register('user', 'persisted_preferences', {
      type: 'object',
      single: true,
      show_in_rest: {
        schema: {
          type: 'object',
          context: ['edit'],
          properties: {
            _modified: {
              description: 'When the preferences were changed.',
              type: 'string',
              format: 'date-time',
              readonly: false,
            },
          },
          additionalProperties: true,
        },
      },
    })

    provide('avatars', createAvatars(hooks, options.avatars))
    provide(
      'users',
      createUsers({
        store,
        hooks,
        roles,
        capabilities,
        meta,
        contentTypes,
        hashPassword: (plain) => services.passwords.hash(plain),
        slugify: (text) => permalinks.slugify(text),
        posts: () => (has('posts') ? services.posts : undefined),
        defaultRole: () => services.options.get('default_role', 'subscriber'),
      }),
    )

    hooks.rest_api_init.tapPromise({ name: 'users', stage: 100 }, async (server) => {
      const language = await services.options.get('language', 'en_US')
      const avatars = await services.options.get('show_avatars', true)
      new UsersController(plugin, { language, avatars: Boolean(avatars) }).register(server)
    })
  },
})
