import { LRUCache } from 'lru-cache'
import { html, PageHtml, type HtmlValue } from '../../library/markup/index.ts'

/**
 * Translations by English text. Texts about a number have one translation for each plural form of the language
 * (`Intl.PluralRules`), and their key is the English plural.
 */
export type Catalog = Readonly<Record<string, string | Readonly<Record<string, string>>>>

/** Formatters of a language and a time zone. */
interface Formats {
  readonly plurals: Intl.PluralRules
  readonly numbers: Intl.NumberFormat
  readonly dates: Intl.DateTimeFormat
  readonly days: Intl.DateTimeFormat
  readonly relative: Intl.RelativeTimeFormat
}

/** Recently used formatters by language and time zone: creating them takes longer than rendering many pages. */
const FORMATS = new LRUCache<string, Formats>({ max: 20 })

function formatsOf(language: string, timezone: string): Formats {
  const key = `${language} ${timezone}`
  const cached = FORMATS.get(key)
  if (cached !== undefined) return cached
  const formats = {
    plurals: new Intl.PluralRules(language),
    numbers: new Intl.NumberFormat(language),
    dates: new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: timezone }),
    days: new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: timezone }),
    relative: new Intl.RelativeTimeFormat(language),
  }
  FORMATS.set(key, formats)
  return formats
}

/** Units of relative times with their length in seconds, longest first. */
const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const
/** Largest difference that is shown as a relative time, in seconds. */
const MAX_RELATIVE_SECONDS = 30 * 86_400

/** Values of the placeholders in a text, by name. */
export type TextValues = Readonly<Record<string, string | number>>

/** Translates texts into one language. The source language of all texts is English. */
export class Words {
  /** BCP 47: `de`, `pt-BR`. */
  readonly language: string
  /** Whether there are translations into the language. */
  readonly isTranslated: boolean
  readonly #catalog: Catalog
  readonly #timezone: string

  /** @param timezone IANA name, or an offset such as `+02:00` */
  constructor(language: string, catalog: Catalog, timezone: string) {
    this.language = language
    this.#catalog = catalog
    this.isTranslated = Object.keys(catalog).length > 0
    this.#timezone = timezone
  }

  /**
   * Translates a text and fills in values: `t('Save {name}', { name })`. A text that would have several translations starts
   * with its context and a bar, which are not shown: `t('comment status|Pending')`.
   */
  t(text: string, values: TextValues = {}): string {
    return filled(this.#translated(text), values)
  }

  /** Like `t()`, as HTML: the text and values are escaped, values that are HTML are not. */
  html(text: string, values: Readonly<Record<string, HtmlValue>> = {}): PageHtml {
    const parts = this.#translated(text).split(/(\{\w+\})/)
    const name = (part: string) => part.slice(1, -1)
    return new PageHtml(
      parts
        .map((part, at) => html`${at % 2 === 1 && Object.hasOwn(values, name(part)) ? values[name(part)] : part}`.text)
        .join(''),
    )
  }

  /** Translates a text about a number: `count(n, '1 post', '{count} posts')`. */
  count(number: number, one: string, others: string): string {
    const found = this.#own(others)
    const { plurals, numbers } = formatsOf(this.language, this.#timezone)
    const form = plurals.select(number)
    const english = withoutContext(number === 1 ? one : others)
    const text = typeof found === 'object' ? (found[form] ?? found['other'] ?? english) : (found ?? english)
    return filled(text, { count: numbers.format(number) })
  }

  /** Formats a date and time. @param gmt `2026-01-31T10:00:00`, in UTC; a dash is returned for null */
  date(gmt: string | null): PageHtml {
    const at = instantOf(gmt)
    if (at === null) return html`–`
    const { dates } = formatsOf(this.language, this.#timezone)
    return html`<time datetime="${at.toISOString()}">${dates.format(at)}</time>`
  }

  /**
   * Formats a date and time relative to now, `2 hours ago`, with the exact time as its title; a date more than 30 days
   * away is shown as a date.
   * @param gmt as for `date`
   */
  ago(gmt: string | null, now = Date.now()): PageHtml {
    const at = instantOf(gmt)
    if (at === null) return html`–`
    const { dates, days, relative } = formatsOf(this.language, this.#timezone)
    const seconds = Math.round((at.getTime() - now) / 1000)
    const distance = Math.max(Math.abs(seconds), 60)
    const [unit, length] = UNITS.find(([, size]) => distance >= size)!
    const count = Math.floor(distance / length)
    const text = distance > MAX_RELATIVE_SECONDS ? days.format(at) : relative.format(seconds > 0 ? count : -count, unit)
    return html`<time datetime="${at.toISOString()}" title="${dates.format(at)}">${text}</time>`
  }

  #translated(text: string): string {
    const found = this.#own(text)
    return typeof found === 'string' ? found : withoutContext(text)
  }

  #own(text: string): Catalog[string] | undefined {
    return Object.hasOwn(this.#catalog, text) ? this.#catalog[text] : undefined
  }
}

/** Parses a date of the REST API; null if it is missing or invalid. */
function instantOf(gmt: string | null): Date | null {
  if (gmt === null) return null
  const at = new Date(/(?:Z|[+-]\d\d:?\d\d)$/.test(gmt) ? gmt : `${gmt.replace(' ', 'T')}Z`)
  return Number.isNaN(at.getTime()) ? null : at
}

const CONTEXT = /^[a-z]+(?: [a-z]+)*\|(?=\S|$)/

/** Returns the English text of a key: `Pending` for `comment status|Pending`. */
export function withoutContext(text: string): string {
  return text.replace(CONTEXT, '')
}

function filled(text: string, values: TextValues): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  )
}
