import type { Awaitable, PluginContext } from '../../../kernel/index.ts'
import type { Abilities } from './ability.ts'

const READS = { readonly: true, destructive: false, idempotent: true } as const

/** Registers abilities of every site: information about the site, the user and the environment. */
export function registerCore(abilities: Abilities, plugin: PluginContext): void {
  const { config, services, urls } = plugin
  abilities.registerCategory('site', { label: 'Site', description: 'Information about the site and its environment.' })
  abilities.registerCategory('user', {
    label: 'User',
    description: 'Information about the current user and other users.',
  })

  const all = {
    name: async () => await services.options.get('title', ''),
    description: async () => await services.options.get('description', ''),
    url: () => urls.home,
    [`${plugin.branding.word}url`]: () => urls.home,
    admin_email: async () => await services.options.get('email', ''),
    charset: () => 'UTF-8',
    language: async () => String(await services.options.get('language', 'en_US')).replaceAll('_', '-') || 'en-US',
    version: () => config.revision,
  } satisfies Record<string, () => Awaitable<string>>
  const names = Object.keys(all)
  abilities.register('core/get-site-info', {
    label: 'Get site information',
    description:
      'Returns the name of the site, its tagline, URLs, administrator’s email address, charset and language.',
    category: 'site',
    public: true,
    input_schema: {
      type: 'object',
      properties: {
        fields: {
          description: 'Fields to return; all by default.',
          type: 'array',
          items: { type: 'string', enum: names },
        },
      },
    },
    output_schema: {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
    },
    annotations: READS,
    permission: (_input, { user }) => services.capabilities.can(user, 'manage_options'),
    async run({ fields = names }) {
      const read = names.filter((name) => fields.includes(name))
      const values = await Promise.all(read.map(async (name) => [name, await all[name]!()] as const))
      return Object.fromEntries(values)
    },
  })

  abilities.register('core/get-user-info', {
    label: 'Get user information',
    description: 'Returns the ID, login, names, roles and language of the current user.',
    category: 'user',
    public: true,
    output_schema: {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        display_name: { type: 'string' },
        user_nicename: { type: 'string' },
        user_login: { type: 'string' },
        roles: { type: 'array', items: { type: 'string' } },
        locale: { type: 'string' },
      },
    },
    annotations: READS,
    permission: (_input, { user }) => user.id !== 0,
    async run(_input, { user, scope }) {
      const found = await services.users.get(user.id, scope)
      const { roles, locale } = await services.users.profile(user.id, scope)
      return {
        id: user.id,
        display_name: found?.name ?? '',
        user_nicename: found?.slug ?? '',
        user_login: found?.login ?? '',
        roles: [...roles],
        locale,
      }
    },
  })

  abilities.register('core/get-environment-info', {
    label: 'Get environment information',
    description: 'Returns the environment of the site: debug mode, Node.js version, database and REST API version.',
    category: 'site',
    public: true,
    output_schema: {
      type: 'object',
      properties: {
        environment: { type: 'string' },
        node_version: { type: 'string' },
        db_server_info: { type: 'string' },
        [`${plugin.branding.word}_version`]: { type: 'string' },
      },
    },
    annotations: READS,
    permission: (_input, { user }) => services.capabilities.can(user, 'manage_options'),
    run: () => ({
      environment: config.debug ? 'development' : 'production',
      node_version: process.versions.node,
      db_server_info: services.store.dialect,
      [`${plugin.branding.word}_version`]: config.revision,
    }),
  })
}
