import { invalidParam, type PluginContext, type RestRequest } from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import { ITEM_POST_TYPE, MENU_TAXONOMY, type StoredItem } from './item.ts'
import type { Menus } from './service.ts'

/**
 * Registers the sources of the menu of an item, and of the content type or taxonomy of its target. The stored type is
 * accepted, because the plugin that registered it can have been removed.
 */
export function registerReferences({ services }: PluginContext, menus: Menus): void {
  const { contentTypes, posts, resources, taxonomies, terms } = services
  const storedItem = async ({ captures, scope }: RestRequest): Promise<StoredItem | null> => {
    const id = Number(captures['id'])
    const post = id > 0 ? await posts.get(id, scope) : undefined
    return post?.type === ITEM_POST_TYPE ? menus.storedItem(post, scope) : null
  }
  resources.registerReference('menu', async (id, { scope }) => {
    const isMenu = (await terms.get(Number(id), scope))?.taxonomy === MENU_TAXONOMY
    return isMenu ? null : errors.invalid_menu_id(String(id))
  })
  resources.registerReference('menu_item_object', async (name, request, argument) => {
    const stored = await storedItem(request)
    const type = request.get('type') ?? stored?.type ?? 'custom'
    // The target of a custom link is its URL.
    if (type === 'custom' || (name === stored?.object && type === stored.type)) return null
    const registry = type === 'taxonomy' ? taxonomies : contentTypes
    if (type === 'post_type_archive' && contentTypes.get(String(name)) === undefined)
      return errors.rest_post_invalid_type(String(name))
    const noun = type === 'taxonomy' ? 'taxonomy' : 'content type'
    if (registry.get(String(name)) === undefined) return invalidParam(argument, `There is no ${noun} "${name}".`)
    const lacksArchive = type === 'post_type_archive' && contentTypes.get(String(name))?.has_archive === false
    return lacksArchive ? invalidParam(argument, `The content type "${name}" has no archive.`) : null
  })
}
