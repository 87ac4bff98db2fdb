import { join, resolve } from 'node:path'
import { derived, OwnedList, type PluginContext, type RequestCache } from '../../../kernel/index.ts'
import { CatalogFiles } from './catalog-files.ts'
import { Words, type Catalog } from './words.ts'

/**
 * Translates the texts that visitors, editors and administrators read. Precedence, highest first: folders of
 * `addFolder` (the last one first), the folder of the site, catalogs of `add` (the last one first), shipped catalogs.
 */
export class Translations {
  readonly #plugin: PluginContext
  readonly #shipped = new CatalogFiles(join(import.meta.dirname, 'catalogs'))
  readonly #added = new OwnedList<{ readonly language: string; readonly catalog: Catalog }>('catalog')
  readonly #merged = derived(this.#added, () => new Map<string, Promise<Catalog>>())
  readonly #enabled: readonly string[]
  #own: readonly CatalogFiles[]

  /**
   * @param folder with catalogs of the site
   * @param enabled shipped languages that users can choose
   */
  constructor(plugin: PluginContext, folder: string, enabled: readonly string[]) {
    this.#plugin = plugin
    this.#enabled = enabled
    this.#own = [new CatalogFiles(resolve(plugin.config.folder, folder))]
  }

  /**
   * Adds translations until the plugin is removed. They replace shipped ones; those in the site's folder replace them.
   * @param language `de`, or with a country `pt-BR`
   * @param catalog by English text
   */
  add(language: string, catalog: Catalog): void {
    this.#added.add({ language, catalog }, language)
  }

  /** Adds a folder of catalogs. @internal */
  addFolder(folder: string): void {
    this.#own = [...this.#own, new CatalogFiles(resolve(this.#plugin.config.folder, folder))]
    this.#merged().clear()
  }

  /**
   * Returns the texts in a language.
   * @param locale as users and sites have it: `de_DE`; `''` for that of the site
   */
  async in(locale: string): Promise<Words> {
    const { options } = this.#plugin.services
    const { language: site, timezone, gmt_offset: offset } = await options.many(['language', 'timezone', 'gmt_offset'])
    const language = languageOf(locale || textOf(site))
    const catalog = await this.catalog(language)
    // Without a catalog the texts are English, and pages declare that to screen readers.
    const shown = Object.keys(catalog).length > 0 || language.startsWith('en') ? language : 'en'
    return new Words(shown, catalog, textOf(timezone) || offsetZone(Number(offset ?? 0)))
  }

  /**
   * Returns the texts in the language of a user: their locale, or the language of the site. Requires the plugin `users`.
   * @param user ID of the user
   */
  async ofUser(user: number, scope: RequestCache): Promise<Words> {
    const { locale } = await this.#plugin.services.users.profile(user, scope)
    return this.in(locale)
  }

  /** Returns the texts in the language of the site, the option `language`. Responses that contain them depend on it. */
  site(): Promise<Words> {
    return this.in('')
  }

  /** Merges the catalogs of a language. Translations for a country (`pt-BR`) replace translations for its language (`pt`). */
  catalog(language: string): Promise<Catalog> {
    const merged = this.#merged()
    const catalog = merged.get(language) ?? this.#merge(language)
    merged.set(language, catalog)
    return catalog
  }

  async #merge(language: string): Promise<Catalog> {
    const general = language.split('-')[0]!
    const names = general === language ? [general] : [general, language]
    const parts = await Promise.all(
      names.map(async (name) => [
        await this.#shipped.of(name),
        ...[...this.#added].flatMap((one) => (one.language === name ? [one.catalog] : [])),
        ...(await Promise.all(this.#own.map((files) => files.of(name)))),
      ]),
    )
    return Object.assign({}, ...parts.flat()) as Catalog
  }

  /** Returns the locales of all translations, as sites and users have them: `de_DE`. */
  locales(): string[] {
    return this.#localesOf(this.#shipped.languages)
  }

  /**
   * Returns the locales that users can choose in their profile: from the option `languages`, from plugins, and from the
   * folder of the site. Users without a locale get the language of the site.
   */
  userLocales(): string[] {
    return this.#localesOf(this.#shipped.languages.filter((language) => this.#enabled.includes(language)))
  }

  #localesOf(shipped: readonly string[]): string[] {
    const added = [...this.#added].map(({ language }) => language)
    const own = this.#own.flatMap(({ languages }) => languages)
    return [...new Set([...shipped, ...own, ...added].map(localeOf))]
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

function localeOf(language: string): string {
  const { language: name, region } = new Intl.Locale(language).maximize()
  return region === undefined ? name : `${name}_${region}`
}

function languageOf(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale.split('_').slice(0, 2).join('-'))[0] ?? 'en'
  } catch {
    return 'en'
  }
}

/** @param offset hours */
function offsetZone(offset: number): string {
  const minutes = Math.round((Number.isFinite(offset) ? Math.abs(offset) : 0) * 60)
  const twoDigits = (number: number) => String(number).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`
}
