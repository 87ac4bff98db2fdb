import { definePlugin, HeaderMap, type PluginContext, type SitePage } from '../../../kernel/index.ts'
import { exportedNames } from '../../library/branding/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import { cachedText } from '../feeds/index.ts'
import { crawlersHooks } from './hooks.ts'

export type { SitemapEntry, SitemapSource } from './hooks.ts'

const XML = 'application/xml'

/** Serves the files that crawlers and browsers request: `/robots.txt`, `/sitemap.xml` and the icon of the site. */
export default definePlugin({
  name: 'crawlers',
  needs: ['site-requests', 'content-types', 'permalinks', 'posts', 'settings', 'taxonomies', 'terms', 'users'],
  uses: ['global-styles', 'media', 'response-cache', 'site-pages', 'themes'],
  hooks: crawlersHooks,
  apply(plugin) {
    const { hooks, services } = plugin
    services.settings.register('blog_public', {
      type: 'boolean',
      default: true,
      visible: true,
      description: 'Whether search engines may list the site.',
    })
    hooks.site_request.tapPromise({ name: 'crawlers', stage: 40, methods: ['GET'] }, async (page, request) =>
      page === null ? respond(plugin, request) : page,
    )
    if (!plugin.has('site-pages')) return
    hooks.site_head.tapPromise('crawlers', async (elements, { scope }) => {
      const { iconLinks } = await import('./icons.ts')
      return [...elements, ...(await iconLinks(plugin, scope))]
    })
  },
})

/** Returns the response to a request of a crawler; null for other paths. */
async function respond(plugin: PluginContext, request: SiteRequest): Promise<SitePage | null> {
  const { path } = request
  if (path === '/robots.txt') return robots(plugin, request)
  if (path === '/favicon.ico') return (await import('./icons.ts')).favicon(plugin)
  if (path === '/favicon.svg') return (await import('./icons.ts')).generatedIconPage(plugin)
  // Search engines that know the site from before its migration request this path.
  if (path === exportedNames.sitemaps) return moved(plugin.urls.site('/sitemap.xml'))
  if (!path.startsWith('/sitemap') || !path.endsWith('.xml')) return null
  if (!(await isPublic(plugin))) return null
  return sitemap(plugin, request)
}

const moved = (url: string): SitePage => ({ status: 301, headers: new HeaderMap({ Location: url }), body: null })

async function isPublic({ services }: PluginContext): Promise<boolean> {
  return Boolean(await services.options.get('blog_public', true))
}

function robots(plugin: PluginContext, request: SiteRequest): Promise<SitePage | null> {
  const { branding, urls } = plugin
  const render = async (): Promise<string> => {
    const rules = (await isPublic(plugin))
      ? [`Disallow: ${urls.basePath}${branding.adminPath}`, '', `Sitemap: ${urls.site('/sitemap.xml')}`]
      : ['Disallow: /']
    return `User-agent: *\n${rules.join('\n')}\n`
  }
  return cachedText(plugin, request, { key: 'robots', type: 'text/plain', render })
}

async function sitemap(plugin: PluginContext, request: SiteRequest): Promise<SitePage | null> {
  const { sitemapIndex, sitemapOf } = await import('./sitemaps.ts')
  if (request.path === '/sitemap.xml')
    return cachedText(plugin, request, { key: 'sitemaps', type: XML, render: (scope) => sitemapIndex(plugin, scope) })
  const [, name = '', page = ''] = /^\/sitemap-([a-z0-9_-]{1,60})-([1-9]\d{0,3})\.xml$/.exec(request.path) ?? []
  const render = name === '' ? null : await sitemapOf(plugin, name, Number(page))
  return render === null ? null : cachedText(plugin, request, { key: `sitemap ${name} ${page}`, type: XML, render })
}
