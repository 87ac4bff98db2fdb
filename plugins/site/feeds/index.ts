import { definePlugin, type PluginContext, type SitePage } from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import type { HeadElement } from '../site-pages/index.ts'
import { feedUrl } from './feed-url.ts'
import { cachedText } from './cached-text.ts'

export { cachedText, type Document } from './cached-text.ts'
export { timeOf, xml } from './xml.ts'

/** Feeds of the newest posts and comments in RSS 2.0 and Atom: of the site, terms, authors, posts and searches. */
export default definePlugin({
  name: 'feeds',
  needs: [
    'site-requests',
    'comments',
    'content-types',
    'html',
    'permalinks',
    'posts',
    'content-rendering',
    'settings',
    'taxonomies',
    'terms',
    'translations',
    'users',
  ],
  uses: ['response-cache'],
  after: ['site-pages'],
  apply(plugin) {
    const { has, hooks, services, urls } = plugin
    services.settings.register('posts_per_rss', {
      type: 'integer',
      default: 10,
      visible: true,
      description: 'Number of entries in a feed: 1 to 100.',
    })
    services.settings.register('rss_use_excerpt', {
      type: 'boolean',
      default: false,
      visible: true,
      description: 'Whether feeds contain only the excerpts of posts.',
    })
    // Before the pages of the site, which would respond 404 to these URLs.
    hooks.site_request.tapPromise({ name: 'feeds', stage: 40, methods: ['GET'] }, async (page, request) =>
      page === null ? feedPage(plugin, request) : page,
    )
    if (!has('site-pages')) return
    hooks.site_head.tapPromise('feeds', async (elements, { found, url, scope }) => {
      const words = await services.translations.site()
      const link = (title: string, href: string): HeadElement => ({
        element: 'link',
        attributes: { rel: 'alternate', type: 'application/rss+xml', title, href },
      })
      // The feeds of the front page and of the posts page are the feed of the site.
      const { front, posts } = await services.permalinks.frontPages(scope)
      const isOfSite = found?.kind === 'post' && [front, posts].includes(found.post.id)
      const links = [
        link(words.t('Feed'), `${(await services.permalinks.home(scope)).replace(/\/?$/, '/')}feed/`),
        link(words.t('Comments feed'), urls.site('/comments/feed/')),
      ]
      const hasOwn = found?.kind === 'term' || found?.kind === 'author' || found?.kind === 'post'
      const base = hasOwn && url !== null && !url.includes('?') ? found.url : null
      if (base !== null && hasOwn && !isOfSite)
        links.push(
          link(
            found.kind === 'post' ? words.t('Comments feed of this page') : words.t('Feed of this page'),
            `${base.replace(/\/?$/, '/')}feed/`,
          ),
        )
      return [...elements, ...links]
    })
  },
})

/**
 * Returns the feed at a URL; null if there is no feed. Without parameters that select content, the feed comes from the
 * response cache, which renders it again after its data has changed.
 */
async function feedPage(plugin: PluginContext, request: SiteRequest): Promise<SitePage | null> {
  const url = feedUrl(request)
  if (url === null) return null
  const { query } = request
  const [{ subjectOf }, { buildFeed }, { FEED_FORMATS }] = await Promise.all([
    import('./subject.ts'),
    import('./build-feed.ts'),
    import('./formats.ts'),
  ])
  const { type, write } = FEED_FORMATS[url.format]
  // Not cached with parameters that select content, such as searches: clients could request an unlimited number of
  // URLs.
  const isNamed = plugin.services.permalinks.parameters().some((name) => query.has(name))
  return cachedText(plugin, request, {
    key: isNamed ? null : `feed ${JSON.stringify(url)}`,
    type,
    render: async (scope) => {
      const subject = await subjectOf(plugin, url, query, scope)
      return subject === null ? null : write(await buildFeed(plugin, subject, url.format, scope))
    },
  })
}
