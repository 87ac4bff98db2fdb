import type { PluginContext } from '../../public.ts'

/** Adds the pages that list, edit and import redirects, and list URLs that were not found. */
export function addRedirectPages({ services: { admin } }: PluginContext): void {
  const capability = 'manage_options'
  admin.addPage({
    path: 'redirects',
    title: 'Redirects',
    capability,
    uploads: true,
    menu: { position: 72 },
    load: () => import('./admin-list.ts'),
  })
  admin.addPage({
    path: 'redirects/missing',
    title: 'Pages not found',
    capability,
    menu: { position: 72, under: 'redirects' },
    load: () => import('./admin-missing.ts'),
  })
  admin.addPage({ path: 'redirects/:id', title: 'Edit redirect', capability, load: () => import('./admin-edit.ts') })
}
