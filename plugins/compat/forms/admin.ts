import type { PluginContext } from '../../public.ts'
import type { Entries } from './entries.ts'
import type { Forms } from './forms.ts'

/** Adds the pages that list messages of forms. Messages contain personal data, so they need the right to edit others' posts. */
export function addEntryPages({ services: { admin } }: PluginContext, entries: Entries, forms: Forms): void {
  const capability = 'edit_others_posts'
  const pages = () => import('./admin-pages.ts')
  admin.addPage({
    path: 'forms',
    title: 'Messages',
    capability,
    menu: { position: 38 },
    load: async () => (await pages()).listPage(entries, forms),
  })
  admin.addPage({
    path: 'forms/:id',
    title: 'Message',
    capability,
    load: async () => (await pages()).entryPage(entries),
  })
}
