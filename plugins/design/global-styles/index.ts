import { definePlugin, HeaderMap, type PluginContext, type SitePage } from '../../../kernel/index.ts'
import { etagOf, includesEtag } from '../../requests/conditional/index.ts'
import { PostChangeReader, shownWhilePublished } from '../../content/posts/index.ts'
import type { Theme } from '../themes/index.ts'
import { GlobalStylesController } from './controller.ts'
import { StylesRevisionsController } from './revisions-controller.ts'
import { GlobalStyles } from './service.ts'
import { ThemeStylesController } from './theme-controller.ts'

export type { PageColors } from './page-colors.ts'
export type { GlobalStyles } from './service.ts'
export type { StylesJson } from './theme-json.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Reads the merged settings and styles of the active theme and the user, and generates their style sheet.
     * @example
     * const css = await services.globalStyles.css()
     */
    globalStyles: GlobalStyles
  }
}

interface GlobalStylesOptions {
  /** Seconds for which browsers and caches use the style sheet without revalidation. */
  max_age: number
}

/** Merges the theme styles with the user styles, and serves the generated style sheet. */
export default definePlugin<GlobalStylesOptions>({
  name: 'global-styles',
  since: '5.9',
  needs: [
    'site-requests',
    'resources',
    'themes',
    'posts',
    'terms',
    'content-types',
    'taxonomies',
    'settings',
    'roles',
    'content-rendering',
    'store',
  ],
  after: ['revisions', 'changes'],
  provides: ['globalStyles'],
  options: { max_age: { default: 60, type: 'integer', minimum: 0 } },
  apply(plugin, { max_age: maxAge }) {
    const { branding, has, hooks, provide, services, since } = plugin
    const { contentTypes, posts } = services
    registerType(plugin)
    const styles = new GlobalStyles(plugin)
    provide('globalStyles', styles)
    // Visitors cannot read the styles post, but pages link to the style sheet generated from it.
    if (has('changes'))
      services.changeReaders.set(`post:${styles.user.type}`, new PostChangeReader(plugin, shownWhilePublished))
    hooks.rest_api_init.tap({ name: 'global-styles', stage: 100 }, (server) => {
      new ThemeStylesController(plugin, styles).register(server)
      new GlobalStylesController(plugin, styles.user.type).register(server)
      const type = contentTypes.get(styles.user.type)!
      if (has('revisions') && since('6.3')) new StylesRevisionsController(posts.context, type).register(server)
    })
    // Editors use this link to find the styles they edit.
    hooks.rest_prepare.for('theme').tapPromise('global-styles', async (response, theme, request) => {
      const { stylesheet } = theme as Theme
      if (!request.wants('_links') || (await services.themes.inUse(stylesheet)) === undefined) return response
      const id = await styles.idOf(stylesheet)
      const href = plugin.urls.rest(`/${branding.namespace('v2')}/global-styles/${id}`)
      response.addLink(branding.relation('user-global-styles'), href)
      return response
    })
    hooks.site_request.tapPromise('global-styles', async (page, { method, path, headers }) => {
      if (page !== null || path !== `/${branding.word}-styles.css` || (method !== 'GET' && method !== 'HEAD'))
        return page
      return styleSheetPage(await styles.css(), maxAge, headers.get('if-none-match'))
    })
  },
})

/** Registers the type. Users who can edit the theme can change styles; users who can edit posts can read them. */
function registerType({ branding, services, since }: PluginContext): void {
  const capability = 'edit_theme_options'
  services.contentTypes.register(branding.typeName('global_styles'), {
    labels: { name: 'Global Styles', singular_name: 'Global Styles' },
    description: 'User changes to the settings and styles of a theme.',
    supports: { title: true, editor: true, revisions: true, autosave: false },
    taxonomies: [branding.typeName('theme')],
    // Before 6.6, the type was not listed, although its routes existed.
    show_in_rest: since('6.6'),
    rest_base: 'global-styles',
    rest_controller_class: false,
    capabilities: {
      read: 'edit_posts',
      create_posts: capability,
      edit_posts: capability,
      edit_published_posts: capability,
      delete_published_posts: capability,
      edit_others_posts: capability,
      delete_others_posts: capability,
    },
    map_meta_cap: true,
    rewrite: false,
    query_var: false,
  })
}

function styleSheetPage(css: string, maxAge: number, ifNoneMatch: string | null): SitePage {
  const tag = etagOf(css)
  const headers = new HeaderMap({
    'Content-Type': 'text/css; charset=UTF-8',
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': `public, max-age=${maxAge}`,
    ETag: tag,
  })
  const isKnown = ifNoneMatch !== null && includesEtag(ifNoneMatch, tag, 'weak')
  return isKnown ? { status: 304, headers, body: null } : { status: 200, headers, body: css }
}
