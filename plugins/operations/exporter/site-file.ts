import path from 'node:path'
import type { PluginContext } from '../../../kernel/index.ts'
import { LOCATIONS_OPTION, MENU_TAXONOMY } from '../../content/menu-items.ts'
import { parseValue } from '../../requests/arguments/index.ts'
import type { Setting } from '../../foundation/settings/index.ts'
import type { PropertySchema } from '../../resources/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { loadThemeFiles, type SiteFile, type Value } from '../importer/index.ts'
import { OutputFile } from './output-file.ts'
import { siteUsers } from './site-users.ts'

/** Options with a key of their own in a site file, or in the export. */
const ELSEWHERE: ReadonlySet<string> = new Set(['permalink', 'sticky_posts', 'theme'])

const PERMALINK_OPTIONS = ['permalink', 'category_base', 'tag_base'] as const

/** The option of the menus to which new pages are added. */
const AUTO_ADD_OPTION = 'menus_auto_add'

/**
 * Writes a site file: settings, permalinks, users with roles, menu locations and the theme. The files of an own theme are copied
 * next to it.
 */
export async function writeSiteFile(
  plugin: PluginContext,
  reader: Store,
  file: string,
  { passwordHashes }: { passwordHashes: boolean },
): Promise<{ output: OutputFile; notes: string[] }> {
  const notes: string[] = []
  const rows = await reader.all(reader.db.selectFrom('options').select(['name', 'value']).orderBy('name'))
  const options = new Map(rows.map(({ name, value }) => [name, JSON.parse(value) as Value]))
  const output = await OutputFile.open(file)
  try {
    const menus = await menusOf(reader, options)
    const theme = await themeOf(plugin, options, file, notes)
    const bases = PERMALINK_OPTIONS.map((name) => [name, options.get(name)] as const)
    const site: Omit<SiteFile, 'users'> = {
      settings: settingsOf(plugin, options, notes),
      ...Object.fromEntries(bases.filter(([, value]) => typeof value === 'string')),
      ...(theme !== undefined && { theme }),
      ...(menus !== undefined && { menus }),
    }
    // Users are written one after another: a site can have millions of them.
    await output.write(`${JSON.stringify(site, null, 2).slice(0, -2)},\n  "users": [`)
    let separator = '\n    '
    for await (const user of siteUsers(plugin, reader, passwordHashes)) {
      await output.write(`${separator}${JSON.stringify(user)}`)
      separator = ',\n    '
    }
    await output.write('\n  ]\n}\n')
    await output.finish()
    return { output, notes }
  } catch (error) {
    await output.discard()
    throw error
  }
}

/** The stored values of registered settings, by their names in the REST API or of their options. */
function settingsOf(
  { services }: PluginContext,
  options: ReadonlyMap<string, Value>,
  notes: string[],
): Record<string, Value> {
  const values: Record<string, Value> = {}
  for (const setting of services.settings.all()) {
    const value = options.get(setting.name)
    if (value === undefined || value === null || ELSEWHERE.has(setting.name) || setting.read !== undefined) continue
    const shown = services.settings.shown().find((one) => one.setting.name === setting.name)
    if (isValid(setting, shown?.schema, value)) values[shown?.name ?? setting.name] = value
    else notes.push(`1 × setting whose stored value is invalid; not exported (${setting.name})`)
  }
  return values
}

function isValid(setting: Setting, schema: PropertySchema | undefined, value: Value): boolean {
  try {
    parseValue(value, schema ?? { type: setting.type }, setting.name)
    return true
  } catch {
    return false
  }
}

async function menusOf(reader: Store, options: ReadonlyMap<string, Value>): Promise<SiteFile['menus']> {
  const locations = options.get(LOCATIONS_OPTION)
  const added = options.get(AUTO_ADD_OPTION)
  const query = reader.db.selectFrom('terms').select(['id', 'slug']).where('taxonomy', '=', MENU_TAXONOMY)
  const slugs = new Map((await reader.all(query)).map(({ id, slug }) => [id, slug]))
  const theme = options.get('theme')
  const descriptions = isRecord(theme) && isRecord(theme['menus']) ? theme['menus'] : {}
  const entries = isRecord(locations)
    ? Object.entries(locations).flatMap(([location, menu]) => {
        const slug = slugs.get(Number(menu))
        const { [location]: description } = descriptions
        const described = typeof description === 'string' && { description }
        return slug === undefined ? [] : [[location, { menu: Number(menu), menu_slug: slug, ...described }] as const]
      })
    : []
  const autoAdd = Array.isArray(added) ? added.map(Number).filter((menu) => slugs.has(menu)) : []
  if (entries.length === 0 && autoAdd.length === 0) return undefined
  return {
    ...(entries.length > 0 && { locations: Object.fromEntries(entries) }),
    ...(autoAdd.length > 0 && { auto_add: autoAdd }),
  }
}

/** The stored theme, and its files if this site has the folder. */
async function themeOf(
  plugin: PluginContext,
  options: ReadonlyMap<string, Value>,
  file: string,
  notes: string[],
): Promise<SiteFile['theme']> {
  const stored = options.get('theme')
  if (!isRecord(stored)) return undefined
  const { copyTheme, THEME_KEYS } = await loadThemeFiles()
  const theme = Object.fromEntries(Object.entries(stored).filter(([key]) => THEME_KEYS.has(key)))
  const { stylesheet } = theme
  if (typeof stylesheet !== 'string' || !/^[a-z0-9][a-z0-9_-]*$/i.test(stylesheet)) return theme
  const source = path.join(plugin.config.folder, 'themes', stylesheet)
  const target = path.join(path.dirname(file), 'themes')
  if (path.resolve(path.join(target, stylesheet)) === path.resolve(source))
    return { ...theme, folder: `themes/${stylesheet}` }
  try {
    const copied = await copyTheme({ stylesheet, source }, target)
    if (copied === null)
      notes.push(`1 × theme whose files already exist next to the site file; unchanged (${stylesheet})`)
  } catch (error) {
    // The default theme and themes of other sites have no folder here.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return theme
    throw error
  }
  return { ...theme, folder: `themes/${stylesheet}` }
}

function isRecord(value: unknown): value is Record<string, Value> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
