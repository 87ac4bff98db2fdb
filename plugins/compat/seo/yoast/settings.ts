import type { Services } from '../../../public.ts'
import { isOn, settingsOf, textOf, type Settings } from '../options.ts'
import type { SeoPage } from '../page.ts'

export const YOAST_TITLES = 'wpseo_titles'
export const YOAST_SOCIAL = 'wpseo_social'
export const YOAST_TERMS = 'wpseo_taxonomy_meta'
/** The options of Yoast SEO that this plugin reads. */
export const YOAST_OPTIONS = [YOAST_TITLES, YOAST_SOCIAL, YOAST_TERMS]

/** Templates of titles without own settings, by kind of page. */
const TITLES: Readonly<Record<string, string>> = {
  home: '%%sitename%% %%page%% %%sep%% %%sitedesc%%',
  post: '%%title%% %%page%% %%sep%% %%sitename%%',
  term: '%%term_title%% Archives %%page%% %%sep%% %%sitename%%',
  author: '%%name%%, Author at %%sitename%% %%page%%',
  date: '%%date%% %%page%% %%sep%% %%sitename%%',
  type: '%%pt_plural%% Archive %%page%% %%sep%% %%sitename%%',
  search: 'You searched for %%searchphrase%% %%page%% %%sep%% %%sitename%%',
  missing: 'Page not found %%sep%% %%sitename%%',
}
/** Ends of the names of the settings of kinds of pages. */
const SUFFIXES: Readonly<Partial<Record<SeoPage['kind'], string>>> = {
  home: 'home-wpseo',
  author: 'author-wpseo',
  date: 'archive-wpseo',
  search: 'search-wpseo',
  missing: '404-wpseo',
}
const SEPARATORS: Readonly<Record<string, string>> = {
  'sc-dash': '-',
  'sc-ndash': '–',
  'sc-mdash': '—',
  'sc-colon': ':',
  'sc-middot': '·',
  'sc-bull': '•',
  'sc-star': '*',
  'sc-smstar': '⋆',
  'sc-pipe': '|',
  'sc-tilde': '~',
  'sc-laquo': '«',
  'sc-raquo': '»',
  'sc-lt': '>',
  'sc-gt': '<',
}

/** The settings of Yoast SEO, with its defaults. */
export class YoastSettings {
  readonly titles: Settings
  readonly social: Settings
  readonly #terms: Settings

  constructor(titles: Settings, social: Settings, terms: Settings) {
    this.titles = titles
    this.social = social
    this.#terms = terms
  }

  static async read({ options }: Services): Promise<YoastSettings> {
    return new YoastSettings(
      await settingsOf(options, YOAST_TITLES),
      await settingsOf(options, YOAST_SOCIAL),
      await settingsOf(options, YOAST_TERMS),
    )
  }

  get separator(): string {
    const chosen = textOf(this.titles, 'separator', 'sc-dash')
    return SEPARATORS[chosen] ?? (chosen.length <= 3 ? chosen : '-')
  }

  /** Whether the site stands for a company; '' if the owner has chosen neither. */
  get owner(): 'company' | 'person' | '' {
    const chosen = textOf(this.titles, 'company_or_person')
    if (chosen === 'person' && textOf(this.titles, 'company_or_person_user_id') !== '') return 'person'
    return chosen === 'company' && textOf(this.titles, 'company_name') !== '' ? 'company' : ''
  }

  titleOf(page: SeoPage): string {
    return textOf(this.titles, `title-${suffixOf(page)}`) || (TITLES[page.kind] ?? '%%sitename%%')
  }

  descriptionOf(page: SeoPage): string {
    return textOf(this.titles, `metadesc-${suffixOf(page)}`)
  }

  /** Whether pages of this kind are hidden from search engines. */
  isHidden(page: SeoPage): boolean {
    if (page.kind === 'missing' || page.kind === 'search') return true
    return isOn(this.titles, `noindex-${suffixOf(page)}`, page.kind === 'date')
  }

  /** Type of the article in the structured data of posts of a type; null for none. */
  articleType(type: string): string | null {
    const chosen = textOf(this.titles, `schema-article-type-${type}`, type === 'post' ? 'Article' : 'None')
    return chosen === 'None' ? null : chosen
  }

  /** Values of a term, which an option holds by taxonomy and ID. */
  ofTerm(taxonomy: string, id: number): Settings {
    const ofTaxonomy = this.#terms[taxonomy]
    const own = (ofTaxonomy as Record<string, unknown> | undefined)?.[String(id)]
    return typeof own === 'object' && own !== null ? (own as Settings) : {}
  }
}

/** End of the names of the settings of a page. */
function suffixOf(page: SeoPage): string {
  if (page.kind === 'post') return page.post.type
  if (page.kind === 'term') return `tax-${page.term.taxonomy}`
  if (page.kind === 'type') return `ptarchive-${page.type.name}`
  return SUFFIXES[page.kind] ?? 'other'
}
