import type { ImportContext } from './context.ts'
import { fingerprint } from './old-sites/fingerprint.ts'
import { mapTexts, type Value } from './php-values.ts'
import type { SiteFile } from './site-file.ts'
import type { WxrSite } from './wxr/types.ts'

/** The option that holds the IDs of sticky posts. */
const STICKY_OPTION = 'sticky_posts'

interface SettingSources {
  /** Head of the export. */
  head: WxrSite | undefined
  site: SiteFile | undefined
  /** Whether the settings of the site file replace the settings of this site, because the site was empty. */
  replace: boolean
  /** IDs of sticky posts on this site. */
  sticky: readonly number[]
}

/**
 * Stores the settings of the site file, or title and tagline of the export. Settings that the site already has are not
 * changed, unless the site was empty.
 */
export async function addSettings(
  context: ImportContext,
  { head, site, replace, sticky }: SettingSources,
): Promise<void> {
  const settings = new Map<string, Value>()
  if (head !== undefined && head.title !== '') settings.set('title', head.title)
  if (head !== undefined && head.description !== '') settings.set('description', head.description)
  for (const [name, value] of Object.entries(site?.settings ?? {})) settings.set(name, value)
  for (const name of ['permalink', 'category_base', 'tag_base'] as const) {
    if (site?.[name] !== undefined) settings.set(name, site[name])
  }
  const { locations, auto_add: autoAdd } = site?.menus ?? {}
  if (site?.theme !== undefined) {
    const { folder: _, ...theme } = site.theme
    // A theme of the old site registers its menu locations in code, which is not imported.
    const named = Object.entries(locations ?? {}).map(([location, { description = location }]) => [
      location,
      description,
    ])
    settings.set('theme', { ...theme, ...(named.length > 0 && { menus: Object.fromEntries(named) as Value }) })
  }
  if (locations !== undefined) {
    const menus = Object.entries(locations).map(([location, { menu }]) => [location, menu] as const)
    settings.set('menu_locations', Object.fromEntries(menus))
  }
  if (autoAdd !== undefined) settings.set('menus_auto_add', [...autoAdd])
  for (const [name, value] of settings) await setOption(context, name, value, replace)
  for (const [name, value] of Object.entries(site?.options ?? {})) {
    if (!settings.has(name)) await setOption(context, name, mapTexts(value, context.rewrite), false)
  }
  if (sticky.length > 0) await addSticky(context, sticky)
}

/** Stores an option. @param setting its value with IDs of the old site */
async function setOption(context: ImportContext, name: string, setting: Value, replace: boolean): Promise<void> {
  const { counters, links, pending, tx, values } = context
  const map = () => values.mapOption(name, setting)
  await links.load(links.collect(map))
  const mapped = links.resolve(map)
  const value = JSON.stringify(mapped.value)
  const insert = tx.db.insertInto('options').values({ name, value })
  const { changes } = await tx.run(
    insert.onConflict((conflict) =>
      replace ? conflict.column('name').doUpdateSet({ value }) : conflict.column('name').doNothing(),
    ),
  )
  if (changes === 0) return counters.alreadyHere('settings')
  counters.imported('settings')
  if (mapped.missing.length === 0) return
  const source = JSON.stringify(setting)
  const written = fingerprint([value])
  pending.add({ holder: 'option', holderId: 0, field: name, targets: mapped.missing, source, written })
}

async function addSticky({ tx }: ImportContext, ids: readonly number[]): Promise<void> {
  const row = await tx.first(tx.db.selectFrom('options').select('value').where('name', '=', STICKY_OPTION))
  const before = row === undefined ? [] : (JSON.parse(row.value) as number[])
  const value = JSON.stringify([...new Set([...before, ...ids])])
  const insert = tx.db.insertInto('options').values({ name: STICKY_OPTION, value })
  await tx.run(insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ value })))
}
