import { addQuery, definePlugin, type PluginContext, type RestRequest } from '../../../kernel/index.ts'
import { acceptCommentForms } from '../../rendering/core-blocks/index.ts'
import { PREVIEW_TOKEN } from '../../content/previews/index.ts'
import { sitePagesHooks } from './hooks.ts'
import type { SitePagesOptions } from './options.ts'

export type { SitePagesOptions } from './options.ts'
export type { HeadElement, ShownPage } from './hooks.ts'

/** The pages of the site: front page, posts, archives and searches, rendered with the templates of the theme. */
export default definePlugin<SitePagesOptions>({
  name: 'site-pages',
  needs: ['site-requests'],
  since: '5.9',
  after: ['comments', 'login', 'oembed', 'posts', 'previews'],
  // All of them are optional. Without `core-blocks` or `templates`, this plugin serves no pages; those two need the
  // rest.
  uses: [
    'admin',
    'autosaves',
    'blocks',
    'content-types',
    'cookie-auth',
    'core-blocks',
    'discovery',
    'editor',
    'global-styles',
    'html',
    'media',
    'meta',
    'permalinks',
    'content-rendering',
    'response-cache',
    'roles',
    'settings',
    'taxonomies',
    'templates',
    'terms',
    'themes',
    'translations',
    'users',
  ],
  hooks: sitePagesHooks,
  options: {
    site: { default: '', type: 'string', pattern: '^(?:https?://[A-Za-z0-9.:\\[\\]-]{1,255})?$' },
  },
  apply(plugin, options) {
    // Visitors may comment with the forms on pages only, not through the REST API.
    const ownRequests = new WeakSet<RestRequest>()
    if (plugin.has('comments'))
      plugin.hooks.rest_allow_anonymous_comments.tap(
        'site-pages',
        (allowed, request) => allowed || ownRequests.has(request),
      )
    if (plugin.has('comments') && options.site === '')
      plugin.hooks.rest_api_init.tap('site-pages', (server) => acceptCommentForms(server))
    if (plugin.has('previews') && options.site === '') {
      plugin.services.previews.pageUrl = ({ id, type }, token) => {
        const isShown = servesPages(plugin) && plugin.services.contentTypes.get(type)?.viewable === true
        if (!isShown) return null
        return addQuery(plugin.urls.site('/'), { p: String(id), preview: 'true', [PREVIEW_TOKEN]: token })
      }
    }
    // Loaded with the first request, to keep the start short.
    const load = async () => {
      const { SitePages } = await import('./site-pages.ts')
      return new SitePages(plugin, options, ownRequests)
    }
    let pages: ReturnType<typeof load> | null = null
    if (plugin.has('posts')) {
      plugin.hooks.save_post.tapPromise('site-pages', async (post, before) => {
        if (before === null || before.slug === post.slug) return
        const { rememberSlug } = await import('./old-slugs.ts')
        await rememberSlug(plugin, post, before)
      })
    }
    // After all taps that serve files and pages of other plugins, and before the plain front page.
    plugin.hooks.site_request.tapPromise({ name: 'site-pages', stage: 60 }, async (page, request) =>
      page === null && servesPages(plugin) ? (await (pages ??= load())).respond(request) : page,
    )
  },
})

const servesPages = ({ has }: PluginContext) => has('core-blocks') && has('templates')
