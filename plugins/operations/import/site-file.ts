import { Ajv } from 'ajv'
import { cleanJson, suggest, parseValue } from '../../../kernel/index.ts'
import type { Roles } from '../../people/roles/index.ts'
import type { Settings } from '../../site/settings/index.ts'
import { errors } from './errors.ts'
import { LONGEST_EMAIL, LONGEST_KEY, LONGEST_LOGIN } from './column-limits.ts'
import type { Value } from './php-values.ts'

/** A password for programs, as the site file gives it. */
export interface SiteApplicationPassword {
  name: string
  uuid: string
  /** In plain text. */
  password: string
}

/** A person of the site file. */
export interface SiteUser {
  id?: number
  login: string
  role?: string
  email?: string
  /** In plain text; without one nobody can log in. */
  password?: string
  application_passwords?: SiteApplicationPassword[]
  /** ISO 8601. */
  registered?: string
  name?: string
  first_name?: string
  last_name?: string
  nickname?: string
  slug?: string
  url?: string
  bio?: string
  /** Further values by key; the entries of a list are values of their own. */
  meta?: Record<string, Value>
}

/** What an export does not carry: people with roles and passwords, settings, addresses, the theme. */
export interface SiteFile {
  users?: SiteUser[]
  /** By the names of the options. */
  settings?: Record<string, Value>
  /** Pattern of post addresses, `/%year%/%monthnum%/%day%/%postname%/`. */
  permalink?: string
  theme?: Record<string, Value>
}

const text = { type: 'string' } as const
const login = { type: 'string', minLength: 1, maxLength: LONGEST_LOGIN } as const
const validate = new Ajv({ allErrors: false }).compile<SiteFile>({
  type: 'object',
  additionalProperties: false,
  properties: {
    users: {
      type: 'array',
      items: {
        type: 'object',
        required: ['login'],
        additionalProperties: false,
        properties: {
          id: { type: 'integer', minimum: 1, maximum: 2 ** 32 - 1 },
          login,
          role: text,
          email: { type: 'string', maxLength: LONGEST_EMAIL },
          password: text,
          application_passwords: {
            type: 'array',
            items: {
              type: 'object',
              required: ['name', 'uuid', 'password'],
              additionalProperties: false,
              properties: {
                name: text,
                uuid: { type: 'string', minLength: 1, maxLength: 64 },
                password: { type: 'string', minLength: 1 },
              },
            },
          },
          registered: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d([T ].*)?$' },
          name: text,
          first_name: text,
          last_name: text,
          nickname: text,
          slug: { type: 'string', maxLength: 200 },
          url: text,
          bio: text,
          meta: { type: 'object', propertyNames: { maxLength: LONGEST_KEY } },
        },
      },
    },
    settings: { type: 'object' },
    permalink: text,
    theme: {
      type: 'object',
      additionalProperties: false,
      properties: {
        stylesheet: text,
        template: text,
        name: text,
        version: text,
        description: text,
        author: text,
        author_uri: text,
        theme_uri: text,
        textdomain: text,
        screenshot: text,
        tags: { type: 'array', items: text },
        supports: { type: 'object' },
      },
    },
  },
})

/**
 * Reads a site file. Its texts are cleaned as those of requests are.
 * @param source its JSON text
 * @param home new home address; takes the place of `{{home}}`
 * @throws RestError IMPORT_SITE_INVALID that names the place
 */
export function readSite(source: string, home: string): SiteFile {
  let site: unknown
  try {
    const read: unknown = JSON.parse(source, (_key, value: unknown) =>
      typeof value === 'string' ? value.replaceAll('{{home}}', home) : value,
    )
    site = cleanJson(read)
  } catch (cause) {
    throw errors.IMPORT_SITE_INVALID(`it is not JSON (${(cause as Error).message})`, { cause })
  }
  if (!validate(site)) throw errors.IMPORT_SITE_INVALID(explained())
  const logins = new Set<string>()
  for (const user of site.users ?? []) {
    const known = user.login.toLowerCase()
    if (logins.has(known)) throw errors.IMPORT_SITE_INVALID(`two users have the login ${user.login}`)
    if (user.registered !== undefined && Number.isNaN(Date.parse(user.registered))) {
      throw errors.IMPORT_SITE_INVALID(`"registered" of the user ${user.login} is no date`)
    }
    logins.add(known)
  }
  return site
}

/** What the site that imports has registered. */
export interface Known {
  settings: Pick<Settings, 'all' | 'shown'>
  roles: Pick<Roles, 'all' | 'get'>
}

/**
 * The site file with its settings as the options keep them: under their own names, checked and made ready as where they
 * are written through the interface.
 * @throws RestError IMPORT_SITE_INVALID that names a setting or a role which is not registered, or a wrong value
 */
export function fitToSite(site: SiteFile, { settings, roles }: Known): SiteFile {
  for (const { login: name, role } of site.users ?? []) {
    if (role === undefined || roles.get(role) !== undefined) continue
    const known = roles.all().map((one) => one.name)
    throw errors.IMPORT_SITE_INVALID(`the role ${role} of the user ${name} is not registered here${meant(role, known)}`)
  }
  const shown = settings.shown()
  const kept: Record<string, Value> = {}
  for (const [name, value] of Object.entries(site.settings ?? {})) {
    const place = shown.find((one) => one.name === name)
    const setting = place?.setting ?? settings.all().find((one) => one.name === name)
    if (setting === undefined) {
      const known = [...shown, ...settings.all()].map((one) => one.name)
      throw errors.IMPORT_SITE_INVALID(`no plugin of this site registers the setting "${name}"${meant(name, known)}`)
    }
    if (setting.read !== undefined) throw errors.IMPORT_SITE_INVALID(`the setting "${name}" follows from the config`)
    // No value: the default of the site.
    if (value === null) continue
    try {
      const parsed = parseValue(value, place?.schema ?? { type: setting.type }, name)
      kept[setting.name] = (setting.sanitize_callback?.(parsed) ?? parsed) as Value
    } catch (cause) {
      throw errors.IMPORT_SITE_INVALID(`the setting "${name}" is wrong (${(cause as Error).message})`, { cause })
    }
  }
  return site.settings === undefined ? site : { ...site, settings: kept }
}

function meant(name: string, known: readonly string[]): string {
  const found = suggest(name, known)
  return found === '' ? '' : `: did you mean ${found}?`
}

/** The first thing that is wrong, with its place. */
function explained(): string {
  const error = validate.errors?.[0]
  const place = error?.instancePath === '' ? 'it' : `"${error?.instancePath.slice(1)}"`
  const extra = error?.keyword === 'additionalProperties' ? ` (${String(error.params['additionalProperty'])})` : ''
  return `${place} ${error?.message ?? 'is wrong'}${extra}`
}
