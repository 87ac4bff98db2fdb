import { LRUCache } from 'lru-cache'
import type { OwnedList } from '../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../library/markup/index.ts'

/** Translations by the English texts: one text, or, for texts about numbers, one for each plural form of the language. */
export type Catalogue = Readonly<Record<string, string | Readonly<Record<string, string>>>>

/** The catalogues of plugins, by language. */
export type WordLists = OwnedList<{ readonly language: string; readonly catalogue: Catalogue }>

/** How dates and numbers are written in a language and a time zone. */
interface Formats {
  readonly plurals: Intl.PluralRules
  readonly numbers: Intl.NumberFormat
  readonly dates: Intl.DateTimeFormat
}

/** Those used last, by language and zone: making them anew takes longer than many a page. */
const FORMATS = new LRUCache<string, Formats>({ max: 20 })

function formatsOf(language: string, timezone: string): Formats {
  const key = `${language} ${timezone}`
  const kept = FORMATS.get(key)
  if (kept !== undefined) return kept
  const formats = {
    plurals: new Intl.PluralRules(language),
    numbers: new Intl.NumberFormat(language),
    dates: new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: timezone }),
  }
  FORMATS.set(key, formats)
  return formats
}

/** Writes the texts of the admin in one language. English is what pages are written in. */
export class Words {
  /** BCP 47: `de`, `pt-BR`. */
  readonly language: string
  readonly #catalogue: Catalogue
  readonly #formats: Formats

  /** @param timezone IANA name, or an offset such as `+02:00` */
  constructor(language: string, catalogue: Catalogue, timezone: string) {
    this.language = language
    this.#catalogue = catalogue
    this.#formats = formatsOf(language, timezone)
  }

  /**
   * Translates a text and fills in values: `t('Save {name}', { name })`. A text that would have several translations starts
   * with its context and a bar, which are not shown: `t('comment status|Pending')`.
   */
  t(text: string, values: Readonly<Record<string, string | number>> = {}): string {
    const found = this.#own(text)
    return filled(typeof found === 'string' ? found : withoutContext(text), values)
  }

  /** A text about a number of things: `count(n, 'One post', '{count} posts')`. The catalogue knows it by that of many. */
  count(number: number, one: string, others: string): string {
    const found = this.#own(others)
    const form = this.#formats.plurals.select(number)
    const english = withoutContext(number === 1 ? one : others)
    const text = typeof found === 'object' ? (found[form] ?? found['other'] ?? english) : (found ?? english)
    return filled(text, { count: this.#formats.numbers.format(number) })
  }

  /** A date and time. @param gmt `2026-01-31T10:00:00`, in UTC; null where there is none */
  date(gmt: string | null): PageHtml {
    if (gmt === null) return html`–`
    const at = new Date(/(?:Z|[+-]\d\d:?\d\d)$/.test(gmt) ? gmt : `${gmt.replace(' ', 'T')}Z`)
    if (Number.isNaN(at.getTime())) return html`–`
    return html`<time datetime="${at.toISOString()}">${this.#formats.dates.format(at)}</time>`
  }

  #own(text: string): Catalogue[string] | undefined {
    return Object.hasOwn(this.#catalogue, text) ? this.#catalogue[text] : undefined
  }
}

const CONTEXT = /^[a-z]+(?: [a-z]+)*\|(?=\S)/

/** The English text of a key of the catalogue: `Pending` of `comment status|Pending`. */
export function withoutContext(text: string): string {
  return text.replace(CONTEXT, '')
}

function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  )
}
