import { cutSlug } from '../../resources/index.ts'
import type { Counters } from './report.ts'
import type { WxrComment, WxrItem, WxrItemTerm, WxrMeta, WxrRecord, WxrTerm } from './wxr/types.ts'

// Limits in characters.
export const LONGEST_EMAIL = 254
export const LONGEST_LOGIN = 60
/** Meta keys. */
export const LONGEST_KEY = 255
/** Names of types, taxonomies and statuses. */
const LONGEST_KIND = 200
const LONGEST_TERM = 400

/**
 * Truncates names that are longer than their indexed columns allow, never texts. Sites of this family do not export
 * such names.
 */
export class ColumnLimits {
  readonly #counters: Counters

  constructor(counters: Counters) {
    this.#counters = counters
  }

  /** Truncates the names of a record. */
  apply(record: WxrRecord): void {
    if (record.kind === 'author') {
      record.login = this.#login(record.login)
      record.email = this.#email(record.email)
    } else if (record.kind === 'term') this.#term(record)
    else if (record.kind === 'item') this.#item(record)
  }

  #term(term: WxrTerm): void {
    this.#termNames(term)
    term.parent = this.#slug(term.parent)
    this.#keys(term.meta)
  }

  #item(item: WxrItem): void {
    item.type = this.#kind(item.type)
    item.status = this.#kind(item.status)
    item.slug = this.#slug(item.slug)
    item.creator = this.#login(item.creator)
    this.#keys(item.meta)
    for (const term of item.terms) this.#termNames(term)
    for (const comment of item.comments) this.#comment(comment)
  }

  #comment(comment: WxrComment): void {
    comment.type = this.#kind(comment.type)
    comment.approved = this.#kind(comment.approved)
    comment.email = this.#email(comment.email)
    this.#keys(comment.meta)
  }

  #termNames(term: WxrItemTerm): void {
    term.taxonomy = this.#kind(term.taxonomy)
    term.slug = this.#slug(term.slug)
    term.name = this.#fit(term.name, LONGEST_TERM, 'name of a term')
  }

  #keys(values: WxrMeta[]): void {
    for (const meta of values) meta.key = this.#fit(meta.key, LONGEST_KEY, 'meta key')
  }

  #login(text: string): string {
    return this.#fit(text, LONGEST_LOGIN, 'login')
  }

  #kind(text: string): string {
    return this.#fit(text, LONGEST_KIND, 'type, taxonomy or status')
  }

  #slug(text: string): string {
    const short = cutSlug(text)
    if (short !== text) this.#counters.note('slug longer than 200 characters; truncated', text)
    return short
  }

  /** A truncated email address would be invalid. */
  #email(text: string): string {
    if (text.length <= LONGEST_EMAIL) return text
    this.#counters.note(`email address longer than ${LONGEST_EMAIL} characters; removed`, text)
    return ''
  }

  #fit(text: string, longest: number, what: string): string {
    if (text.length <= longest) return text
    this.#counters.note(`${what} longer than ${longest} characters; truncated`, text)
    return text.slice(0, longest).toWellFormed()
  }
}
