/** Facts about a language that follow from its locale. */
export interface KnownLocale {
  readonly name: string
  readonly slug: string
  readonly isRtl: boolean
  /** Code of a flag: that of the region, in lower case; '' for none. */
  readonly flag: string
}

/** Form of a locale: `en_US`, `de_DE_formal`. */
export const LOCALE_PATTERN = '^[a-z]{2,3}(?:_[A-Z]{2})?(?:_[a-z0-9]+)?$'
/** Form of the code of a language. */
export const SLUG_PATTERN = '^[a-z][a-z0-9_-]*$'
/** Languages that are written from right to left. */
const RTL: ReadonlySet<string> = new Set('ar arc ary azb ckb dv fa haz he ks ku ps sd skr ug ur yi'.split(' '))

/** Returns name, code and flag of a locale; null if its language is not known. */
export function knownLocale(locale: string): KnownLocale | null {
  const [slug = '', region = ''] = locale.split('_')
  const tag = languageTag(locale)
  let name: string | undefined
  try {
    name = new Intl.DisplayNames([tag], { type: 'language', fallback: 'none' }).of(slug)
  } catch {
    return null
  }
  if (name === undefined) return null
  const isRegion = /^[A-Z]{2}$/.test(region)
  return {
    name: name.charAt(0).toLocaleUpperCase(tag) + name.slice(1),
    slug,
    isRtl: RTL.has(slug),
    flag: isRegion ? region.toLowerCase() : '',
  }
}

/** Returns the language tag for HTML: `de-DE` for `de_DE_formal`. */
export function languageTag(locale: string): string {
  const [language = '', region = ''] = locale.split('_')
  return /^[A-Z]{2}$/.test(region) ? `${language}-${region}` : language
}

/** Returns the locale as social networks name it: `de_DE`; '' without a region. */
export function socialLocale(locale: string): string {
  const tag = languageTag(locale)
  return tag.includes('-') ? tag.replace('-', '_') : ''
}

/** Returns less specific locales: `de_DE` for `de_DE_formal`. */
export function fallbacksOf(locale: string): readonly string[] {
  const parts = locale.split('_')
  return parts.length < 3 ? [] : [parts.slice(0, 2).join('_')]
}
