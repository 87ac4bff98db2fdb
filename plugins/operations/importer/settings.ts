import type { ImportContext } from './context.ts'
import { mapTexts, type Value } from './php-values.ts'
import type { ImportedPosts } from './posts/posts.ts'
import type { SiteFile } from './site-file.ts'
import type { ImportedTerms } from './terms.ts'
import type { WxrSite } from './wxr/types.ts'

/** Settings that hold the ID of an item, and settings that hold the ID of a term with its taxonomy. */
const ITEM_SETTINGS: readonly string[] = ['page_on_front', 'page_for_posts', 'site_icon', 'site_logo']
const TERM_SETTINGS: Readonly<Record<string, string>> = { __proto__: null as never, default_category: 'category' }
/** The taxonomy of menus. The options `menu_locations` and `menus_auto_add` hold IDs of its terms. */
const MENU_TAXONOMY = 'nav_menu'
/** The option that holds the IDs of sticky posts. */
const STICKY_OPTION = 'sticky_posts'

interface SettingSources {
  /** Head of the export. */
  head: WxrSite | undefined
  site: SiteFile | undefined
  posts: ImportedPosts
  terms: ImportedTerms
}

/**
 * Stores the settings of the site file, or title and tagline of the export. Settings that the site already has are not
 * changed, unless the site was empty.
 */
export async function addSettings(context: ImportContext, { head, site, posts, terms }: SettingSources): Promise<void> {
  const settings = new Map<string, Value>()
  if (head !== undefined && head.title !== '') settings.set('title', head.title)
  if (head !== undefined && head.description !== '') settings.set('description', head.description)
  for (const [name, value] of Object.entries(site?.settings ?? {})) {
    settings.set(name, withIdHere(name, value, posts, terms))
  }
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
  const menuHere = (id: number) => terms.idOfFileId(MENU_TAXONOMY, id)
  if (locations !== undefined) {
    const menus = Object.entries(locations).map(([location, { menu }]) => [location, menuHere(menu)] as const)
    settings.set('menu_locations', Object.fromEntries(menus.filter(([, menu]) => menu !== 0)))
  }
  if (autoAdd !== undefined)
    settings.set(
      'menus_auto_add',
      autoAdd.map(menuHere).filter((menu) => menu !== 0),
    )
  const replace = posts.preservesIds && site !== undefined
  for (const [name, value] of settings) await setOption(context, name, value, replace)
  for (const [name, value] of Object.entries(site?.options ?? {})) {
    if (!settings.has(name)) await setOption(context, name, mapTexts(value, context.rewrite), false)
  }
  if (posts.sticky.length > 0) await addSticky(context, posts.sticky)
}

/** Replaces IDs of items and terms in a setting with the IDs of this site. */
function withIdHere(name: string, value: Value, posts: ImportedPosts, terms: ImportedTerms): Value {
  if (typeof value !== 'number' || value === 0) return value
  if (ITEM_SETTINGS.includes(name)) return posts.idOfFileId(value)
  const taxonomy = TERM_SETTINGS[name]
  return taxonomy === undefined ? value : terms.idOfFileId(taxonomy, value) || value
}

async function setOption(context: ImportContext, name: string, setting: Value, replace: boolean): Promise<void> {
  const { tx, counters } = context
  const value = JSON.stringify(setting)
  const insert = tx.db.insertInto('options').values({ name, value })
  const { changes } = await tx.run(
    insert.onConflict((conflict) =>
      replace ? conflict.column('name').doUpdateSet({ value }) : conflict.column('name').doNothing(),
    ),
  )
  if (changes > 0) counters.imported('settings')
  else counters.alreadyHere('settings')
}

async function addSticky({ tx }: ImportContext, ids: readonly number[]): Promise<void> {
  const row = await tx.first(tx.db.selectFrom('options').select('value').where('name', '=', STICKY_OPTION))
  const before = row === undefined ? [] : (JSON.parse(row.value) as number[])
  const value = JSON.stringify([...new Set([...before, ...ids])])
  const insert = tx.db.insertInto('options').values({ name: STICKY_OPTION, value })
  await tx.run(insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ value })))
}
