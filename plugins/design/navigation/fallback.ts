import { RequestCache, VISITOR, type PluginContext } from '../../../kernel/index.ts'
import type { Term } from '../../content/terms/index.ts'
import { MAIN_LOCATION, MENU_TAXONOMY, type MenuItem } from '../menus/index.ts'

/** Finds the navigation for blocks that reference none. */
export interface Navigation {
  /**
   * Returns the ID of the newest published navigation. If none exists and `create` is true, creates one from a classic
   * menu (see the plugin menus) or else from the pages of the site; concurrent calls create only one. Otherwise returns
   * null. Menu locations do not matter unless a classic menu must be chosen.
   */
  fallback(options: { create: boolean }): Promise<number | null>
  /**
   * Returns the navigation for a block that references none. Unlike `fallback`, it prefers the classic menu at the
   * location; then come the newest published navigation and the content that `fallback` would create.
   * @param location '' for the main location
   */
  shown(location: string, scope?: RequestCache | null): Promise<ShownNavigation>
}

/** Title and blocks of a navigation to render. */
export interface ShownNavigation {
  readonly title: string
  readonly content: string
}

export function createNavigation(plugin: PluginContext): Navigation {
  const { branding, has, services } = plugin
  const type = branding.typeName('navigation')

  const newest = async () => {
    const { items } = await services.posts.query(
      { types: [type], statuses: ['publish'], orderby: 'date', order: 'desc', limit: 1, readScope: null },
      new RequestCache(),
    )
    return items[0]?.id ?? null
  }

  const withItems = async (menu: Term, scope: RequestCache): Promise<ShownNavigation | null> => {
    const items = await services.menus.items(menu.id, { scope })
    return items.length === 0 ? null : { title: menu.name, content: blocksOf(items, branding.blockMark) }
  }

  const menuAt = async (location: string, page: RequestCache | null): Promise<ShownNavigation | null> => {
    if (!has('menus')) return null
    const id = (await services.menus.locations(page)).find(({ name }) => name === location)?.menu ?? 0
    const scope = new RequestCache()
    const menu = id === 0 ? undefined : await services.terms.get(id, scope)
    return menu?.taxonomy === MENU_TAXONOMY ? withItems(menu, scope) : null
  }

  const pages = { title: 'Navigation', content: `<!-- ${branding.blockMark}:page-list /-->` }

  /**
   * Returns the classic menu at the main location, else the one whose slug is the name of that location (`primary`),
   * else the newest one with items.
   */
  const classicMenu = async () => {
    if (!has('menus')) return null
    const scope = new RequestCache()
    const { items: menus } = await services.terms.query(
      { taxonomy: MENU_TAXONOMY, hideEmpty: true, orderby: 'id', order: 'desc' },
      scope,
    )
    const at = (await services.menus.locations()).find(({ name }) => name === MAIN_LOCATION)?.menu
    const menu = menus.find(({ id }) => id === at) ?? menus.find(({ slug }) => slug === MAIN_LOCATION) ?? menus[0]
    return menu === undefined ? null : withItems(menu, scope)
  }

  return {
    async shown(location, scope = null) {
      const placed = await menuAt(location || MAIN_LOCATION, scope)
      if (placed !== null) return placed
      const id = await newest()
      const stored = id === null ? undefined : await services.posts.get(id, new RequestCache())
      if (stored !== undefined && stored.password === '') return stored
      return (await classicMenu()) ?? pages
    },
    async fallback({ create }) {
      const current = await newest()
      if (current !== null || !create) return current
      return services.store.inTurn(async () => {
        const created = await newest()
        if (created !== null) return created
        const texts = (await classicMenu()) ?? pages
        const write = { user: VISITOR, scope: new RequestCache() }
        const { id } = await services.posts.create({ type, status: 'publish', slug: 'navigation', ...texts }, write)
        return id
      })
    },
  }
}

/** Converts menu items to navigation blocks. Items whose parent is missing are placed at the top level. */
function blocksOf(items: readonly MenuItem[], mark: string): string {
  const ids = new Set(items.map(({ id }) => id))
  const below = new Map<number, MenuItem[]>()
  for (const item of items) {
    const parent = ids.has(item.parent) && item.parent !== item.id ? item.parent : 0
    const siblings = below.get(parent)
    if (siblings === undefined) below.set(parent, [item])
    else siblings.push(item)
  }
  const shown = (parent: number): string =>
    (below.get(parent) ?? [])
      .map((item) => {
        const inner = shown(item.id)
        const attributes = commentJson(attributesOf(item))
        if (inner === '') return `<!-- ${mark}:navigation-link ${attributes} /-->`
        return `<!-- ${mark}:navigation-submenu ${attributes} -->\n${inner}\n<!-- /${mark}:navigation-submenu -->`
      })
      .join('\n')
  return shown(0)
}

function attributesOf(item: MenuItem): Record<string, unknown> {
  const { type, object, object_id: id, classes, xfn } = item
  const isOfSite = type === 'post_type' || type === 'taxonomy'
  const [className, rel] = [classes.join(' '), xfn.join(' ')]
  return {
    label: item.title,
    ...(object !== '' && { type: object === 'post_tag' ? 'tag' : object }),
    ...(item.description !== '' && { description: item.description }),
    ...(rel !== '' && { rel }),
    ...(item.attr_title !== '' && { title: item.attr_title }),
    ...(className !== '' && { className }),
    ...(item.target === '_blank' && { opensInNewTab: true }),
    ...(isOfSite && { id }),
    url: item.url,
    kind: type === 'post_type' ? 'post-type' : type === 'taxonomy' ? 'taxonomy' : 'custom',
    isTopLevelLink: item.parent === 0,
  }
}

/** Serializes JSON that is safe inside an HTML comment. */
function commentJson(value: unknown): string {
  const escape = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replaceAll('--', '\\u002d\\u002d').replaceAll(/[<>&]/g, escape)
}
