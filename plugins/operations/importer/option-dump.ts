import { isObject } from '../../../kernel/index.ts'

/** The settings of options with other names or types in WordPress, by the names in an export of its options table. */
const SETTINGS: Readonly<Record<string, { readonly name: string; readonly isNumber?: true }>> = {
  __proto__: null as never,
  blogname: { name: 'title' },
  blogdescription: { name: 'description' },
  admin_email: { name: 'email' },
  timezone_string: { name: 'timezone' },
  date_format: { name: 'date_format' },
  time_format: { name: 'time_format' },
  start_of_week: { name: 'start_of_week', isNumber: true },
  posts_per_page: { name: 'posts_per_page', isNumber: true },
  default_category: { name: 'default_category', isNumber: true },
  default_comment_status: { name: 'default_comment_status' },
  default_ping_status: { name: 'default_ping_status' },
  show_on_front: { name: 'show_on_front' },
  page_on_front: { name: 'page_on_front', isNumber: true },
  page_for_posts: { name: 'page_for_posts', isNumber: true },
  wp_page_for_privacy_policy: { name: 'page_for_privacy_policy', isNumber: true },
}
/** Options of media files, which keep their names, with the types of their settings. Dumps contain them as texts. */
const MEDIA_OPTIONS: Readonly<Record<string, 'number' | 'boolean'>> = {
  thumbnail_size_w: 'number',
  thumbnail_size_h: 'number',
  thumbnail_crop: 'boolean',
  medium_size_w: 'number',
  medium_size_h: 'number',
  large_size_w: 'number',
  large_size_h: 'number',
  uploads_use_yearmonth_folders: 'boolean',
}
/** Options that say nothing about the content, or that the export or the site file holds in another place. */
const IGNORED: ReadonlySet<string> = new Set(['sticky_posts', 'siteurl', 'home', 'active_plugins', 'cron'])

/** Returns whether a site file is a dump of options, users and tables of a WordPress site. */
export function isOptionDump(file: Readonly<Record<string, unknown>>): boolean {
  const { options, settings } = file
  return settings === undefined && isObject(options) && Object.keys(options).some((name) => name in SETTINGS)
}

/**
 * Converts a dump of a WordPress site to the keys of a site file: `options` by their names, `users` with `display_name`
 * and `roles`, rows of user meta in keys that begin with `usermeta`, and rows of tables of plugins under further keys.
 * Options of plugins and tables are stored as options under their names.
 */
export function fromOptionDump(dump: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { home: _, options: dumped, users, ...others } = dump
  const options = { ...(dumped as Record<string, unknown>) }
  const settings: Record<string, unknown> = {}
  for (const [name, { name: setting, isNumber }] of Object.entries(SETTINGS)) {
    const value = options[name]
    if (value === undefined) continue
    delete options[name]
    if (value !== '') settings[setting] = isNumber === true ? Number(value) : value
  }
  for (const [name, type] of Object.entries(MEDIA_OPTIONS)) {
    const number = Number(options[name])
    if (options[name] !== undefined) options[name] = type === 'number' ? number || 0 : number === 1
  }
  const site: Record<string, unknown> = { settings }
  const { permalink_structure: permalink, stylesheet, template } = options
  if (typeof permalink === 'string') site['permalink'] = permalink
  if (typeof stylesheet === 'string') {
    site['theme'] = { stylesheet, ...(typeof template === 'string' && { template }) }
    const locations = menuLocations(options[`theme_mods_${stylesheet}`])
    if (locations !== null) site['menus'] = { locations }
  }
  for (const name of ['permalink_structure', 'stylesheet', 'template', ...IGNORED]) delete options[name]
  const meta: MetaRow[] = []
  for (const [key, value] of Object.entries(others)) {
    if (key.startsWith('usermeta') && Array.isArray(value)) meta.push(...(value as MetaRow[]))
    else options[key] = value
  }
  if (Array.isArray(users)) site['users'] = users.map((user: unknown) => siteUser(user, meta))
  return { ...site, options }
}

interface MetaRow {
  readonly user_id: unknown
  readonly meta_key: string
  readonly meta_value: unknown
}

/** Returns the menu of each location. The theme's further options are not imported. */
function menuLocations(mods: unknown): Record<string, { menu: number }> | null {
  const locations = isObject(mods) ? mods['nav_menu_locations'] : undefined
  if (!isObject(locations)) return null
  const used = Object.entries(locations).filter(([, menu]) => Number(menu) > 0)
  return Object.fromEntries(used.map(([location, menu]) => [location, { menu: Number(menu) }]))
}

function siteUser(user: unknown, rows: readonly MetaRow[]): unknown {
  if (!isObject(user)) return user
  const { display_name: name, roles, ...others } = user
  const meta: Record<string, unknown> = {}
  for (const { user_id: id, meta_key: key, meta_value: value } of rows) {
    if (Number(id) === user['id']) meta[key] = value
  }
  return {
    ...others,
    ...(name !== undefined && { name }),
    ...(Array.isArray(roles) && roles.length > 0 && { role: roles[0] as unknown }),
    ...(Object.keys(meta).length > 0 && { meta }),
  }
}
