import { RequestCache, type PluginContext } from '../../public.ts'
import { flagHtml, flagUrl } from './flags.ts'
import type { Language, Languages } from './languages.ts'
import type { LanguageLinks } from './links.ts'
import { fallbacksOf, languageTag, socialLocale } from './locales.ts'

/** Returns languages as responses show them. */
export async function languageData(
  plugin: PluginContext,
  languages: Languages,
  links: LanguageLinks,
): Promise<(language: Language) => Promise<Record<string, unknown>>> {
  const [fallback, groups, set] = await Promise.all([
    languages.default(),
    languages.termGroups(),
    plugin.services.options.many(['show_on_front', 'page_on_front', 'page_for_posts']),
  ])
  const scope = new RequestCache()
  const counts = new Map<string, number>()
  for (const { language } of groups.values()) counts.set(language, (counts.get(language) ?? 0) + 1)
  const pageOf = async (id: unknown, language: Language) => {
    const chosen = set.show_on_front === 'page' ? Number(id) || 0 : 0
    return chosen === 0 ? 0 : ((await languages.translationsOfPost(chosen, scope))[language.slug] ?? 0)
  }
  return async (language) => {
    const { slug, name, locale, isRtl, flag, position, term, termOfTerms } = language
    const home = await links.homeOf(language)
    const termOf = (id: number, count: number) => ({ term_id: id, term_taxonomy_id: id, count })
    return {
      name,
      slug,
      term_group: position,
      term_id: term.id,
      locale,
      is_rtl: isRtl,
      w3c: languageTag(locale),
      facebook: socialLocale(locale),
      home_url: home,
      search_url: home,
      host: '',
      page_on_front: await pageOf(set.page_on_front, language),
      page_for_posts: await pageOf(set.page_for_posts, language),
      flag_code: flag,
      flag_url: flagUrl(plugin, flag),
      flag: flagHtml(flag, name),
      custom_flag_url: '',
      custom_flag: '',
      active: true,
      fallbacks: fallbacksOf(locale),
      is_default: slug === fallback?.slug,
      term_props: {
        language: termOf(term.id, term.count),
        term_language: termOf(termOfTerms, counts.get(slug) ?? 0),
      },
    }
  }
}
