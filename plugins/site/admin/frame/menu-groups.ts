import type { MenuEntry, MenuGroup } from '../admin.ts'

/** The groups of the menu in order, with their labels in English. */
export const MENU_GROUPS: readonly { readonly name: MenuGroup; readonly label: string }[] = [
  { name: 'content', label: 'Content' },
  { name: 'design', label: 'Design' },
  { name: 'site', label: 'Site' },
  { name: 'tools', label: 'Tools' },
]

const FIRST_DESIGN_POSITION = 40
const FIRST_SITE_POSITION = 60
const FIRST_TOOLS_POSITION = 75

/** Returns the group of an entry: the one it names, or the one of its position. */
export function groupOf({ group, position }: MenuEntry): MenuGroup {
  if (group !== undefined) return group
  if (position < FIRST_DESIGN_POSITION) return 'content'
  if (position < FIRST_SITE_POSITION) return 'design'
  return position < FIRST_TOOLS_POSITION ? 'site' : 'tools'
}
