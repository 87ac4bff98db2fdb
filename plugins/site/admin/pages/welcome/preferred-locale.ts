/** Maximum languages of a header that are compared. */
const MAX_LANGUAGES = 20
/** Maximum characters of a header that are read. */
const MAX_HEADER_LENGTH = 1000

/**
 * Returns the locale that fits an `Accept-Language` header best: the same language and country, or the same language.
 * @param locales available locales, such as `pt_BR`
 * @returns null if no locale has one of the languages
 */
export function preferredLocale(header: string | null, locales: readonly string[]): string | null {
  const accepted = (header ?? '')
    .slice(0, MAX_HEADER_LENGTH)
    .split(',', MAX_LANGUAGES)
    .map((part) => {
      const [tag = '', weight = ''] = part.split(';', 2)
      const q = /^\s*q=([\d.]{1,5})\s*$/.exec(weight)?.[1]
      return { tag: tag.trim().toLowerCase().replace('-', '_'), weight: q === undefined ? 1 : Number(q) }
    })
    .filter(({ tag, weight }) => tag !== '' && weight > 0)
    .sort((one, other) => other.weight - one.weight)
  for (const { tag } of accepted) {
    const same = locales.find((locale) => locale.toLowerCase() === tag)
    const [language] = tag.split('_', 1)
    const found = same ?? locales.find((locale) => locale.toLowerCase().split('_', 1)[0] === language)
    if (found !== undefined) return found
  }
  return null
}
