import type { PluginContext } from '../../public.ts'
import type { TypeDefinition } from './definitions.ts'
import type { CustomTypes } from './service.ts'

/** Adds the pages that list and edit content types and taxonomies. */
export function addTypePages({ services }: PluginContext, customTypes: CustomTypes): void {
  const { admin } = services
  const capability = 'manage_options'
  const editor = async () => (await import('./admin-edit.ts')).editPage(customTypes)
  admin.addPage({
    path: 'content-types',
    title: 'Content types',
    capability,
    menu: { position: 71 },
    load: async () => (await import('./admin-list.ts')).listPage(customTypes),
  })
  admin.addPage({ path: 'content-types/add/:kind', title: 'Add new', capability, load: editor })
  admin.addPage({ path: 'content-types/:kind/:name', title: 'Content types', capability, load: editor })
}

/** Moves the entries of types with a position in the menu. */
export function orderMenu({ hooks }: PluginContext, types: Iterable<TypeDefinition>): void {
  const positions = new Map<string, number>(
    [...types].flatMap(({ name, menuPosition }) =>
      menuPosition === undefined ? [] : [[`content/${name}`, positionOf(menuPosition)] as const],
    ),
  )
  if (positions.size === 0) return
  hooks.admin_menu.tap('custom-types', (entries) =>
    entries
      .map((entry) => ({ ...entry, position: positions.get(entry.href) ?? entry.position }))
      .toSorted((one, other) => one.position - other.position),
  )
}

/** Converts a position of WordPress: 5 is below posts, 25 below comments, 60 below the appearance. */
function positionOf(position: number): number {
  if (position <= 25) return 10 + position * 0.8
  return position < 60 ? 30 + (position - 25) / 4 : Math.min(40 + (position - 60) / 2, 100)
}
