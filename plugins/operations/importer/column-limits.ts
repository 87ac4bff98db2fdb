import { cutSlug, normalizeSlug } from '../../resources/index.ts'
import type { Counters } from './report.ts'
import type { WxrComment, WxrItem, WxrItemTerm, WxrMeta, WxrRecord, WxrTerm } from './wxr/types.ts'

// Limits in characters.
export const MAX_EMAIL_LENGTH = 254
export const MAX_LOGIN_LENGTH = 60
/** Meta keys. */
export const MAX_META_KEY_LENGTH = 255
/** Names of types, taxonomies and statuses. */
const MAX_KIND_LENGTH = 200
const MAX_TERM_NAME_LENGTH = 400

/**
 * Truncates names that are longer than their indexed columns allow, never texts, and brings slugs into the form in which
 * the REST API stores them. Sites of this family do not export other names.
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
    term.name = this.#fit(term.name, MAX_TERM_NAME_LENGTH, 'name of a term')
  }

  #keys(values: WxrMeta[]): void {
    for (const meta of values) meta.key = this.#fit(meta.key, MAX_META_KEY_LENGTH, 'meta key')
  }

  #login(text: string): string {
    return this.#fit(text, MAX_LOGIN_LENGTH, 'login')
  }

  #kind(text: string): string {
    return this.#fit(text, MAX_KIND_LENGTH, 'type, taxonomy or status')
  }

  #slug(text: string): string {
    const short = cutSlug(text)
    if (short !== text) this.#counters.note('slug longer than 200 characters; truncated', text)
    const slug = normalizeSlug(short)
    if (slug !== short) this.#counters.note('slug that is not in the form of slugs; normalized', text)
    return slug
  }

  /** A truncated email address would be invalid. */
  #email(text: string): string {
    if (text.length <= MAX_EMAIL_LENGTH) return text
    this.#counters.note('email address longer than {limit} characters; removed', text, 1, {
      limit: String(MAX_EMAIL_LENGTH),
    })
    return ''
  }

  #fit(text: string, maxLength: number, label: string): string {
    if (text.length <= maxLength) return text
    this.#counters.note('{field} longer than {limit} characters; truncated', text, 1, {
      field: label,
      limit: String(maxLength),
    })
    return text.slice(0, maxLength).toWellFormed()
  }
}
