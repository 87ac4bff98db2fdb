import type { PluginContext, RequestCache, SitemapEntry, SitemapSource } from '../../public.ts'
import type { SeoHeads } from './heads.ts'
import { isOn, settingsOf, type Settings } from './options.ts'
import type { SeoPage } from './page.ts'
import { SITEMAP_OPTION, TITLES_OPTION } from './rank-math/settings.ts'
import { YOAST_TITLES } from './yoast/settings.ts'

/** Leaves pages out of the sitemaps that search engines may not list. */
export function limitSitemaps(plugin: PluginContext, heads: SeoHeads): void {
  const { hooks } = plugin
  hooks.sitemap_sources.tapPromise('seo', async (sources) => {
    const isShown = await shownKinds(plugin, heads)
    return sources.filter(isShown)
  })
  hooks.sitemap_entries.tapPromise('seo', async (entries, _source, scope) => {
    await preload(plugin, entries, scope)
    const shown = await Promise.all(entries.map(async (entry) => isListed(plugin, heads, entry, scope)))
    return entries.filter((_, at) => shown[at])
  })
}

/** Returns the check whether a kind of pages has sitemaps by the settings. */
async function shownKinds(
  { services }: PluginContext,
  { dialect }: SeoHeads,
): Promise<(source: SitemapSource) => boolean> {
  const { options } = services
  if (dialect === 'yoast') {
    const titles = await settingsOf(options, YOAST_TITLES)
    return ({ name }) => !isOn(titles, `noindex-${yoastName(name)}`)
  }
  const sitemap: Settings = await settingsOf(options, SITEMAP_OPTION)
  const titles = await settingsOf(options, TITLES_OPTION)
  return ({ name }) => {
    if (name === 'author') return isOn(sitemap, 'authors_sitemap', true) && !isOn(titles, 'disable_author_archives')
    const setting = name.replace(/^post-/, 'pt_').replace(/^term-/, 'tax_')
    return isOn(sitemap, `${setting}_sitemap`, true)
  }
}

const yoastName = (source: string) =>
  source === 'author' ? 'author-wpseo' : source.replace(/^post-/, '').replace(/^term-/, 'tax-')

/** Reads the objects of all entries in few statements. */
async function preload({ services }: PluginContext, entries: readonly SitemapEntry[], scope: RequestCache) {
  const idsOf = (kind: string) => entries.flatMap(({ object }) => (object?.kind === kind ? [object.id] : []))
  await services.posts.loadAll(idsOf('post'), scope)
  for (const kind of ['post', 'term', 'user']) await services.meta.loadAll(kind, idsOf(kind), scope)
}

async function isListed(
  { services }: PluginContext,
  heads: SeoHeads,
  { object, url }: SitemapEntry,
  scope: RequestCache,
): Promise<boolean> {
  const place = { url, page: 1, pages: 1, isFront: false, scope }
  const page = async (): Promise<SeoPage | null> => {
    if (object?.kind === 'post') {
      const post = await services.posts.get(object.id, scope)
      return post === undefined ? null : { ...place, kind: 'post', post }
    }
    if (object?.kind === 'term') {
      const term = await services.terms.get(object.id, scope)
      return term === undefined ? null : { ...place, kind: 'term', term }
    }
    const user = object === undefined ? undefined : await services.users.get(object.id, scope)
    return user === undefined ? null : { ...place, kind: 'author', user }
  }
  const found = await page()
  return found === null || heads.isIndexed(found)
}
