import { RestRequest, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'
import { PostChangeReader, type ShownSides } from '../../content/posts/index.ts'
import { TermChangeReader } from '../../content/terms/index.ts'
import { VISIBLE_TO_ALL, type ChangeReader } from '../../storage/changes/index.ts'
import { ITEM_POST_TYPE, MENU_TAXONOMY } from './item.ts'
import { AUTO_ADD_OPTION, LOCATIONS_OPTION, type Menus } from './service.ts'

/**
 * Registers which menu changes users are notified of. Users who can read a menu through the REST API see changes of the
 * menu and its items. All users see that an item changed if pages of the site can show it.
 */
export function registerChangeReaders(plugin: PluginContext, menus: Menus): void {
  const { branding, has, services } = plugin
  const { changeReaders, contentTypes } = services

  /**
   * Returns which lists of menus a user can read, by the rules and hooks of menu requests. Keys are comma-separated
   * IDs.
   */
  const readable = async (user: CurrentUser, lists: readonly (readonly number[])[]): Promise<ReadonlySet<string>> => {
    const request = new RestRequest('GET', `/${branding.namespace('v2')}/menus`)
    request.user = user
    request.isIdentified = true
    const isWriter = contentTypes.isWriter(user)
    const found = await Promise.all(
      [...new Map(lists.map((ids) => [ids.join(), ids]))].map(async ([key, ids]) =>
        (await menus.mayRead({ menus: ids }, isWriter, request)) ? [key] : [],
      ),
    )
    return new Set(found.flat())
  }

  const items: ShownSides = async (user, changes) => {
    const [menusOf, isOnPages] = await Promise.all([menus.ofItems(changes), menus.onPages()])
    const open = await readable(
      user,
      [...menusOf.values()].flatMap(({ before, after }) => [before, after]),
    )
    return (change, facts) => {
      const { type, status, slug } = facts
      if (status !== 'publish') return null
      const ids = menusOf.get(change)![facts === change.after ? 'after' : 'before']
      if (open.has(ids.join())) return { type: String(type), status, slug: String(slug) }
      return ids.some(isOnPages) ? { type: String(type) } : null
    }
  }
  const ofTerms = new TermChangeReader(plugin)
  const terms: ChangeReader = {
    read: async (user, changes) => {
      const ids = changes.map(({ object }) => [Number(object)])
      const [open, isOnPages] = await Promise.all([readable(user, ids), menus.onPages()])
      return ofTerms.read(user, changes, ({ object }, { type, slug }) => {
        if (open.has(object)) return { type: String(type), slug: String(slug) }
        return isOnPages(Number(object)) ? { type: String(type) } : null
      })
    },
  }
  changeReaders.set(`post:${ITEM_POST_TYPE}`, new PostChangeReader(plugin, items))
  changeReaders.set(`term:${MENU_TAXONOMY}`, terms)
  if (menus.areOpen() || has('site-pages')) changeReaders.set(`option:${LOCATIONS_OPTION}`, VISIBLE_TO_ALL)
  if (menus.areOpen()) changeReaders.set(`option:${AUTO_ADD_OPTION}`, VISIBLE_TO_ALL)
}
