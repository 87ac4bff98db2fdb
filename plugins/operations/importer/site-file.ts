import { Ajv } from 'ajv'
import { suggest } from '../../library/suggestions/index.ts'
import { cleanJson } from '../../library/markup/index.ts'
import { parseValue } from '../../requests/arguments/index.ts'
import type { Roles } from '../../people/roles/index.ts'
import type { Settings } from '../../foundation/settings/index.ts'
import { LONGEST_EMAIL, LONGEST_KEY, LONGEST_LOGIN } from './column-limits.ts'
import { errors } from './errors.ts'
import type { Value } from './php-values.ts'

export interface SiteUser {
  id?: number
  login: string
  role?: string
  email?: string
  /** In plain text; without one nobody can log in. */
  password?: string
  /** In plain text as well. */
  application_passwords?: { name: string; uuid: string; password: string; scopes?: 'accounts'[] }[]
  /** ISO 8601. */
  registered?: string
  name?: string
  first_name?: string
  last_name?: string
  nickname?: string
  slug?: string
  url?: string
  bio?: string
  /** Further meta by key; the entries of a list are values of their own. */
  meta?: Record<string, Value>
}

/** A term that no item of an export need name. */
export interface SiteTerm {
  /** As in the export. */
  id: number
  taxonomy: string
  name: string
  slug: string
  description?: string
  /** Slug of the parent. */
  parent?: string
}

/** What an export does not carry: users with roles and passwords, settings, permalinks, terms, menus, the theme. */
export interface SiteFile {
  users?: SiteUser[]
  terms?: SiteTerm[]
  menus?: {
    /** The menu at each location of the theme: its ID in the export. */
    locations?: Record<string, { menu: number; menu_slug?: string; description?: string }>
    /** IDs in the export of the menus that new pages of the top level are added to. */
    auto_add?: number[]
  }
  /** The highest IDs of the old site. New items, terms, comments and users get IDs above those of the export in any case. */
  last_ids?: Record<string, number>
  /** By the names of the options. */
  settings?: Record<string, Value>
  /** Structure of post URLs, `/%year%/%monthnum%/%day%/%postname%/`. */
  permalink?: string
  theme?: Record<string, Value> & {
    /** Folder with the files of the theme, relative to the site file; it is copied to `themes/STYLESHEET` of the site. */
    folder?: string
  }
}

const text = { type: 'string' } as const

const applicationPassword = {
  type: 'object',
  required: ['name', 'uuid', 'password'],
  additionalProperties: false,
  properties: {
    name: text,
    uuid: { type: 'string', minLength: 1, maxLength: 64 },
    password: { type: 'string', minLength: 1 },
    scopes: { type: 'array', items: { type: 'string', enum: ['accounts'] }, uniqueItems: true },
  },
} as const

const user = {
  type: 'object',
  required: ['login'],
  additionalProperties: false,
  properties: {
    id: { type: 'integer', minimum: 1, maximum: 2 ** 32 - 1 },
    login: { type: 'string', minLength: 1, maxLength: LONGEST_LOGIN },
    role: text,
    email: { type: 'string', maxLength: LONGEST_EMAIL },
    password: text,
    application_passwords: { type: 'array', items: applicationPassword },
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
} as const

const theme = {
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
    folder: { type: 'string', minLength: 1 },
  },
} as const

const id = { type: 'integer', minimum: 1, maximum: 2 ** 32 - 1 } as const

const term = {
  type: 'object',
  required: ['id', 'taxonomy', 'name', 'slug'],
  additionalProperties: false,
  properties: {
    id,
    taxonomy: { type: 'string', minLength: 1, maxLength: 32 },
    name: { type: 'string', maxLength: 200 },
    slug: { type: 'string', minLength: 1, maxLength: 200 },
    description: text,
    parent: text,
  },
} as const

const menus = {
  type: 'object',
  additionalProperties: false,
  properties: {
    locations: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['menu'],
        additionalProperties: false,
        properties: { menu: id, menu_slug: text, description: text },
      },
    },
    auto_add: { type: 'array', items: id },
  },
} as const

const siteFileSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    users: { type: 'array', items: user },
    terms: { type: 'array', items: term },
    menus,
    settings: { type: 'object' },
    permalink: text,
    theme,
    last_ids: { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } },
  },
} as const

const validate = new Ajv({ allErrors: false }).compile<SiteFile>(siteFileSchema)

/**
 * Reads a site file. Its texts are cleaned as those of requests are.
 * @param source its JSON text
 * @param home new home URL; replaces `{{home}}`
 * @throws RestError IMPORT_SITE_INVALID that names what is wrong
 */
export function readSiteFile(source: string, home: string): SiteFile {
  const site = parse(source, home)
  if (!validate(site)) throw errors.IMPORT_SITE_INVALID(firstError())
  const logins = new Set<string>()
  for (const { login, registered } of site.users ?? []) {
    if (logins.has(login.toLowerCase())) throw errors.IMPORT_SITE_INVALID(`two users have the login ${login}`)
    if (registered !== undefined && Number.isNaN(Date.parse(registered))) {
      throw errors.IMPORT_SITE_INVALID(`"registered" of the user ${login} is no date`)
    }
    logins.add(login.toLowerCase())
  }
  return site
}

function parse(source: string, home: string): unknown {
  try {
    const read: unknown = JSON.parse(source, (_key, value: unknown) =>
      typeof value === 'string' ? value.replaceAll('{{home}}', home) : value,
    )
    return cleanJson(read)
  } catch (cause) {
    throw errors.IMPORT_SITE_INVALID(`it is not JSON (${(cause as Error).message})`, { cause })
  }
}

function firstError(): string {
  const error = validate.errors?.[0]
  const place = error?.instancePath === '' ? 'it' : `"${error?.instancePath.slice(1)}"`
  const extra = error?.keyword === 'additionalProperties' ? ` (${String(error.params['additionalProperty'])})` : ''
  return `${place} ${error?.message ?? 'is wrong'}${extra}`
}

/** One site file of several; what a later one says of something wins. */
export function mergeSiteFiles(files: readonly SiteFile[]): SiteFile {
  const merged: SiteFile = {}
  for (const { users, terms, menus, settings, theme, ...others } of files) {
    Object.assign(merged, others)
    if (users !== undefined) merged.users = [...(merged.users ?? []), ...users]
    if (terms !== undefined) merged.terms = [...(merged.terms ?? []), ...terms]
    if (menus !== undefined) merged.menus = { ...merged.menus, ...menus }
    if (settings !== undefined) merged.settings = { ...merged.settings, ...settings }
    if (theme !== undefined) merged.theme = { ...merged.theme, ...theme }
  }
  return merged
}

/** What the plugins of this site have registered. */
export interface Registered {
  settings: Pick<Settings, 'all' | 'shown'>
  roles: Pick<Roles, 'all' | 'get'>
}

/**
 * The site file with its settings as the options keep them: under their own names, checked and sanitised as where they
 * are written through the REST API.
 * @throws RestError IMPORT_SITE_INVALID that names a setting or a role which is not registered, or a wrong value
 */
export function fitToSite(site: SiteFile, { settings, roles }: Registered): SiteFile {
  for (const { login, role } of site.users ?? []) {
    if (role === undefined || roles.get(role) !== undefined) continue
    const hint = didYouMean(role, roles.all())
    throw errors.IMPORT_SITE_INVALID(`the role ${role} of the user ${login} is not registered here${hint}`)
  }
  if (site.settings === undefined) return site
  const kept = Object.entries(site.settings).flatMap(([name, value]) => optionOf(name, value, settings))
  return { ...site, settings: Object.fromEntries(kept) }
}

/** The option that keeps a setting, with its value there. @param name as the REST API shows it, or of the option */
function optionOf(name: string, value: Value, settings: Registered['settings']): [option: string, value: Value][] {
  const shown = settings.shown().find((one) => one.name === name)
  const setting = shown?.setting ?? settings.all().find((one) => one.name === name)
  if (setting === undefined) {
    const hint = didYouMean(name, [...settings.shown(), ...settings.all()])
    throw errors.IMPORT_SITE_INVALID(`no plugin of this site registers the setting "${name}"${hint}`)
  }
  if (setting.read !== undefined) throw errors.IMPORT_SITE_INVALID(`the setting "${name}" follows from the config`)
  // Without a value it has the default of the site.
  if (value === null) return []
  try {
    const parsed = parseValue(value, shown?.schema ?? { type: setting.type }, name)
    return [[setting.name, (setting.sanitize_callback?.(parsed) ?? parsed) as Value]]
  } catch (cause) {
    throw errors.IMPORT_SITE_INVALID(`the setting "${name}" is wrong (${(cause as Error).message})`, { cause })
  }
}

function didYouMean(name: string, known: readonly { name: string }[]): string {
  const found = suggest(
    name,
    known.map((one) => one.name),
  )
  return found === '' ? '' : `: did you mean ${found}?`
}
