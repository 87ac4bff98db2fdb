import { Ajv } from 'ajv'
import { isObject } from '../../../kernel/index.ts'
import { suggest } from '../../library/suggestions/index.ts'
import { cleanJson } from '../../library/markup/index.ts'
import { parseValue } from '../../requests/arguments/index.ts'
import type { Roles } from '../../people/roles/index.ts'
import type { Settings } from '../../foundation/settings/index.ts'
import { MAX_EMAIL_LENGTH, MAX_META_KEY_LENGTH, MAX_LOGIN_LENGTH } from './column-limits.ts'
import { errors } from './errors.ts'
import { fromOptionDump, isOptionDump } from './option-dump.ts'
import type { Value } from './php-values.ts'
import { foreignPhrase, phrase, phraseOf, type ReportPhrase } from './phrases.ts'

export interface SiteUser {
  id?: number
  login: string
  role?: string
  /** Names of all roles, instead of `role`. */
  roles?: string[]
  email?: string
  /** Plain text; a user without a password cannot log in. */
  password?: string
  /** Hash of the password, as an export of this program contains it, instead of `password`. */
  password_hash?: string
  /** Passwords in plain text. */
  application_passwords?: { name: string; uuid: string; password: string; scopes?: 'accounts'[] }[]
  /** ISO 8601. */
  registered?: string
  name?: string
  first_name?: string
  last_name?: string
  nickname?: string
  slug?: string
  /** URL of the page with the posts of the user on the old site. It redirects to the page of this site. */
  link?: string
  url?: string
  bio?: string
  /** Further meta by key; each entry of a list is stored as a separate value. */
  meta?: Record<string, Value>
}

/** A term, which need not be used by an item of the export. */
export interface SiteTerm {
  /** ID in the export. */
  id: number
  taxonomy: string
  name: string
  slug: string
  description?: string
  /** Slug of the parent. */
  parent?: string
  /** URL of the page of the term on the old site. It redirects to the page of this site. */
  link?: string
}

/** Data that an export lacks: users with roles and passwords, settings, permalinks, terms, menus, the theme. */
export interface SiteFile {
  users?: SiteUser[]
  terms?: SiteTerm[]
  menus?: {
    /** The menu of each location of the theme, by its ID in the export. */
    locations?: Record<string, { menu: number; menu_slug?: string; description?: string }>
    /** IDs in the export of the menus to which new top-level pages are added. */
    auto_add?: number[]
  }
  /**
   * The highest IDs of the old site. Not used: new items, terms, comments and users always get higher IDs than the
   * export.
   */
  last_ids?: Record<string, number>
  /** By option name. */
  settings?: Record<string, Value>
  /** Options of plugins by name, stored unless this site has them. Plugins read them from the service `options`. */
  options?: Record<string, Value>
  /** Structure of post URLs: `/%year%/%monthnum%/%day%/%postname%/`. */
  permalink?: string
  /** Parts of the URLs of categories and tags: `topics`. */
  category_base?: string
  tag_base?: string
  theme?: Record<string, Value> & {
    /**
     * Folder with the files of the theme, relative to the site file. It is copied to `themes/STYLESHEET` of the site.
     */
    folder?: string
  }
}

/** Characters of an encoded hash. */
const MAX_HASH_LENGTH = 1000

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
    login: { type: 'string', minLength: 1, maxLength: MAX_LOGIN_LENGTH },
    role: text,
    roles: { type: 'array', items: text, uniqueItems: true },
    email: { type: 'string', maxLength: MAX_EMAIL_LENGTH },
    password: text,
    password_hash: { type: 'string', maxLength: MAX_HASH_LENGTH },
    application_passwords: { type: 'array', items: applicationPassword },
    registered: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d([T ].*)?$' },
    name: text,
    first_name: text,
    last_name: text,
    nickname: text,
    slug: { type: 'string', maxLength: 200 },
    link: text,
    url: text,
    bio: text,
    meta: { type: 'object', propertyNames: { maxLength: MAX_META_KEY_LENGTH } },
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

/** Properties of the theme in a site file. */
export const THEME_KEYS: ReadonlySet<string> = new Set(Object.keys(theme.properties))

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
    link: text,
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
    options: { type: 'object', propertyNames: { minLength: 1, maxLength: 191 } },
    permalink: text,
    category_base: text,
    tag_base: text,
    theme,
    last_ids: { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } },
  },
} as const

const validate = new Ajv({ allErrors: false }).compile<SiteFile>(siteFileSchema)

/**
 * Parses a site file. Its texts are cleaned like those of requests.
 * @param source JSON text
 * @param home home URL of this site, which replaces `{{home}}`
 * @throws RestError IMPORT_SITE_INVALID with the fault
 */
export function readSiteFile(source: string, home: string): SiteFile {
  const read = parse(source, home)
  const site = isObject(read) && isOptionDump(read) ? fromOptionDump(read) : read
  if (!validate(site)) throw invalid(foreignPhrase(firstError()))
  const logins = new Set<string>()
  for (const { login, registered } of site.users ?? []) {
    if (logins.has(login.toLowerCase())) throw invalid(phrase('two users have the login {login}', { login }))
    if (registered !== undefined && Number.isNaN(Date.parse(registered))) {
      throw invalid(phrase('"registered" of the user {login} is not a date', { login }))
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
    throw invalid(phrase('it is not valid JSON ({reason})', { reason: phraseOf(cause) }), cause)
  }
}

function firstError(): string {
  const error = validate.errors?.[0]
  const place = error?.instancePath === '' ? 'it' : `"${error?.instancePath.slice(1)}"`
  const extra = error?.keyword === 'additionalProperties' ? ` (${String(error.params['additionalProperty'])})` : ''
  return `${place} ${error?.message ?? 'is wrong'}${extra}`
}

/** Merges site files; later ones take precedence. */
export function mergeSiteFiles(files: readonly SiteFile[]): SiteFile {
  const merged: SiteFile = {}
  for (const { users, terms, menus, settings, options, theme, ...others } of files) {
    Object.assign(merged, others)
    if (users !== undefined) merged.users = [...(merged.users ?? []), ...users]
    if (terms !== undefined) merged.terms = [...(merged.terms ?? []), ...terms]
    if (menus !== undefined) merged.menus = { ...merged.menus, ...menus }
    if (settings !== undefined) merged.settings = { ...merged.settings, ...settings }
    if (options !== undefined) merged.options = { ...merged.options, ...options }
    if (theme !== undefined) merged.theme = { ...merged.theme, ...theme }
  }
  return merged
}

/** Settings and roles registered by plugins of this site. */
export interface Registered {
  settings: Pick<Settings, 'all' | 'shown'>
  roles: Pick<Roles, 'all' | 'get'>
}

/**
 * Validates and sanitizes the settings of a site file like those sent to the REST API, and renames them to their
 * options.
 * @throws RestError IMPORT_SITE_INVALID for an unregistered setting or role, or an invalid value
 */
export function fitToSite(site: SiteFile, { settings, roles }: Registered): SiteFile {
  const named = (site.users ?? []).flatMap(({ login, role, roles: several = [] }) =>
    [...(role === undefined ? [] : [role]), ...several].map((one) => ({ login, role: one })),
  )
  for (const { login, role } of named) {
    if (roles.get(role) !== undefined) continue
    const reason = phrase('the role {role} of the user {login} is not registered on this site', { role, login })
    throw invalid(withHint(reason, role, roles.all()))
  }
  if (site.settings === undefined) return site
  const optionEntries = Object.entries(site.settings).flatMap(([name, value]) => optionOf(name, value, settings))
  return { ...site, settings: Object.fromEntries(optionEntries) }
}

/** The option of a setting and its value. @param name of the setting in the REST API, or of the option */
function optionOf(name: string, value: Value, settings: Registered['settings']): [option: string, value: Value][] {
  const shown = settings.shown().find((one) => one.name === name)
  const setting = shown?.setting ?? settings.all().find((one) => one.name === name)
  if (setting === undefined) {
    const reason = phrase('no plugin of this site registers the setting "{name}"', { name })
    throw invalid(withHint(reason, name, [...settings.shown(), ...settings.all()]))
  }
  if (setting.read !== undefined)
    throw invalid(phrase('the setting "{name}" is defined by the config and cannot be imported', { name }))
  // A setting without a value keeps its default.
  if (value === null) return []
  try {
    const parsed = parseValue(value, shown?.schema ?? { type: setting.type }, name)
    return [[setting.name, (setting.sanitize_callback?.(parsed) ?? parsed) as Value]]
  } catch (cause) {
    throw invalid(phrase('the setting "{name}" is invalid ({reason})', { name, reason: phraseOf(cause) }), cause)
  }
}

function invalid(reason: ReportPhrase, cause?: unknown): Error {
  return errors.IMPORT_SITE_INVALID({ reason }, { cause })
}

/** Adds the most similar name to a reason. */
function withHint(reason: ReportPhrase, name: string, candidates: readonly { name: string }[]): ReportPhrase {
  const found = suggest(
    name,
    candidates.map((one) => one.name),
  )
  return found === '' ? reason : phrase('{reason}: did you mean {name}?', { reason, name: found })
}
