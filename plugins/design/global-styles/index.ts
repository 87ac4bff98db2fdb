import { definePlugin, HeaderMap, type PluginContext, type SitePage } from '../../../kernel/index.ts'
import { etagOf, includesEtag } from '../../requests/conditional/index.ts'
import { PostChangeReader, shownWhilePublished } from '../../content/posts/index.ts'
import type { Theme } from '../themes/index.ts'
import { GlobalStylesController } from './controller.ts'
import { StylesRevisionsController } from './revisions-controller.ts'
import { GlobalStyles } from './service.ts'
import { ThemeStylesController } from './theme-controller.ts'

export type { GlobalStyles } from './service.ts'
export type { StylesJson } from './theme-json.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Settings and styles of the theme in use, with those of the user, and the style sheet made of them.
     * @example
     * const css = await services.globalStyles.css()
     */
    globalStyles: GlobalStyles
  }
}

interface GlobalStylesOptions {
  /** Seconds for which browsers and caches use a copy of the style sheet without asking again. */
  max_age: number
}

/** The styles and settings of the theme with those of the user, and the style sheet that is made of them. */
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
    // Visitors may not read styles, but pages have the style sheet that is made of them.
    if (has('changes'))
      services.changeReaders.set(`post:${styles.user.type}`, new PostChangeReader(plugin, shownWhilePublished))
    hooks.rest_api_init.tap({ name: 'global-styles', stage: 100 }, (server) => {
      new ThemeStylesController(plugin, styles).register(server)
      new GlobalStylesController(plugin, styles.user.type).register(server)
      const type = contentTypes.get(styles.user.type)!
      if (has('revisions') && since('6.3')) new StylesRevisionsController(posts.context, type).register(server)
    })
    // Editors look here for the styles that they change.
    hooks.rest_prepare.for('theme').tapPromise('global-styles', async (response, theme, request) => {
      const { status, stylesheet } = theme as Theme
      if (status !== 'active' || !request.wants('_links')) return response
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

/** Whoever may edit the theme may change its styles; whoever writes sees them. */
function registerType({ branding, services, since }: PluginContext): void {
  const own = 'edit_theme_options'
  services.contentTypes.register(branding.typeName('global_styles'), {
    labels: { name: 'Global Styles', singular_name: 'Global Styles' },
    description: 'Settings and styles that users have changed of a theme.',
    supports: ['title', 'editor', 'revisions'],
    taxonomies: [branding.typeName('theme')],
    // Before, the type was not told of, although its routes were there.
    show_in_rest: since('6.6'),
    rest_base: 'global-styles',
    rest_controller_class: false,
    capabilities: {
      read: 'edit_posts',
      create_posts: own,
      edit_posts: own,
      edit_published_posts: own,
      delete_published_posts: own,
      edit_others_posts: own,
      delete_others_posts: own,
    },
    map_meta_cap: true,
    rewrite: false,
    query_var: false,
  })
}

function styleSheetPage(css: string, maxAge: number, known: string | null): SitePage {
  const tag = etagOf(css)
  const headers = new HeaderMap({
    'Content-Type': 'text/css; charset=UTF-8',
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': `public, max-age=${maxAge}`,
    ETag: tag,
  })
  const isKnown = known !== null && includesEtag(known, tag, 'weak')
  return isKnown ? { status: 304, headers, body: null } : { status: 200, headers, body: css }
}
