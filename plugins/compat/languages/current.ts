import type { RequestCache, RestRequest } from '../../public.ts'
import type { Language, Languages } from './languages.ts'

/** Query parameter that names a language. */
export const PARAMETER = 'lang'

/** The language of the page that a request cache belongs to. */
const pages = new WeakMap<RequestCache, Language>()

/** Sets the language of a page, once its URL is resolved. */
export function setPageLanguage(scope: RequestCache, language: Language): void {
  pages.set(scope, language)
}

/** Returns the language of the page that is rendered; undefined outside of pages. */
export function pageLanguage(scope: RequestCache): Language | undefined {
  return pages.get(scope)
}

/**
 * Returns the language that the running code works in: that of the page, or of the parameter `lang` of the request. An
 * unknown code means the default language; without a code there is none.
 */
export async function currentLanguage(languages: Languages, scope: RequestCache): Promise<Language | undefined> {
  const page = pages.get(scope)
  if (page !== undefined) return page
  return namedLanguage(languages, scope.parameter(PARAMETER) ?? '')
}

/** Returns the language that a request names in its query or body. */
export function requestedLanguage(languages: Languages, request: RestRequest): Promise<Language | undefined> {
  const value = request.get(PARAMETER)
  return namedLanguage(languages, typeof value === 'string' ? value : '')
}

async function namedLanguage(languages: Languages, code: string): Promise<Language | undefined> {
  if (code === '') return undefined
  return (await languages.find(code)) ?? languages.default()
}
