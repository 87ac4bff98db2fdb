import { VISITOR, type PluginContext, type RequestCache, type SitemapEntry } from '../../public.ts'
import type { Languages, Translations } from './languages.ts'
import { languageTag } from './locales.ts'

/** Names in sitemaps the translations of posts and terms, for search engines. */
export function tapSitemaps(plugin: PluginContext, languages: Languages): void {
  plugin.hooks.sitemap_entries.tapPromise('languages', async (entries, _source, scope) => {
    const groups = await Promise.all(entries.map(({ object }) => translationsOf(languages, object, scope)))
    const kind = entries.find(({ object }) => object !== undefined)?.object?.kind
    if (kind === undefined || kind === 'user') return entries
    const urls = await urlsOf(plugin, kind, [...new Set(groups.flatMap((group) => Object.values(group)))], scope)
    const [all, fallback] = await Promise.all([languages.all(), languages.default()])
    return entries.map((entry, at) => {
      const group = groups[at]!
      const found = all.flatMap(({ slug, locale }) => {
        const url = urls.get(group[slug] ?? 0)
        return url === undefined ? [] : [{ slug, hreflang: languageTag(locale), url }]
      })
      if (found.length < 2) return entry
      const main = found.find(({ slug }) => slug === fallback?.slug)
      const alternates = found.map(({ hreflang, url }) => ({ hreflang, url }))
      return {
        ...entry,
        alternates: main === undefined ? alternates : [...alternates, { hreflang: 'x-default', url: main.url }],
      }
    })
  })
}

async function translationsOf(
  languages: Languages,
  object: SitemapEntry['object'],
  scope: RequestCache,
): Promise<Translations> {
  if (object?.kind === 'post') return languages.translationsOfPost(object.id, scope)
  return object?.kind === 'term' ? ((await languages.ofTerm(object.id))?.translations ?? {}) : {}
}

/** Returns the URLs of posts or terms that visitors can read, by ID. */
async function urlsOf(
  { services }: PluginContext,
  kind: 'post' | 'term',
  ids: readonly number[],
  scope: RequestCache,
): Promise<ReadonlyMap<number, string>> {
  const { contentTypes, permalinks, posts, terms } = services
  if (ids.length === 0) return new Map()
  const range = { include: [...ids], limit: ids.length, offset: 0 }
  if (kind === 'term') {
    const taxonomy = services.taxonomies.all().map(({ name }) => name)
    const { items } = await terms.query({ ...range, taxonomy, hideEmpty: true }, scope)
    return new Map(await Promise.all(items.map(async (term) => [term.id, await permalinks.term(term, scope)] as const)))
  }
  const types = contentTypes.all().flatMap(({ name, viewable }) => (viewable ? [name] : []))
  const { items } = await posts.queryLean(posts.forUser({ ...range, types, statuses: ['publish'] }, VISITOR))
  const open = items.filter(({ password }) => password === '')
  return new Map(await Promise.all(open.map(async (post) => [post.id, await permalinks.post(post, scope)] as const)))
}
