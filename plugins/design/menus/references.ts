import { errors as kernelErrors, invalidParam, type PluginContext, type RestRequest } from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import { ITEM_POST_TYPE, type StoredItem } from './item.ts'
import type { Menus } from './service.ts'

/**
 * Registers the sources of menu locations, and of the content type or taxonomy of the target of an item. The stored type
 * is accepted, because the plugin that registered it can have been removed.
 */
export function registerReferences({ services }: PluginContext, menus: Menus): void {
  const { contentTypes, posts, resources, taxonomies } = services
  const storedItem = async ({ captures, scope }: RestRequest): Promise<StoredItem | null> => {
    const id = Number(captures['id'])
    const post = id > 0 ? await posts.get(id, scope) : undefined
    return post?.type === ITEM_POST_TYPE ? menus.storedItem(post, scope) : null
  }
  resources.registerReference('menu_location', async (name, _request, argument) => {
    if ((await menus.locations()).some((location) => location.name === name)) return null
    // Clients find the code in the details of the argument, as for invalid values.
    const { code, message, data } = errors.rest_invalid_menu_location(String(name))
    const details = { [argument]: { code, message, data } }
    return kernelErrors.rest_invalid_param(message, { data: { params: { [argument]: message }, details } })
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
