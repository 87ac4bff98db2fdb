import type { PluginContext } from '../../public.ts'
import type { JsonDefinitions } from './json-definitions.ts'

/** Adds the pages that list and edit groups of fields. */
export function addGroupPages({ services: { admin } }: PluginContext, definitions: JsonDefinitions): void {
  const capability = 'manage_options'
  const editor = async () => (await import('./admin-group.ts')).groupPage(definitions)
  admin.addPage({
    path: 'custom-fields',
    title: 'Custom fields',
    capability,
    menu: { position: 71 },
    load: async () => (await import('./admin-groups.ts')).groupsPage(definitions),
  })
  admin.addPage({ path: 'custom-fields/add', title: 'Add field group', capability, load: editor })
  admin.addPage({ path: 'custom-fields/:key', title: 'Custom fields', capability, load: editor })
}
