import type { PluginContext, RestRequest, RestServer, Term } from '../../public.ts'
import { menuRow, type ItemOfMenu, type ItemTree, type MenuReader } from './menus.ts'

/** Registers the routes of `api-menus/v2`, which return `[]` for unknown menus. */
export function registerNumberedRoutes(plugin: PluginContext, server: RestServer, menus: MenuReader): void {
  const { branding, urls } = plugin
  const namespace = branding.namespace('v2', 'api-menus')
  const shared = { methods: 'GET', permission_callback: () => true, cache: true } as const
  const add = (route: string, callback: (request: RestRequest) => Promise<unknown>) =>
    server.registerRoute(namespace, route, { ...shared, callback })
  const metaOf = (base: string, key: string | number) => {
    const collection = urls.rest(`/${namespace}/${base}/`)
    return { links: { collection, self: `${collection}${key}` } }
  }

  add('/menus', async ({ scope }) =>
    (await menus.menus(scope, { hideEmpty: false })).map((menu) => ({
      ...menuRow(menu),
      ID: menu.id,
      meta: metaOf('menus', menu.id),
    })),
  )
  add(String.raw`/menus/(?P<id>\d+)`, async (request) => {
    const menu = await menus.menu(String(request.get('id')), request.scope)
    return menu === null ? [] : menuOf(menu, await menus.items(menu.id, request), metaOf('menus', menu.id))
  })
  add('/menu-locations', async ({ scope }) => {
    const locations = [...(await menus.byLocation(scope))]
    return Object.fromEntries(
      locations.map(([name, { label, menu }]) => [
        name,
        { ID: menu?.id ?? 0, label, meta: metaOf('menu-locations', name) },
      ]),
    )
  })
  add('/menu-locations/(?P<location>[a-zA-Z0-9_-]+)', async (request) => {
    const menu = (await menus.byLocation(request.scope)).get(String(request.get('location')))?.menu
    return menu === undefined || menu === null ? [] : (await menus.items(menu.id, request)).map(itemOfLocation)
  })
}

/** Returns a menu with its items, whose key `children` is missing for items without children. */
function menuOf({ id, name, slug, description, count }: Term, items: readonly ItemTree<ItemOfMenu>[], meta: object) {
  return { ID: id, name, slug, description, count, items: items.map(itemOfMenu), meta }
}

function itemOfMenu({ value, children }: ItemTree<ItemOfMenu>): Record<string, unknown> {
  const own = { id: value.item.id, ...fieldsOf(value) }
  return children.length === 0 ? own : { ...own, children: children.map(itemOfMenu) }
}

function itemOfLocation({ value, children }: ItemTree<ItemOfMenu>): Record<string, unknown> {
  return { ID: value.item.id, ...fieldsOf(value), children: children.map(itemOfLocation) }
}

function fieldsOf({ item, post, slug }: ItemOfMenu): Record<string, unknown> {
  return {
    order: item.menu_order,
    parent: item.parent,
    title: item.title,
    url: item.url,
    attr: item.attr_title,
    target: item.target,
    classes: item.classes.join(' ').trim(),
    xfn: item.xfn.join(' ').trim(),
    description: item.description,
    object_id: item.object_id,
    object: item.object,
    object_slug: slug ?? post.slug,
    type: item.type,
    type_label: item.type_label,
  }
}
