import { RequestCache, type PluginContext, type RestError } from '../../../kernel/index.ts'
import type { PropertySchema } from '../../resources/index.ts'
import type { Roles } from '../roles/index.ts'
import { errors } from './errors.ts'

/** The meta of a user. */
export interface Profile {
  readonly first_name: string
  readonly last_name: string
  readonly nickname: string
  readonly description: string
  /** '' for the language of the site. */
  readonly locale: string
  /** Names of roles, without unregistered ones. */
  readonly roles: readonly string[]
}

/** Profile of a user without meta. */
export const NO_PROFILE: Profile = {
  first_name: '',
  last_name: '',
  nickname: '',
  description: '',
  locale: '',
  roles: [],
}

const PROFILE_KEYS = ['first_name', 'last_name', 'nickname', 'description', 'locale', 'roles'] as const

/** Preferences of the editor: any keys. */
const PREFERENCES: PropertySchema = {
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
}

export function registerUserMeta(meta: PluginContext['services']['meta']): void {
  for (const key of PROFILE_KEYS)
    meta.register('user', key, { type: key === 'roles' ? 'array' : 'string', single: true })
  meta.register('user', 'persisted_preferences', {
    show_ui: false,
    type: 'object',
    single: true,
    show_in_rest: { schema: PREFERENCES },
  })
}

/** Returns the profile of a user, batched within a request. */
export async function readProfile(
  { meta, roles }: PluginContext['services'],
  id: number,
  scope: RequestCache,
): Promise<Profile> {
  return profileOf(roles, await Promise.all(PROFILE_KEYS.map((key) => meta.single('user', id, key, scope))))
}

/** @param values in the order of `PROFILE_KEYS` */
function profileOf(roles: Roles, values: readonly unknown[]): Profile {
  const [first_name, last_name, nickname, description, locale] = values.map((value) =>
    typeof value === 'string' ? value : '',
  ) as [string, string, string, string, string]
  return { first_name, last_name, nickname, description, locale, roles: knownRoles(roles, values[5]) }
}

export async function writeProfile(
  { meta }: PluginContext['services'],
  id: number,
  change: Partial<Profile>,
): Promise<void> {
  const metaEntries = PROFILE_KEYS.flatMap((key) => (change[key] === undefined ? [] : [[key, [change[key]]] as const]))
  await meta.writeAll('user', id, Object.fromEntries(metaEntries), new RequestCache())
}

/** Returns the stored role names that are registered, each once. */
export function knownRoles(roles: Roles, stored: unknown): string[] {
  const names = Array.isArray(stored) ? stored : []
  return [...new Set(names)].filter((name): name is string => typeof name === 'string' && roles.get(name) !== undefined)
}

/** @throws rest_user_invalid_role for an unregistered role */
export function checkRoleNames(roles: Roles, names: readonly string[]): void {
  for (const name of names) {
    const refused = unknownRole(roles, name)
    if (refused !== null) throw refused
  }
}

/** Returns the error for an unregistered role, or null. */
export function unknownRole(roles: Roles, name: string): RestError | null {
  return roles.get(name) === undefined ? errors.rest_user_invalid_role(`There is no role ${name}.`) : null
}
