import type { Services } from '../../../public.ts'
import { isOn, settingsOf, textOf, type Settings } from '../options.ts'
import type { SeoPage } from '../page.ts'

export const TITLES_OPTION = 'rank-math-options-titles'
export const GENERAL_OPTION = 'rank-math-options-general'
export const SITEMAP_OPTION = 'rank-math-options-sitemap'

/** Templates of kinds of pages without own settings. */
const TITLES: Readonly<Record<string, string>> = {
  home: '%sitename% %page% %sep% %sitedesc%',
  author: '%name% %sep% %sitename% %page%',
  date: '%date% %page% %sep% %sitename%',
  search: '%search_query% %page% %sep% %sitename%',
  missing: 'Page Not Found %sep% %sitename%',
  type: '%title% %page% %sep% %sitename%',
  term: '%term% %sep% %sitename%',
  post: '%title% %sep% %sitename%',
}
/** Names of the settings of kinds of pages. */
const PREFIXES: Readonly<Partial<Record<SeoPage['kind'], string>>> = {
  home: 'homepage_',
  author: 'author_archive_',
  date: 'date_archive_',
  search: 'search_',
  missing: '404_',
}

/** The settings of Rank Math, with its defaults. */
export class RankMathSettings {
  readonly titles: Settings
  readonly general: Settings

  constructor(titles: Settings, general: Settings) {
    this.titles = titles
    this.general = general
  }

  static async read({ options }: Services): Promise<RankMathSettings> {
    return new RankMathSettings(await settingsOf(options, TITLES_OPTION), await settingsOf(options, GENERAL_OPTION))
  }

  get separator(): string {
    return textOf(this.titles, 'title_separator', '-')
  }

  /** Whether the site stands for a company rather than a person. */
  get isCompany(): boolean {
    return textOf(this.titles, 'knowledgegraph_type', 'company') === 'company'
  }

  /** Template of the title of a page. */
  titleOf(page: SeoPage): string {
    const fallback = TITLES[page.kind] ?? '%sitename%'
    return textOf(this.titles, `${prefixOf(page)}title`, fallback)
  }

  /** Template of the description of a page; '' without one. */
  descriptionOf(page: SeoPage): string {
    const fallback = page.kind === 'post' ? '%excerpt%' : page.kind === 'term' ? '%term_description%' : ''
    return textOf(this.titles, `${prefixOf(page)}description`, fallback)
  }

  /** Names of the robots setting of a page, and of the switch that turns it on. */
  robotsOf(page: SeoPage): { list: unknown; isOn: boolean } {
    const prefix = page.kind === 'author' ? 'author_' : page.kind === 'date' ? 'date_archive_' : prefixOf(page)
    const isCustom = page.kind === 'date' || isOn(this.titles, `${prefix}custom_robots`)
    return { list: this.titles[`${prefix}robots`], isOn: isCustom }
  }

  /** Type of the article in the structured data of a post; null if its type has none. */
  articleType(type: string): string | null {
    const fallback = type === 'post' || type === 'page' ? 'article' : 'off'
    if (textOf(this.titles, `pt_${type}_default_rich_snippet`, fallback) !== 'article') return null
    return textOf(this.titles, `pt_${type}_default_article_type`, type === 'post' ? 'BlogPosting' : 'Article')
  }

  /** Whether dates or authors have archives. */
  isDisabled(page: SeoPage): boolean {
    if (page.kind === 'date') return isOn(this.titles, 'disable_date_archives', true)
    return page.kind === 'author' && isOn(this.titles, 'disable_author_archives')
  }
}

/** Beginning of the names of the settings of a page. */
function prefixOf(page: SeoPage): string {
  if (page.kind === 'post') return `pt_${page.post.type}_`
  if (page.kind === 'term') return `tax_${page.term.taxonomy}_`
  if (page.kind === 'type') return `pt_${page.type.name}_archive_`
  return PREFIXES[page.kind] ?? 'other_'
}
