import type { Value } from '../php-values.ts'
import { fitToSite, type Registered, type SiteFile, type SiteUser } from '../site-file.ts'
import { customFields, metaOf, type Conversion, type Note } from './convert/conversion.ts'
import { OldLanguages } from './convert/languages.ts'
import { stylesheetOf, type Extras } from './extras.ts'
import { readValue } from '../php-values.ts'
import { dateOf, idOf, listOf, objectOf, rawOf, text, type OldObject } from './values.ts'

/** Settings that are defined by the config of this site, or that the import sets itself. */
const OWN_SETTINGS: readonly string[] = ['url', 'email']
/** Fields of a theme that are stored. */
const THEME_TEXTS = ['template', 'name', 'version', 'description', 'author', 'author_uri', 'theme_uri', 'textdomain']

interface SiteDataParts {
  readonly extras: Extras
  readonly users: readonly SiteUser[]
  /** Menus of the old site. */
  readonly menus: readonly OldObject[]
  /** Permalink structure of posts; null if it is unknown. */
  readonly permalink: string | null
  readonly registered: Registered
  readonly note: Note
}

/** The data of the old site that an export lacks: users with roles, settings, locations of menus, the theme. */
export function siteData({ extras, users, menus, permalink, registered, note }: SiteDataParts): SiteFile {
  const locations = Object.entries(extras.locations).flatMap(([location, value]) => {
    const { menu, description } = objectOf(value)
    return idOf(menu) === 0 ? [] : [[location, { menu: idOf(menu), description: text(description) }] as const]
  })
  const stylesheet = stylesheetOf(extras.theme)
  const autoAdd = menus.filter(({ auto_add: isAutomatic }) => isAutomatic === true).map(({ id }) => idOf(id))
  return {
    users: [...users],
    options: new OldLanguages(extras.languages).options(),
    settings: settingsHere(extras.settings, registered, note),
    ...(permalink !== null && { permalink }),
    ...(stylesheet !== '' && { theme: themeOf(extras.theme, stylesheet) }),
    menus: {
      ...(locations.length > 0 && { locations: Object.fromEntries(locations) }),
      ...(autoAdd.length > 0 && { auto_add: autoAdd }),
    },
  }
}

function themeOf(theme: OldObject, stylesheet: string): NonNullable<SiteFile['theme']> {
  const texts = THEME_TEXTS.map((name) => [name, rawOf(theme[name])] as const).filter(([, value]) => value !== '')
  return { stylesheet, ...Object.fromEntries(texts) }
}

/** The settings that plugins of this site register, with valid values. */
function settingsHere(settings: OldObject, registered: Registered, note: Note): Record<string, Value> {
  const all: Record<string, Value> = {}
  for (const [name, value] of Object.entries(settings)) {
    if (OWN_SETTINGS.includes(name) || value === null || value === '') continue
    try {
      Object.assign(all, fitToSite({ settings: { [name]: value as Value } }, registered).settings)
    } catch {
      note('setting that is not registered here, or whose value is not valid here; left out', name)
    }
  }
  return all
}

/** Converts a user. Without rights on the old site, its login name is not known: the slug takes its place. */
export function userOf(object: OldObject, conversion: Conversion, registered: Registered): SiteUser | null {
  const { note } = conversion
  const login = text(object['username']) || text(object['slug'])
  if (login === '') return null
  const roles = listOf(object['roles']).map(text)
  const role = roles.find((name) => registered.roles.get(name) !== undefined)
  if (roles.length > 0 && role === undefined)
    note('user with a role that this site does not have; now a subscriber', `${login}: ${roles.join(', ')}`)
  else if (roles.length > 1) note('user with several roles; only the first one came', `${login}: ${roles.join(', ')}`)
  const registeredDate = dateOf(object['registered_date'])
  const locale = text(object['locale'])
  const fields = [...metaOf(object, conversion, 'users', 'user', ''), ...customFields(object)]
  const meta = fields.map(({ key, value }) => [key, readValue(value)] as const)
  return {
    id: idOf(object['id']),
    login,
    ...(role !== undefined && { role }),
    email: text(object['email']),
    ...(registeredDate !== '' && { registered: `${registeredDate.replace(' ', 'T')}Z` }),
    name: text(object['name']) || login,
    first_name: text(object['first_name']),
    last_name: text(object['last_name']),
    nickname: 'nickname' in object ? text(object['nickname']) : login,
    slug: text(object['slug']),
    link: text(object['link']),
    url: text(object['url']),
    bio: text(object['description']),
    meta: { ...Object.fromEntries(meta), ...(locale !== '' && { locale }) },
  }
}

/** A user for the posts of an author whom the old site does not show. */
export function unknownUser(id: number): SiteUser {
  return { id, login: `author-${id}`, name: `author-${id}` }
}
