import type { AdminView } from '../../frame/view.ts'
import type { MenuEntry } from '../../admin.ts'
import type { IconName } from '../../frame/icon-names.ts'
import { totalOf } from '../../parts/filters.ts'
import { labelOf, listedTypes, taxonomiesOf } from './types.ts'

/** Positions of menu entries. */
const CONTENT_POSITION = 10
const LAST_CONTENT_POSITION = 29
/** Patterns and navigation follow the classic menus. */
const DESIGN_POSITION = 43
const COMMENTS_POSITION = 30

/** Returns the menu entries for content: content types with their taxonomies, and comments. */
export async function contentMenu(view: AdminView): Promise<MenuEntry[]> {
  const moderates = view.can('moderate_comments')
  const [types, taxonomies, waiting] = await Promise.all([
    listedTypes(view),
    taxonomiesOf(view),
    moderates ? totalOf(view, 'comments', { status: 'hold', context: 'edit' }) : 0,
  ])
  const entries = types.flatMap((type, index): MenuEntry[] => {
    const place = placeOf(type.slug)
    const position =
      place.group === 'design' ? DESIGN_POSITION : Math.min(CONTENT_POSITION + index, LAST_CONTENT_POSITION)
    const href = `content/${type.slug}`
    const below = taxonomies.filter(
      ({ types: [first], capabilities }) => first === type.slug && view.can(capabilities['manage_terms'] ?? ''),
    )
    return [
      { label: labelOf(type, 'name'), href, position, ...place },
      ...below.map((taxonomy) => ({
        label: labelOf(taxonomy, 'name'),
        href: `terms/${taxonomy.slug}`,
        position,
        under: href,
      })),
    ]
  })
  if (moderates)
    entries.push({
      label: 'Comments',
      href: 'comments',
      position: COMMENTS_POSITION,
      icon: 'message-square',
      count: waiting ?? 0,
    })
  return entries
}

/** Returns the icon of a content type, and its group if it belongs to the design of the site. */
function placeOf(type: string): Pick<MenuEntry, 'group' | 'icon'> {
  const name = type.replace(/^\w+?_(?=block$|navigation$|template$|template_part$)/, '')
  const icon = ICONS[name] ?? 'folder'
  return DESIGN_TYPES.has(name) ? { group: 'design', icon } : { icon }
}

const DESIGN_TYPES: ReadonlySet<string> = new Set(['block', 'navigation', 'template', 'template_part'])
const ICONS: Readonly<Record<string, IconName>> = {
  post: 'file-text',
  page: 'file',
  block: 'shapes',
  navigation: 'navigation',
  template: 'layout-template',
  template_part: 'layout-template',
}
