import { definePlugin } from '../../../kernel/index.ts'
import { PostChangeReader, shownWhilePublished } from '../../content/posts/index.ts'
import { registerReferences } from './references.ts'
import { TemplatesController } from './controller.ts'
import { addThemeExport } from './export/routes.ts'
import { TemplateAutosavesController, TemplateRevisionsController } from './revisions.ts'
import { Templates } from './service.ts'

export type { Lookup } from './hierarchy.ts'
export type { Template, TemplateChange, TemplateKind, Templates } from './service.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Reads and changes the templates and template parts of the active theme: its files, and the versions that users saved.
     * @example
     * const { stylesheet } = await services.themes.active()
     * const header = await services.templates.get(`${stylesheet}//header`, 'template_part')
     */
    templates: Templates
  }
}

/** Manages templates and template parts: files of the theme, and versions that users saved. */
export default definePlugin({
  name: 'templates',
  since: '5.8',
  needs: [
    'resources',
    'store',
    'themes',
    'translations',
    'content-types',
    'taxonomies',
    'terms',
    'posts',
    'meta',
    'permalinks',
    'content-rendering',
    'roles',
    'settings',
    'users',
  ],
  after: ['revisions', 'changes'],
  // The export includes the user's global styles.
  uses: ['global-styles'],
  provides: ['templates'],
  apply(plugin) {
    const { branding, has, hooks, provide, services, since } = plugin
    const templates = new Templates(plugin)
    provide('templates', templates)
    registerReferences(plugin, templates)
    const hidden = { public: false, show_ui: false, rewrite: false, query_var: false } as const
    const kinds = since('5.9') ? (['template', 'template_part'] as const) : (['template'] as const)
    for (const kind of kinds) {
      services.contentTypes.change(branding.typeName(kind), { show_in_rest: true })
      // Visitors cannot read templates, but see their content on pages.
      if (!has('changes')) continue
      services.changeReaders.set(`post:${branding.typeName(kind)}`, new PostChangeReader(plugin, shownWhilePublished))
    }
    services.taxonomies.register(branding.typeName('template_part_area'), branding.typeName('template_part'), {
      labels: { name: 'Template Part Areas', singular_name: 'Template Part Area' },
      ...hidden,
    })
    if (since('5.9')) addThemeExport(plugin, templates)
    hooks.rest_api_init.tap('templates', (server) => {
      for (const kind of kinds) {
        const type = services.contentTypes.get(branding.typeName(kind))
        if (type?.show_in_rest !== true) continue
        // Before 6.4, the routes used the ID of the stored post.
        if (since('6.4') && has('revisions') && services.contentTypes.supports(type.name, 'revisions')) {
          // Before the route of one template, which `templates/THEME/revisions` would match as well.
          new TemplateRevisionsController(plugin, type, kind, templates).register(server)
          new TemplateAutosavesController(plugin, type, kind, templates).register(server)
        }
        new TemplatesController(plugin, type, kind, templates).register(server)
      }
    })
  },
})
