import type { FoundPage, PluginContext, RequestCache } from '../../public.ts'
import { pageLanguage } from './current.ts'
import { flagHtml } from './flags.ts'
import type { Language, Languages, Translations } from './languages.ts'
import type { LanguageLinks } from './links.ts'
import { languageTag } from './locales.ts'
import { isRecord } from './options.ts'

/** URL of menu items that stand for a language switcher. */
export const SWITCHER_URL = '#pll_switcher'

/** A link of a language switcher. */
export interface SwitcherLink {
  readonly language: Language
  /** The page in the language, or its front page. */
  readonly url: string
  readonly isCurrent: boolean
  /** Whether the page exists in the language. */
  readonly isTranslated: boolean
}

/** Links the translations of pages. */
export class Switcher {
  readonly #plugin: PluginContext
  readonly #languages: Languages
  readonly #links: LanguageLinks

  constructor(plugin: PluginContext, languages: Languages, links: LanguageLinks) {
    this.#plugin = plugin
    this.#languages = languages
    this.#links = links
  }

  /** Returns a link for each language. @param found the page that the links lead away from; null outside of pages */
  async links(found: FoundPage | null, scope: RequestCache): Promise<readonly SwitcherLink[]> {
    const [all, fallback] = await Promise.all([this.#languages.all(), this.#languages.default()])
    const current = pageLanguage(scope) ?? fallback
    const urls = await this.#urlsOf(found, scope)
    return Promise.all(
      all.map(async (language) => {
        const url = urls.get(language.slug)
        return {
          language,
          url: url ?? (await this.#links.homeOf(language)),
          isCurrent: language.slug === current?.slug,
          isTranslated: url !== undefined,
        }
      }),
    )
  }

  /** Returns the URLs of the translations of a page that visitors can see, by language. */
  async #urlsOf(found: FoundPage | null, scope: RequestCache): Promise<ReadonlyMap<string, string>> {
    if (found?.kind === 'post') return this.#postUrls(found.post.id, scope)
    if (found?.kind === 'term') return this.#termUrls(found.term.id, scope)
    if (found?.kind !== 'home') return new Map()
    const all = await this.#languages.all()
    return new Map(await Promise.all(all.map(async (one) => [one.slug, await this.#links.homeOf(one)] as const)))
  }

  async #postUrls(id: number, scope: RequestCache): Promise<ReadonlyMap<string, string>> {
    const { permalinks, posts } = this.#plugin.services
    const translations = await this.#languages.translationsOfPost(id, scope)
    return this.#urls(translations, async (translation) => {
      const post = await posts.get(translation, scope)
      return post?.status === 'publish' ? permalinks.post(post, scope) : null
    })
  }

  async #termUrls(id: number, scope: RequestCache): Promise<ReadonlyMap<string, string>> {
    const { permalinks, terms } = this.#plugin.services
    const group = await this.#languages.ofTerm(id)
    return this.#urls(group?.translations ?? {}, async (translation) => {
      const term = await terms.get(translation, scope)
      return term === undefined ? null : permalinks.term(term, scope)
    })
  }

  async #urls(translations: Translations, urlOf: (id: number) => Promise<string | null>) {
    const known = new Set((await this.#languages.all()).map(({ slug }) => slug))
    const entries = await Promise.all(
      Object.entries(translations).map(async ([slug, id]) => [slug, known.has(slug) ? await urlOf(id) : null] as const),
    )
    return new Map(entries.flatMap(([slug, url]) => (url === null ? [] : [[slug, url] as const])))
  }
}

/** Replaces the items of switchers in responses of menus by a link for each language. */
export function tapMenuRoutes({ hooks }: PluginContext, switcher: Switcher, settingsOf: SettingsOf): void {
  hooks.rest_menu_routes_items.tapPromise('languages', async (items, { scope }) => {
    const replaced = await Promise.all(
      items.map(async (item) => {
        if (item['url'] !== SWITCHER_URL) return [item]
        const settings = await settingsOf(Number(item['db_id']), scope)
        const links = shownLinks(await switcher.links(null, scope), settings)
        return links.map((link, at) => ({
          ...item,
          ID: `${String(item['ID'])}-${link.language.slug}`,
          menu_order: Number(item['menu_order']) + at,
          type_label: 'Language switcher',
          title: titleOf(link, settings),
          url: link.url,
          classes: [...classesOf(link), ...(at === 0 ? ['lang-item-first'] : [])],
          lang: languageTag(link.language.locale),
        }))
      }),
    )
    return replaced.flat()
  })
}

/** Settings of a switcher in a menu. */
export interface SwitcherSettings {
  readonly hide_if_no_translation?: unknown
  readonly hide_current?: unknown
  readonly show_flags?: unknown
  readonly show_names?: unknown
}

/** Returns the settings of the switcher of a menu item. */
export type SettingsOf = (item: number, scope: RequestCache) => Promise<SwitcherSettings>

/** Returns the settings that the meta of a menu item has. */
export function switcherSettings({ services }: PluginContext, key: string): SettingsOf {
  return async (id, scope) => {
    const stored = await services.meta.single('post', id, key, scope)
    return isRecord(stored) ? stored : { show_names: true }
  }
}

/** Leaves out the links that the settings hide. */
export function shownLinks(links: readonly SwitcherLink[], settings: SwitcherSettings): readonly SwitcherLink[] {
  return links.filter(
    ({ isCurrent, isTranslated }) =>
      !(isCurrent && isOn(settings.hide_current)) &&
      (isTranslated || isCurrent || !isOn(settings.hide_if_no_translation)),
  )
}

/** Returns the classes of a link, which themes of imported sites style. */
export function classesOf({ language, isCurrent, isTranslated }: SwitcherLink): string[] {
  return [
    'lang-item',
    `lang-item-${language.term.id}`,
    `lang-item-${language.slug}`,
    ...(isCurrent ? ['current-lang'] : []),
    ...(isTranslated ? [] : ['no-translation']),
  ]
}

function titleOf({ language }: SwitcherLink, settings: SwitcherSettings): string {
  const hasFlag = isOn(settings.show_flags) && language.flag !== ''
  if (!hasFlag) return language.name
  const flag = flagHtml(language.flag, isOn(settings.show_names) ? '' : language.name)
  return isOn(settings.show_names) ? `${flag}<span style="margin-left:0.3em;">${language.name}</span>` : flag
}

const isOn = (value: unknown) => value === true || Number(value) === 1
