import type { FoundPage, HeadElement, PluginContext, PostQuery, RequestCache } from '../../public.ts'
import { pageLanguage } from './current.ts'
import { LANGUAGE, type Languages } from './languages.ts'
import { languageTag } from './locales.ts'
import type { Switcher } from './switcher.ts'

/** Limits the lists of pages to their language, and names language and translations in the heads of pages. */
export function tapPages(plugin: PluginContext, languages: Languages, switcher: Switcher): void {
  const { has, hooks } = plugin
  hooks.site_posts_query.tapPromise('languages', async (query, scope) => listInLanguage(languages, query, scope))
  if (!has('site-pages')) return
  hooks.site_language.tap('languages', (locale, scope) => pageLanguage(scope)?.locale ?? locale)
  hooks.site_head.tapPromise('languages', async (elements, { found, page, isPrivate, scope }) =>
    isPrivate || page > 1 ? elements : [...elements, ...(await alternates(languages, switcher, found, scope))],
  )
}

/**
 * Returns the query with the posts of the language of the page. Posts without a language are listed with the default
 * language, so that content from before the languages does not disappear.
 */
async function listInLanguage(languages: Languages, query: PostQuery, scope: RequestCache): Promise<PostQuery> {
  const language = pageLanguage(scope)
  if (language === undefined) return query
  const [all, fallback, types] = await Promise.all([languages.all(), languages.default(), languages.types()])
  const others = all.flatMap(({ slug, term }) => (slug === language.slug ? [] : [term.id]))
  const isTranslated = query.types.every((type) => types.includes(type))
  const terms = query.terms ?? []
  if (isTranslated && language.slug !== fallback?.slug)
    return { ...query, terms: [...terms, { taxonomy: LANGUAGE, terms: [language.term.id], operator: 'in' }] }
  if (others.length === 0) return query
  return { ...query, terms: [...terms, { taxonomy: LANGUAGE, terms: others, operator: 'not in' }] }
}

/** Returns links to the translations of a page, for search engines; none if the page has no translation. */
async function alternates(
  languages: Languages,
  switcher: Switcher,
  found: FoundPage | null,
  scope: RequestCache,
): Promise<readonly HeadElement[]> {
  const links = (await switcher.links(found, scope)).filter(({ isTranslated }) => isTranslated)
  if (links.length < 2) return []
  const fallback = await languages.default()
  const link = (hreflang: string, href: string): HeadElement => ({
    element: 'link',
    attributes: { rel: 'alternate', hreflang, href },
  })
  const own = links.map(({ language, url }) => link(languageTag(language.locale), url))
  const main = links.find(({ language }) => language.slug === fallback?.slug)
  return main === undefined ? own : [...own, link('x-default', main.url)]
}
