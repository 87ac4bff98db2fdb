import { applyFilter, VISITOR, type PluginContext, type RequestCache } from '../../../kernel/index.ts'
import { mapInSlices } from '../../library/long-work/index.ts'
import { timeOf, xml } from '../feeds/index.ts'
import type { SitemapSource } from './hooks.ts'

/** URLs per sitemap. */
const URLS_PER_SITEMAP = 500
/** Sitemaps per kind of page; search engines find older pages by their links. */
const MAX_SITEMAPS = 200
const XHTML = 'http://www.w3.org/1999/xhtml'
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** Renders the index of all sitemaps. */
export async function sitemapIndex(plugin: PluginContext, scope: RequestCache): Promise<string> {
  const counted = await mapInSlices(await sourcesOf(plugin), async (source) => {
    const { total } = await source.read({ limit: 1, offset: 0 }, scope)
    const pages = Math.min(Math.ceil(total / URLS_PER_SITEMAP), MAX_SITEMAPS)
    return Array.from({ length: pages }, (_, at) => plugin.urls.site(`/sitemap-${source.name}-${at + 1}.xml`))
  })
  const items = counted.flat().map((url) => `<sitemap><loc>${xml(url)}</loc></sitemap>\n`)
  return document('sitemapindex', items)
}

/**
 * Returns the function that renders a sitemap, by name and number: `post-page`, 1; null if there is no such sitemap.
 * The function returns null if the sitemap would be empty.
 */
export async function sitemapOf(
  plugin: PluginContext,
  requestedName: string,
  page: number,
): Promise<((scope: RequestCache) => Promise<string | null>) | null> {
  const sources = page <= MAX_SITEMAPS ? await sourcesOf(plugin) : []
  const source = sources.find(({ name }) => name === requestedName)
  if (source === undefined) return null
  return async (scope) => {
    const { entries, total } = await source.read(
      { limit: URLS_PER_SITEMAP, offset: (page - 1) * URLS_PER_SITEMAP },
      scope,
    )
    // Clients must not be able to fill the cache with empty sitemaps.
    if (total <= (page - 1) * URLS_PER_SITEMAP) return null
    const shown = await applyFilter(plugin.hooks.sitemap_entries, entries, source.name, scope)
    const items = shown.map(({ url, modified, alternates = [] }) => {
      const date = modified === 0 ? '' : `<lastmod>${new Date(modified).toISOString()}</lastmod>`
      const links = alternates.map(
        (one) => `<xhtml:link rel="alternate" hreflang="${xml(one.hreflang)}" href="${xml(one.url)}"/>`,
      )
      return `<url><loc>${xml(url)}</loc>${date}${links.join('')}</url>\n`
    })
    const hasLinks = shown.some(({ alternates = [] }) => alternates.length > 0)
    return document(hasLinks ? `urlset xmlns:xhtml="${XHTML}"` : 'urlset', items)
  }
}

/** @param element name of the root element, with its attributes */
function document(element: string, items: readonly string[]): string {
  const [name] = element.split(' ', 1)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${element} xmlns="${NAMESPACE}">\n${items.join('')}</${name}>\n`
}

async function sourcesOf(plugin: PluginContext): Promise<readonly SitemapSource[]> {
  const { contentTypes, taxonomies } = plugin.services
  const types = contentTypes.all().flatMap(({ name, viewable }) => (viewable && name !== 'attachment' ? [name] : []))
  const viewable = taxonomies.all().filter((one) => one.publicly_queryable)
  return applyFilter(plugin.hooks.sitemap_sources, [
    ...types.map((type) => postsOf(plugin, type)),
    ...viewable.map(({ name }) => termsOf(plugin, name)),
    authors(plugin, types),
  ])
}

/** Published posts of a type. Protected posts are left out. */
function postsOf({ services }: PluginContext, type: string): SitemapSource {
  const { permalinks, posts } = services
  return {
    name: `post-${type}`,
    read: async (range, scope) => {
      const query = { types: [type], statuses: ['publish'], orderby: 'id', order: 'asc', ...range } as const
      const { items, total } = await posts.queryLean(posts.forUser(query, VISITOR))
      const open = items.filter(({ password }) => password === '')
      const entries = await mapInSlices(
        open,
        async (post) => ({
          url: await permalinks.post(post, scope),
          modified: timeOf(post.modified_gmt),
          object: { kind: 'post' as const, id: post.id },
        }),
        URLS_PER_SITEMAP,
      )
      return { entries, total }
    },
  }
}

function termsOf({ services }: PluginContext, taxonomy: string): SitemapSource {
  const { permalinks, terms } = services
  return {
    name: `term-${taxonomy}`,
    read: async (range, scope) => {
      const query = { taxonomy, hideEmpty: true, orderby: 'id', order: 'asc', ...range } as const
      const { items, total } = await terms.query(query, scope)
      const entries = await mapInSlices(
        items,
        async (term) => ({
          url: await permalinks.term(term, scope),
          modified: 0,
          object: { kind: 'term' as const, id: term.id },
        }),
        URLS_PER_SITEMAP,
      )
      return { entries, total }
    },
  }
}

/** Users with published posts. */
function authors({ services }: PluginContext, authorsOf: readonly string[]): SitemapSource {
  const { permalinks, users } = services
  return {
    name: 'author',
    read: async (range, scope) => {
      const { items, total } = await users.query({ authorsOf, orderBy: 'id', order: 'asc', ...range })
      const entries = await mapInSlices(
        items,
        async (user) => ({
          url: await permalinks.author(user, scope),
          modified: 0,
          object: { kind: 'user' as const, id: user.id },
        }),
        URLS_PER_SITEMAP,
      )
      return { entries, total }
    },
  }
}
