import type { PluginContext } from '../../../../kernel/index.ts'
import { doNotKeep } from '../../../library/caching/index.ts'
import type { Admin } from '../admin.ts'
import { Words, type Catalogue } from './words.ts'

/**
 * The words of a user.
 * @param locale as users and sites have it: `de_DE`; `''` for that of the site
 */
export async function wordsOf({ services }: PluginContext, admin: Admin, locale: string): Promise<Words> {
  doNotKeep('a page of the admin is for one user')
  const chosen = languageOf(locale || (await services.options.get('language', 'en_US')))
  const timezone = await services.options.get('timezone', '')
  const offset = Number(await services.options.get('gmt_offset', 0))
  const catalogue = await catalogueOf(admin, chosen)
  // Without a catalogue the page is in English, and says so to screen readers.
  const isTranslated = Object.keys(catalogue).length > 0
  return new Words(isTranslated ? chosen : englishOf(chosen), catalogue, timezone || offsetZone(offset))
}

/**
 * The translations into a language. What is said for a country goes before what is said for the language alone, what
 * plugins say before what comes along, and what the site's own files say before all.
 */
export async function catalogueOf({ words, files }: Admin, language: string): Promise<Catalogue> {
  const general = language.split('-')[0]!
  const names = general === language ? [general] : [general, language]
  const parts = await Promise.all(
    names.map(async (name) => {
      const added = [...words].flatMap((one) => (one.language === name ? [one.catalogue] : []))
      return [await files.shipped.of(name), ...added, await files.own.of(name)]
    }),
  )
  return Object.assign({}, ...parts.flat()) as Catalogue
}

/** The locales of the languages that have translations, as users have them: `de_DE`. */
export function translatedLocales({ words, files }: Admin): string[] {
  const languages = [...files.shipped.languages, ...[...words].map(({ language }) => language), ...files.own.languages]
  return [...new Set(languages.map(localeOf))]
}

function localeOf(language: string): string {
  const { language: name, region } = new Intl.Locale(language).maximize()
  return region === undefined ? name : `${name}_${region}`
}

const englishOf = (language: string) => (language.startsWith('en') ? language : 'en')

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
  const two = (number: number) => String(number).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
