import { ITEM_POST_TYPE, MENU_ITEM_KEYS, MENU_TAXONOMY } from '../../../../content/menu-items.ts'
import type { WxrItem } from '../../wxr/types.ts'
import { ownTypeName } from '../survey.ts'
import { phpText, idOf, integerOf, listOf, rawOf, text, type OldObject } from '../values.ts'
import { commonItem, metaOf, type Conversion } from './conversion.ts'

/** Converts a menu item. */
export function menuItem(object: OldObject, collection: string, conversion: Conversion): WxrItem {
  const item = commonItem(object, ITEM_POST_TYPE, conversion)
  const type = text(object['type'])
  const menus = [object['menus']].flat().map(idOf)
  const values: Record<string, string> = {
    [MENU_ITEM_KEYS.type]: type,
    [MENU_ITEM_KEYS.object]: ownTypeName(text(object['object']), conversion.word),
    [MENU_ITEM_KEYS.object_id]: String(type === 'custom' ? item.id : idOf(object['object_id'])),
    [MENU_ITEM_KEYS.parent]: String(item.parent),
    [MENU_ITEM_KEYS.target]: text(object['target']),
    [MENU_ITEM_KEYS.classes]: phpText(listOf(object['classes']).map(text)),
    [MENU_ITEM_KEYS.xfn]: listOf(object['xfn']).map(text).join(' '),
    [MENU_ITEM_KEYS.url]: type === 'custom' ? text(object['url']) : '',
  }
  return {
    ...item,
    content: text(object['description']),
    excerpt: text(object['attr_title']),
    title: rawOf(object['title']),
    // Not shown by the old site.
    slug: String(item.id),
    menuOrder: integerOf(object['menu_order']),
    // The parent is a menu item, which is named in the meta.
    parent: 0,
    terms: menus.flatMap((id) => conversion.terms.get(MENU_TAXONOMY)?.get(id) ?? []),
    meta: [
      ...Object.entries(values).map(([key, value]) => ({ key, value })),
      ...metaOf(object, conversion, collection, 'post', ITEM_POST_TYPE),
    ],
  }
}
