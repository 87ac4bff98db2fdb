import { join } from 'node:path'
import { definePlugin, trimEndSlashes } from '../../../kernel/index.ts'
import { adminHooks } from './hooks.ts'
import { dashboardPanels } from './pages/dashboard/panels.ts'
import { defaultPages } from './pages/index.ts'
import { Admin } from './admin.ts'

export type { AdminView, Answer, Query, Question, ViewParts } from './frame/view.ts'
export type { IconName } from './frame/icon-names.ts'
export type { Notice } from './frame/notice.ts'
export type {
  Admin,
  AdminAnswer,
  AdminContent,
  AdminHandler,
  AdminModule,
  AdminPage,
  OpenedPage,
  ListColumn,
  MenuEntries,
  MenuEntry,
  MenuGroup,
  PageHandlers,
  PagePlace,
  Panel,
  PluginPart,
} from './admin.ts'

export type { Choice, FieldOptions } from './parts/fields.ts'
export type { ShownFile } from './parts/media-picker.ts'
export type { Table } from './parts/table.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * The admin: its pages, menu, lists and panels.
     * @example
     * services.admin.addPage({
     * path: 'garden',
     * title: 'Garden',
     * capability: 'edit_posts',
     * menu: { position: 45 },
     * show: async (view) => ({ main: services.plainPages.html`<p>${view.t('The garden is green.')}</p>` }),
     * })
     */
    admin: Admin
  }
}

/** Options of the admin. */
export interface AdminOptions {
  /** Deprecated: set the option `folder` of the plugin `translations`. */
  words: string
}

/** Pages on which users write content and manage the site in a browser. */
export default definePlugin<AdminOptions>({
  name: 'admin',
  needs: ['site-requests', 'login', 'cookie-auth', 'roles', 'users', 'settings', 'translations'],
  uses: [
    'changes',
    'comments',
    'compression',
    'content-types',
    'editor',
    'editor-ajax',
    'exporter',
    'global-styles',
    'html',
    'importer',
    'jobs',
    'media',
    'meta',
    'posts',
    'content-rendering',
    'store',
    'taxonomies',
    'terms',
    'themes',
    'url-replacement',
  ],
  provides: ['admin'],
  hooks: adminHooks,
  options: { words: { default: '', type: 'string' } },
  apply(plugin, { words }) {
    const { hooks, provide, branding, services } = plugin
    const admin = new Admin(plugin)
    if (words !== '') services.translations.addFolder(words)
    hooks.user_locales.tap('admin', (locales) => [...locales, ...services.translations.userLocales()])
    provide('admin', admin)
    admin.addAssets('core', join(import.meta.dirname, 'assets'))
    for (const page of defaultPages) admin.addPage(page)
    admin.addMenu(async (view) => (await import('./pages/content/menu.ts')).contentMenu(view))
    for (const panel of dashboardPanels) admin.addPanel('dashboard', panel)
    // Loaded with the first request, to keep the start short.
    const load = async () => {
      const { AdminPages } = await import('./frame/admin-pages.ts')
      return new AdminPages(plugin, admin)
    }
    let pages: ReturnType<typeof load> | null = null
    // After the pages that other plugins have below the same path.
    hooks.site_request.tapPromise({ name: 'admin', stage: 50 }, async (page, request) => {
      const { path } = request
      if (page !== null || (path !== trimEndSlashes(branding.adminPath) && !path.startsWith(branding.adminPath)))
        return page
      return (await (pages ??= load())).respond(request)
    })
  },
})
