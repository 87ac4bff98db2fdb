import type { ArgumentSchema, Awaitable, PluginContext } from '../../../kernel/index.ts'
import type { ActionCall } from '../actions/index.ts'
import type { Abilities, AbilitySpec } from './ability.ts'

const READS = { readonly: true, destructive: false, idempotent: true } as const

/** Registers abilities of every site: information about the site, the user and the environment. */
export function registerCore(abilities: Abilities, plugin: PluginContext): void {
  const { branding, config, services, urls } = plugin
  abilities.registerCategory('site', { label: 'Site', description: 'Information about the site and its environment.' })
  abilities.registerCategory('user', {
    label: 'User',
    description: 'Information about the current user and other users.',
  })

  registerInfo(abilities, 'core/get-site-info', {
    label: 'Get site information',
    description:
      'Returns the name of the site, its tagline, URLs, administrator’s email address, charset and language.',
    category: 'site',
    fields: {
      name: TEXT,
      description: TEXT,
      url: TEXT,
      [`${branding.word}url`]: TEXT,
      admin_email: TEXT,
      charset: TEXT,
      language: TEXT,
      version: TEXT,
    },
    permission: (_input, { user }) => services.capabilities.can(user, 'manage_options'),
    async read() {
      const options = await services.options.many(['title', 'description', 'email'])
      const language = await services.options.get('language', 'en_US')
      return {
        name: options['title'] ?? '',
        description: options['description'] ?? '',
        url: urls.home,
        [`${branding.word}url`]: urls.home,
        admin_email: options['email'] ?? '',
        charset: 'UTF-8',
        language: language.replaceAll('_', '-') || 'en-US',
        version: config.revision,
      }
    },
  })

  registerInfo(abilities, 'core/get-user-info', {
    label: 'Get user information',
    description: 'Returns the ID, login, names, roles, language and profile of the current user.',
    category: 'user',
    fields: {
      id: { type: 'integer' },
      display_name: TEXT,
      user_nicename: TEXT,
      user_login: TEXT,
      roles: { type: 'array', items: TEXT },
      locale: TEXT,
      first_name: TEXT,
      last_name: TEXT,
      nickname: TEXT,
      description: TEXT,
      user_url: TEXT,
    },
    permission: (_input, { user }) => user.id !== 0,
    async read({ user, scope }) {
      const found = await services.users.get(user.id, scope)
      const profile = await services.users.profile(user.id, scope)
      const { roles, locale, first_name, last_name, nickname } = profile
      return {
        id: user.id,
        display_name: found?.name ?? '',
        user_nicename: found?.slug ?? '',
        user_login: found?.login ?? '',
        roles: [...roles],
        locale,
        first_name,
        last_name,
        nickname,
        description: profile.description,
        user_url: found?.url ?? '',
      }
    },
  })

  registerInfo(abilities, 'core/get-environment-info', {
    label: 'Get environment information',
    description: 'Returns the environment of the site: debug mode, Node.js version, database and REST API version.',
    category: 'site',
    fields: {
      environment: { type: 'string', enum: ['production', 'staging', 'development', 'local'] },
      node_version: TEXT,
      db_server_info: TEXT,
      [`${branding.word}_version`]: TEXT,
    },
    permission: (_input, { user }) => services.capabilities.can(user, 'manage_options'),
    read: () => ({
      environment: config.debug ? 'development' : 'production',
      node_version: process.versions.node,
      db_server_info: services.store.dialect,
      [`${branding.word}_version`]: config.revision,
    }),
  })
}

const TEXT: ArgumentSchema = { type: 'string' }

/** An ability that returns facts, of which clients can select some. */
interface Info {
  readonly label: string
  readonly description: string
  readonly category: string
  /** Schemas of the facts, by name. */
  readonly fields: Readonly<Record<string, ArgumentSchema>>
  readonly permission: AbilitySpec['permission']
  /** Returns all facts. */
  readonly read: (call: ActionCall) => Awaitable<Record<string, unknown>>
}

/** Registers an ability that returns all facts, or the ones named in `fields`. */
function registerInfo(abilities: Abilities, name: string, { fields, read, ...info }: Info): void {
  const names = Object.keys(fields)
  abilities.register(name, {
    ...info,
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
      additionalProperties: false,
      default: {},
    },
    output_schema: { type: 'object', properties: { ...fields }, additionalProperties: false },
    annotations: READS,
    async run(input, call) {
      const { fields: selected = names } = (input ?? {}) as { fields?: readonly string[] }
      const facts = await read(call)
      return Object.fromEntries(names.filter((field) => selected.includes(field)).map((field) => [field, facts[field]]))
    },
  })
}
