import type { MenuItem, PluginContext, Post, RequestCache, RestRequest, Term } from '../../public.ts'

/** Content type of menu items, and the taxonomy whose terms are the menus. */
const ITEM_TYPE = 'nav_menu_item'
const MENUS = 'nav_menu'
/** Maximum number of menus in a response, and of items of a menu. */
const MAX_MENUS = 1000
const MAX_ITEMS = 1000

/** An item of a menu with its post, and the slug of its target. */
export interface ItemOfMenu {
  readonly item: MenuItem
  readonly post: Post
  /** Slug of the target; null for a URL. */
  readonly slug: string | null
}

/** An item and the items below it. */
export interface ItemTree<T> {
  readonly value: T
  readonly children: readonly ItemTree<T>[]
}

/** A row of a menu, as both plugins send it. */
export function menuRow({ id, name, slug, taxonomy, description, parent_id: parent, count }: Term) {
  return {
    term_id: id,
    name,
    slug,
    term_group: 0,
    term_taxonomy_id: id,
    taxonomy,
    description,
    parent,
    count,
    filter: 'raw',
  }
}

/** Reads menus as visitors see them: without items whose target the requesting user may not read. */
export class MenuReader {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** Returns the menus in order of their names. */
  async menus(scope: RequestCache, { hideEmpty }: { hideEmpty: boolean }): Promise<readonly Term[]> {
    const { services } = this.#plugin
    const query = { taxonomy: MENUS, orderby: 'name', order: 'asc', hideEmpty, limit: MAX_MENUS } as const
    return (await services.terms.query(query, scope)).items
  }

  /** Returns the menu with an ID or a slug, whose case does not matter; null without one. */
  async menu(key: string, scope: RequestCache): Promise<Term | null> {
    const { services } = this.#plugin
    if (/^[1-9]\d{0,14}$/.test(key)) {
      const term = await services.terms.get(Number(key), scope)
      if (term?.taxonomy === MENUS) return term
    }
    const query = { taxonomy: MENUS, slug: [key.toLowerCase()], limit: 1 }
    return (await services.terms.query(query, scope)).items[0] ?? null
  }

  /** Returns the menus by the names of their locations, also of locations that the theme here does not have. */
  async byLocation(scope: RequestCache): Promise<ReadonlyMap<string, { label: string; menu: Term | null }>> {
    const { menus, terms } = this.#plugin.services
    const [registered, assigned] = await Promise.all([menus.locations(scope), menus.assigned(scope)])
    const labels = new Map(registered.map(({ name, description }) => [name, description]))
    const names = [...new Set([...labels.keys(), ...assigned.keys()])]
    const found = await Promise.all(
      names.map(async (name) => {
        const id = assigned.get(name) ?? 0
        return id === 0 ? undefined : terms.get(id, scope)
      }),
    )
    return new Map(
      names.map((name, at) => [name, { label: labels.get(name) ?? name, menu: found[at] ?? null }] as const),
    )
  }

  /** Returns the items of a menu in order, as trees. Items below an item that is left out are at the top level. */
  async items(menu: number, { scope, user }: RestRequest): Promise<readonly ItemTree<ItemOfMenu>[]> {
    const { menus, posts } = this.#plugin.services
    const { items: stored } = await posts.query(
      {
        types: [ITEM_TYPE],
        statuses: ['publish'],
        terms: [{ taxonomy: MENUS, terms: [menu], operator: 'in' }],
        orderby: 'menu_order',
        order: 'asc',
        limit: MAX_ITEMS,
        readScope: null,
      },
      scope,
    )
    const shown = await menus.itemsOf(stored, user, scope)
    const valid = await Promise.all(
      shown.flatMap((item, at) =>
        item.invalid ? [] : [this.#slugOf(item, scope).then((slug) => ({ item, post: stored[at]!, slug }))],
      ),
    )
    return treesOf(valid)
  }

  async #slugOf({ type, object, object_id: id }: MenuItem, scope: RequestCache): Promise<string | null> {
    const { contentTypes, posts, terms } = this.#plugin.services
    if (type === 'post_type') return (await posts.get(id, scope))?.slug ?? null
    if (type === 'taxonomy') return (await terms.get(id, scope))?.slug ?? null
    if (type === 'custom') return null
    const archive = contentTypes.get(object)
    if (archive === undefined) return null
    if (typeof archive.has_archive === 'string') return archive.has_archive
    return archive.rewrite === false ? archive.name : archive.rewrite.slug
  }
}

/** Nests items in their parents. An item below a missing item, or in a circle of parents, is at the top level. */
function treesOf(items: readonly ItemOfMenu[]): readonly ItemTree<ItemOfMenu>[] {
  const parents = new Map(items.map(({ item }) => [item.id, item.parent] as const))
  const below = Map.groupBy(items, ({ item }) =>
    parents.has(item.parent) && !isInCircle(item.id, parents) ? item.parent : 0,
  )
  const grow = (value: ItemOfMenu): ItemTree<ItemOfMenu> => ({
    value,
    children: (below.get(value.item.id) ?? []).map(grow),
  })
  return (below.get(0) ?? []).map(grow)
}

/** Whether an item is an ancestor of itself. */
function isInCircle(id: number, parents: ReadonlyMap<number, number>): boolean {
  const seen = new Set<number>()
  for (let at = parents.get(id); at !== undefined && !seen.has(at); at = parents.get(at)) {
    if (at === id) return true
    seen.add(at)
  }
  return false
}
