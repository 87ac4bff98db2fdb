import { applyFilter, type PluginContext, type RestRequest, type RestServer, type Term } from '../../public.ts'
import { errors } from './errors.ts'
import { menuRow, type ItemOfMenu, type ItemTree, type MenuReader } from './menus.ts'

const NAMESPACE = 'menus/v1'
/** Pattern of IDs and slugs in routes. */
const KEY = '(?P<id>[a-zA-Z0-9_-]+)'

/** Registers the routes of `menus/v1`, whose items are rows of posts. */
export function registerNamedRoutes(plugin: PluginContext, server: RestServer, menus: MenuReader): void {
  const shared = { methods: 'GET', permission_callback: () => true, cache: true } as const
  const add = (route: string, callback: (request: RestRequest) => Promise<unknown>) =>
    server.registerRoute(NAMESPACE, route, { ...shared, callback })

  const withItems = async (menu: Term | null, request: RestRequest) => {
    if (menu === null) throw errors.not_found(String(request.get('id')))
    const items = await menus.items(menu.id, request)
    return { ...menuRow(menu), items: await itemsOf(plugin, items, request) }
  }

  add('/menus', async ({ scope }) => (await menus.menus(scope, { hideEmpty: true })).map(menuRow))
  add(`/menus/${KEY}`, async (request) =>
    withItems(await menus.menu(String(request.get('id')), request.scope), request),
  )
  add(`/locations/${KEY}`, async (request) =>
    withItems((await menus.byLocation(request.scope)).get(String(request.get('id')))?.menu ?? null, request),
  )
  add('/locations', async ({ scope }) => {
    const assigned = [...(await menus.byLocation(scope))].flatMap(([slug, { menu }]) =>
      menu === null ? [] : [[slug, { slug, menu: menuRow(menu) }] as const],
    )
    return Object.fromEntries(assigned)
  })
}

async function itemsOf(
  plugin: PluginContext,
  items: readonly ItemTree<ItemOfMenu>[],
  request: RestRequest,
): Promise<readonly Record<string, unknown>[]> {
  const level = await Promise.all(items.map((item) => itemOf(plugin, item, request)))
  return applyFilter(plugin.hooks.rest_menu_routes_items, level, request)
}

/** Returns an item as the row of its post with the fields of a menu item, and the items below it. */
async function itemOf(
  plugin: PluginContext,
  { value: { item, post, slug }, children }: ItemTree<ItemOfMenu>,
  request: RestRequest,
): Promise<Record<string, unknown>> {
  const own: Record<string, unknown> = {
    ID: post.id,
    post_author: String(post.author_id),
    post_date: post.date,
    post_date_gmt: post.date_gmt,
    post_content: post.content,
    post_title: post.title,
    post_excerpt: post.excerpt,
    post_status: post.status,
    comment_status: post.comment_status,
    ping_status: post.ping_status,
    post_password: '',
    post_name: post.slug,
    to_ping: '',
    pinged: '',
    post_modified: post.modified,
    post_modified_gmt: post.modified_gmt,
    post_content_filtered: '',
    post_parent: post.parent_id,
    guid: post.guid,
    menu_order: post.menu_order,
    post_type: post.type,
    post_mime_type: '',
    comment_count: String(post.comment_count),
    filter: 'raw',
    db_id: post.id,
    menu_item_parent: String(item.parent),
    object_id: String(item.object_id),
    object: item.object,
    type: item.type,
    type_label: item.type_label,
    url: item.url,
    title: item.title,
    target: item.target,
    attr_title: item.attr_title,
    description: item.description,
    classes: item.classes,
    xfn: item.xfn.join(' ').trim(),
    ...(slug !== null && { slug }),
  }
  const [data, below] = await Promise.all([
    applyFilter(plugin.hooks.rest_menu_routes_item, own, item, post, request),
    itemsOf(plugin, children, request),
  ])
  return below.length === 0 ? data : { ...data, child_items: below }
}
