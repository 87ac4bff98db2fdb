import { formatDate, localTime, plainText, type FoundPost, type RequestCache, type Services } from '../../public.ts'

/** Words per minute of the reading time. */
const WORDS_PER_MINUTE = 200
/** Words of which an excerpt is cut to a number of characters. */
const EXCERPT_WORDS = 80

/** Texts of posts and of the site. */
export class SeoTexts {
  readonly #services: Services

  constructor(services: Services) {
    this.#services = services
  }

  /** Returns the title and tagline of the site as plain text, and its language such as `en_US`. */
  async site(): Promise<{ title: string; tagline: string; locale: string }> {
    const set = await this.#services.options.many(['title', 'description', 'language'])
    const text = (value: unknown) => (typeof value === 'string' ? plainText(value) : '')
    return { title: text(set.title), tagline: text(set.description), locale: text(set.language) || 'en_US' }
  }

  /** Returns the excerpt of an open post as plain text; a generated one ends at a word. */
  async excerpt(post: FoundPost, maxLength: number, scope: RequestCache): Promise<string> {
    if (post.password !== '') return ''
    const text = await this.#services.contentRendering.excerptText(post, { words: EXCERPT_WORDS, more: '' }, scope)
    return shortened(oneLine(plainText(text)), maxLength)
  }

  /** Returns the number of words of an open post. */
  words(post: FoundPost): number {
    if (post.password !== '') return 0
    // With a space after each tag, so that the words of two paragraphs stay apart.
    const text = plainText(post.content.replaceAll('>', '> '))
    return text === '' ? 0 : text.split(/\s+/).length
  }

  /** Returns the reading time in minutes, rounded. */
  minutes(post: FoundPost): number {
    return Math.round(this.words(post) / WORDS_PER_MINUTE)
  }

  /** Formats a stored date in the format and language of the site. */
  async date(stored: string, ownFormat = ''): Promise<string> {
    const { date_format: format } = await this.#services.options.many(['date_format'])
    const { language } = await this.#services.translations.site()
    const seconds = Date.parse(`${stored.replace(' ', 'T')}Z`) / 1000
    return Number.isNaN(seconds) ? '' : formatDate(ownFormat || String(format), localTime(seconds, 'UTC'), language)
  }

  /** Returns the time in the time zone of the site: `2024-04-01T08:00:00+00:00`. @param gmt stored date in UTC */
  async iso(gmt: string): Promise<string> {
    const { timezone } = await this.#services.options.many(['timezone'])
    const seconds = Date.parse(`${gmt.replace(' ', 'T')}Z`) / 1000
    return Number.isNaN(seconds) ? '' : formatDate('c', localTime(seconds, timezone as string), 'en')
  }
}

/** Returns a text without line breaks and repeated spaces. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Cuts a text at the last word that fits. */
export function shortened(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const cut = text.slice(0, maxLength + 1)
  const end = cut.lastIndexOf(' ')
  return cut.slice(0, end > 0 ? end : maxLength).toWellFormed()
}

/** Returns a time in UTC: `2024-04-01T08:00:00+00:00`. @param gmt stored date in UTC */
export function utcTime(gmt: string): string {
  return gmt === '' || gmt.startsWith('0000') ? '' : `${gmt.replace(' ', 'T')}+00:00`
}
