import { release } from 'node:os'
import type { ArgumentSchema, PluginContext } from '../../../kernel/index.ts'
import type { Abilities } from './registry.ts'

const READS = { readonly: true, destructive: false, idempotent: true } as const

type Read = () => unknown

/** What every site can do: tell of itself, of its user, and of what it runs on. */
export function registerCore(plugin: PluginContext, abilities: Abilities): void {
  const { branding, services, urls } = plugin
  const { capabilities, options, users } = services
  abilities.registerCategory('site', { label: 'Site', description: 'What tells of the site, or changes it.' })
  abilities.registerCategory('user', { label: 'User', description: 'What tells of users, or changes them.' })

  const siteFields: Record<string, [string, Read]> = {
    name: ['Name of the site.', () => options.get('title', '')],
    description: ['Tagline of the site.', () => options.get('description', '')],
    url: ['URL of the site.', () => urls.home],
    [`${branding.word}url`]: ['URL of the server.', () => urls.home],
    admin_email: ['Email address of whoever runs the site.', () => options.get('email', '')],
    charset: ['Character encoding of its pages.', () => 'UTF-8'],
    language: ['Language of its pages.', async () => languageOf(await options.get<string>('language', ''))],
  }
  abilities.register('core/get-site-info', {
    label: 'Get site information',
    description: 'Tells the name, the address and the like of the site; all of it, or the fields asked for.',
    category: 'site',
    input_schema: {
      type: 'object',
      properties: {
        fields: {
          type: 'array',
          items: { type: 'string', enum: Object.keys(siteFields) },
          description: 'Limits the answer to these fields.',
        },
      },
      additionalProperties: false,
      default: {},
    },
    output_schema: objectOf(Object.entries(siteFields).map(([name, [description]]) => [name, description] as const)),
    annotations: READS,
    public: true,
    permission: (_input, { user }) => capabilities.can(user, 'manage_options'),
    run: async (input) => {
      const { fields = Object.keys(siteFields) } = input as { fields?: string[] }
      return Object.fromEntries(
        await Promise.all(fields.map(async (name) => [name, await siteFields[name]![1]()] as const)),
      )
    },
  })

  abilities.register('core/get-user-info', {
    label: 'Get user information',
    description: 'Tells who is logged in.',
    category: 'user',
    output_schema: {
      type: 'object',
      properties: {
        id: { type: 'integer', description: 'ID of the user.' },
        display_name: { type: 'string', description: 'Name that others see.' },
        user_nicename: { type: 'string', description: 'Slug of the user.' },
        user_login: { type: 'string', description: 'Login of the user.' },
        roles: { type: 'array', items: { type: 'string' }, description: 'Roles of the user.' },
        locale: { type: 'string', description: 'Language of the user.' },
      },
      additionalProperties: false,
    },
    annotations: READS,
    permission: (_input, { user }) => user.id !== 0,
    run: async (_input, { user, scope }) => {
      const known = await users.get(user.id, scope)
      return {
        id: user.id,
        display_name: known?.name ?? '',
        user_nicename: known?.slug ?? '',
        user_login: known?.login ?? '',
        roles: [...(await users.profile(user.id, scope)).roles],
        locale: await options.get('language', ''),
      }
    },
  })

  abilities.register('core/get-environment-info', {
    label: 'Get environment information',
    description: 'Tells what the site runs on, to look for the cause of a problem.',
    category: 'site',
    output_schema: objectOf([
      ['environment', 'production, or what the process says.'],
      ['runtime_version', 'Version of what runs the server.'],
      ['db_server_info', 'Kind of the database.'],
      ['system', 'Version of the operating system.'],
    ]),
    annotations: READS,
    public: true,
    permission: (_input, { user }) => capabilities.can(user, 'manage_options'),
    run: () => ({
      environment: process.env['NODE_ENV'] ?? 'production',
      runtime_version: process.version,
      db_server_info: services.store.dialect,
      system: release(),
    }),
  })
}

function objectOf(texts: readonly (readonly [string, string])[]): ArgumentSchema {
  const properties = Object.fromEntries(
    texts.map(([name, description]) => [name, { type: 'string' as const, description }]),
  )
  return { type: 'object', properties, additionalProperties: false }
}

function languageOf(locale: string): string {
  return locale === '' ? 'en-US' : locale.replace('_', '-')
}
