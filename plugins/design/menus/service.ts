import { LOCATIONS_OPTION } from '../../content/menu-items.ts'
import {
  applyFilter,
  OwnedMap,
  RequestCache,
  VISITOR,
  type CurrentUser,
  type PluginContext,
  type RestRequest,
} from '../../../kernel/index.ts'
import { addDeprecatedMembers } from '../../library/deprecated-names/index.ts'
import type { LeanPost, Post } from '../../content/posts/index.ts'
import type { Change } from '../../storage/changes/index.ts'
import type { MenuReading } from './hooks.ts'
import {
  ITEM_POST_TYPE,
  MENU_TAXONOMY,
  metaOfItem,
  OBJECT_KEY,
  PARENT_KEY,
  storedItem,
  TYPE_KEY,
  type MenuItem,
  type StoredItem,
} from './item.ts'

/** A theme location for a menu. */
export interface MenuLocation {
  readonly name: string
  /** Display name. */
  readonly description: string
  /** ID of the assigned menu; 0 for none. */
  readonly menu: number
}

export { LOCATIONS_OPTION }
/** Option with the IDs of menus that new pages are added to. */
export const AUTO_ADD_OPTION = 'menus_auto_add'

/** Default location of the menu that pages show. */
export const MAIN_LOCATION = 'primary'

/** Matches tags of the published items of a menu, and captures its ID. */
const MENU_TAG = new RegExp(`^(?:unpublished:)?posts:${MENU_TAXONOMY}=(\\d+)$`)

/** Maximum items of a menu. */
const MAX_MENU_ITEMS = 1000

/** Target of an item, as visible to one user. */
interface Target {
  readonly title: string
  readonly url: string
  readonly type_label: string
}

export type ItemPost = Pick<Post, 'id' | 'title' | 'status' | 'menu_order' | 'excerpt' | 'content'>

/** Reads and changes menus, their items and their locations. */
export class Menus {
  /** @deprecated Use `itemsOf`. */
  declare readonly shown: Menus['itemsOf']
  /** @deprecated Use `storedItem`. */
  declare readonly stored: Menus['storedItem']
  readonly #plugin: PluginContext
  readonly #public: boolean | readonly string[]
  readonly #locations = new OwnedMap<string>('menu location')

  /** @param publicLocations locations whose menus are public; true for all menus */
  constructor(plugin: PluginContext, publicLocations: boolean | readonly string[]) {
    this.#plugin = plugin
    this.#public = publicLocations
  }

  // Locations

  /** Registers a location until its plugin is removed. The first description of a location is kept. */
  registerLocation(name: string, description: string): void {
    if (!this.#locations.has(name)) this.#locations.set(name, description)
  }

  /**
   * Returns the locations of the active theme, then the locations of plugins in order of registration, with their menus.
   * @param scope cache of the request or page that shows the menus
   */
  async locations(scope: RequestCache | null = null): Promise<MenuLocation[]> {
    const { has, services } = this.#plugin
    const [assigned, theme] = await Promise.all([this.assigned(scope), has('themes') ? services.themes.active() : null])
    const named = new Map([...Object.entries(theme?.menus ?? {}), ...this.#locations])
    return [...named].map(([name, description]) => ({ name, description, menu: assigned.get(name) ?? 0 }))
  }

  /** Returns the IDs of assigned menus by location, also of locations that no theme and no plugin registers. @param scope as for `locations` */
  async assigned(scope: RequestCache | null = null): Promise<ReadonlyMap<string, number>> {
    const { hooks, services } = this.#plugin
    const stored = await services.options.get(LOCATIONS_OPTION, {})
    const entries = typeof stored === 'object' && stored !== null ? Object.entries(stored) : []
    return applyFilter(hooks.menu_assignments, new Map(entries.map(([name, id]) => [name, Number(id) || 0])), scope)
  }

  /** Assigns a menu to exactly these locations, replacing the menus assigned to them. */
  async setLocations(menu: number, names: readonly string[]): Promise<void> {
    await this.#plugin.services.options.update<Record<string, number>>(LOCATIONS_OPTION, (before = {}) => {
      const others = Object.entries(before).filter(([name, id]) => id !== menu && !names.includes(name))
      return Object.fromEntries([...others, ...names.map((name) => [name, menu] as const)])
    })
  }

  // Menus that new pages are added to

  /** Returns the IDs of the menus that new pages are added to. */
  async autoAdd(): Promise<readonly number[]> {
    const ids = await this.#plugin.services.options.get(AUTO_ADD_OPTION, [])
    return Array.isArray(ids) ? ids.map(Number) : []
  }

  /** Sets whether new top-level pages are added to a menu. */
  async setAutoAdd(menu: number, adds: boolean): Promise<void> {
    await this.#plugin.services.options.update<readonly number[]>(AUTO_ADD_OPTION, (before = []) => {
      if (before.includes(menu) === adds) return before
      return adds ? [...before, menu] : before.filter((id) => id !== menu)
    })
  }

  // Items

  /**
   * Returns the published items of a menu in order, as visible to a user (by default a visitor). Reads all targets with
   * a constant number of statements.
   */
  async items(
    menu: number,
    { scope = new RequestCache(), user = VISITOR }: { scope?: RequestCache; user?: CurrentUser } = {},
  ): Promise<MenuItem[]> {
    return this.itemsOf(await this.#stored(menu, ['publish'], scope), user, scope)
  }

  /** Converts posts of menu items to items as visible to a user. */
  async itemsOf(posts: readonly ItemPost[], user: CurrentUser, scope: RequestCache): Promise<MenuItem[]> {
    const { terms } = this.#plugin.services
    const [stored, menus] = await Promise.all([
      this.#metaOf(posts, scope),
      Promise.all(posts.map(async ({ id }) => terms.ofPosts(scope).load(id))),
    ])
    const shown = await Promise.all(stored.map((item) => this.#shownOf(item, user, scope)))
    return posts.map((post, at) => {
      const [item, target] = [stored[at]!, shown[at]!]
      return {
        ...item,
        id: post.id,
        title: post.title || target?.title || `#${item.object_id} (no title)`,
        url: target?.url ?? '',
        status: post.status,
        attr_title: post.excerpt,
        description: post.content.trim(),
        menu_order: post.menu_order,
        type_label: target?.type_label ?? this.#labelOf(item),
        invalid: target === null,
        menu: (menus as ReadonlyMap<string, readonly { id: number }[]>[])[at]!.get(MENU_TAXONOMY)?.[0]?.id ?? 0,
      }
    })
  }

  /** Returns the stored fields of an item. */
  async storedItem(post: LeanPost, scope: RequestCache): Promise<StoredItem> {
    return (await this.#metaOf([post], scope))[0]!
  }

  /** Returns the title of an item without a custom title; '' if it has no readable target. */
  async titleOf(item: StoredItem, user: CurrentUser, scope: RequestCache): Promise<string> {
    return (await this.#shownOf(item, user, scope))?.title ?? ''
  }

  /** Deletes the items of a deleted menu, and frees its locations. */
  async clear(menu: number): Promise<void> {
    const scope = new RequestCache()
    for (const { id } of await this.#stored(menu, EVERY_STATUS, scope))
      await this.#plugin.services.posts.remove(id, { user: VISITOR, scope })
    await this.setLocations(menu, [])
    await this.setAutoAdd(menu, false)
  }

  /** Moves the children of a deleted item to its parent. */
  async closeGap(item: Post): Promise<void> {
    const { meta, store } = this.#plugin.services
    const scope = new RequestCache()
    const { parent } = await this.storedItem(item, scope)
    const below = await store.all(this.#withMeta(PARENT_KEY, String(item.id)).select('posts.id'))
    for (const { id } of below) await meta.write('post', id, PARENT_KEY, [String(parent)], scope)
  }

  /** Deletes the items that lead to a deleted post or term. */
  async forget(type: 'post_type' | 'taxonomy', id: number): Promise<void> {
    const { posts, store } = this.#plugin.services
    const leading = this.#withMeta(OBJECT_KEY, String(id))
      .innerJoin('post_meta as kind', 'kind.post_id', 'posts.id')
      .where('kind.key', '=', TYPE_KEY)
      .where('kind.value', '=', type)
    const items = await store.all(leading.select('posts.id'))
    for (const item of items) await posts.remove(item.id, { user: VISITOR, scope: new RequestCache() })
  }

  /** Adds a page to the menus with automatic addition. */
  async addPage(page: Post): Promise<void> {
    const { meta, posts, terms } = this.#plugin.services
    const ids = await this.autoAdd()
    for (const menu of ids) {
      const scope = new RequestCache()
      if ((await terms.get(menu, scope))?.taxonomy !== MENU_TAXONOMY) continue
      const items = await this.#stored(menu, EVERY_STATUS, scope)
      const isItemOfPage = (item: StoredItem) => item.type === 'post_type' && item.object_id === page.id
      if ((await this.#metaOf(items, scope)).some(isItemOfPage)) continue
      const last = Math.max(0, ...items.map(({ menu_order: order }) => order))
      const write = { user: VISITOR, scope }
      const inMenu = new Map([[MENU_TAXONOMY, [menu]]])
      const item = await posts.create(
        { type: ITEM_POST_TYPE, status: 'publish', title: '', menu_order: last + 1, terms: inMenu },
        write,
      )
      const link = { type: 'post_type', object: page.type, object_id: page.id, parent: 0 } as const
      await meta.writeAll('post', item.id, metaOfItem({ ...link, target: '', classes: [''], xfn: [], url: '' }), scope)
    }
  }

  // Changes

  /** Whether the option `public` or a tap of the hook can make menus readable for visitors. */
  areOpen(): boolean {
    const isOpen = this.#public === true || (this.#public !== false && this.#public.length > 0)
    return isOpen || this.#plugin.hooks.rest_menu_read_access.isUsed()
  }

  /** Returns the menus of changed items before and after each change. Uses one statement for all changes. */
  async ofItems(changes: readonly Change[]): Promise<Map<Change, { before: number[]; after: number[] }>> {
    const loader = this.#plugin.services.terms.ofPosts(new RequestCache())
    const loaded = await Promise.all(changes.map(async ({ object }) => loader.load(Number(object))))
    return new Map(
      changes.map((change, at) => {
        const now = (loaded[at]?.get(MENU_TAXONOMY) ?? []).map(({ id }) => id)
        const named = change.tags.flatMap((tag) => MENU_TAG.exec(tag)?.[1] ?? []).map(Number)
        const previousMenus = named.filter((id) => !now.includes(id))
        // An item that was not moved was in the same menus before.
        return [
          change,
          {
            before: previousMenus.length > 0 ? previousMenus : now,
            after: change.after === null ? previousMenus : now,
          },
        ]
      }),
    )
  }

  /**
   * Returns a predicate for the menus that pages of the site can show to visitors: menus at a location, and any menu if
   * the main location has no menu with items. Always false if the site has no pages.
   */
  async onPages(): Promise<(menu: number) => boolean> {
    const { has, services } = this.#plugin
    if (!has('site-pages')) return () => false
    const locations = await this.locations()
    const main = locations.find(({ name }) => name === MAIN_LOCATION)?.menu ?? 0
    const isFilled = main !== 0 && ((await services.terms.get(main, new RequestCache()))?.count ?? 0) > 0
    const placed = new Set(locations.map(({ menu }) => menu))
    return (menu) => !isFilled || placed.has(menu)
  }

  // Permissions

  /** Whether a request can read menus. @param permitted whether the user can read all menus */
  async mayRead(reading: Partial<MenuReading>, permitted: boolean, request: RestRequest): Promise<boolean> {
    const { menus = [], locations = [] } = reading
    const allowed = permitted || (await this.#arePublic(menus, locations))
    return applyFilter(this.#plugin.hooks.rest_menu_read_access, allowed, request, { menus, locations })
  }

  async #arePublic(menus: readonly number[], locations: readonly string[]): Promise<boolean> {
    const open = this.#public
    if (typeof open === 'boolean') return open
    if (open.length === 0 || menus.length + locations.length === 0) return false
    const assigned = await this.assigned()
    const openMenus = new Set(open.map((name) => assigned.get(name)))
    return locations.every((name) => open.includes(name)) && menus.every((id) => openMenus.has(id))
  }

  async #stored(menu: number, statuses: readonly string[], scope: RequestCache): Promise<Post[]> {
    const { items } = await this.#plugin.services.posts.query(
      {
        types: [ITEM_POST_TYPE],
        statuses,
        terms: [{ taxonomy: MENU_TAXONOMY, terms: [menu], operator: 'in' }],
        orderby: 'menu_order',
        order: 'asc',
        limit: MAX_MENU_ITEMS,
        readScope: null,
      },
      scope,
    )
    return items
  }

  async #metaOf(posts: readonly Pick<Post, 'id'>[], scope: RequestCache): Promise<StoredItem[]> {
    const { meta } = this.#plugin.services
    const rows = (await Promise.all(posts.map(async ({ id }) => meta.rows('post', id, scope)))) as {
      key: string
      value: unknown
    }[][]
    return posts.map((post, at) =>
      storedItem(post as Post, new Map(rows[at]!.map(({ key, value }) => [key, value] as const))),
    )
  }

  /** Returns the target of an item; null if it is missing or not readable for the user. */
  async #shownOf(item: StoredItem, user: CurrentUser, scope: RequestCache): Promise<Target | null> {
    const { contentTypes, permalinks, posts, taxonomies, terms } = this.#plugin.services
    const { type, object, object_id: id } = item
    const type_label = this.#labelOf(item)
    if (type === 'custom') return { title: '', url: item.url, type_label }
    if (type === 'post_type_archive') {
      const contentType = contentTypes.get(object)
      if (contentType === undefined || !contentType.has_archive) return null
      const title = contentType.labels['archives'] ?? contentType.labels['name'] ?? object
      return { title, url: await permalinks.typeArchive(contentType, scope), type_label }
    }
    if (type === 'taxonomy') {
      const taxonomy = taxonomies.get(object)
      const term = taxonomy === undefined || id === 0 ? undefined : await terms.get(id, scope)
      if (term === undefined || term.taxonomy !== object) return null
      return { title: term.name, url: await permalinks.term(term, scope), type_label }
    }
    const post = id === 0 || contentTypes.get(object) === undefined ? undefined : await posts.get(id, scope)
    if (post === undefined || post.type !== object || post.status === 'trash') return null
    if (!(await posts.isReadable(post, user, scope))) return null
    return { title: post.title, url: await permalinks.post(post, scope), type_label }
  }

  #labelOf({ type, object }: StoredItem): string {
    const { contentTypes, taxonomies } = this.#plugin.services
    if (type === 'custom') return 'Custom Link'
    if (type === 'post_type_archive') return 'Post Type Archive'
    const definition = type === 'taxonomy' ? taxonomies.get(object) : contentTypes.get(object)
    return definition?.labels['singular_name'] ?? object
  }

  #withMeta(key: string, value: string) {
    return this.#plugin.services.store.db
      .selectFrom('posts')
      .innerJoin('post_meta as meta', 'meta.post_id', 'posts.id')
      .where('posts.type', '=', ITEM_POST_TYPE)
      .where('meta.key', '=', key)
      .where('meta.value', '=', value)
  }
}

addDeprecatedMembers(Menus.prototype, 'services.menus', { shown: 'itemsOf', stored: 'storedItem' })

const EVERY_STATUS = ['publish', 'draft', 'pending', 'private', 'future', 'trash']
