import { isIP } from 'node:net'
import { ITEM_POST_TYPE, MENU_ITEM_KEYS } from '../../content/menu-items.ts'
import { commentDefaults } from '../../content/posts/index.ts'
import { toLoginName } from '../../people/users/index.ts'
import { cutSlug, normalizeSlug, slugify } from '../../resources/index.ts'
import type { Services } from '../../../kernel/index.ts'
import { MAX_EMAIL_LENGTH, MAX_KIND_LENGTH, MAX_META_KEY_LENGTH, MAX_TERM_NAME_LENGTH } from './column-limits.ts'
import { looksSerialised, readValue } from './php-values.ts'
import { labelOf } from './record-label.ts'
import type { Counters } from './report.ts'
import type { RepairCode } from './repairs.ts'
import { MAX_TAXONOMY_NAME_LENGTH, MAX_TYPE_NAME_LENGTH, registrableName } from './type-names.ts'
import type { WxrAuthor, WxrComment, WxrItem, WxrItemTerm, WxrMeta, WxrRecord, WxrSite, WxrTerm } from './wxr/types.ts'

/** The rules of a site for values of posts. */
export interface ValueRules {
  isStatus(name: string): boolean
  /** Whether posts of a status have no slug yet. */
  isUnnamed(status: string): boolean
  /** Whether the site serves a type. */
  isType(name: string): boolean
  /** Returns the comment and ping status of new posts, by type. */
  discussion: () => ReturnType<typeof commentDefaults>
}

export function valueRules(services: Pick<Services, 'contentTypes' | 'options' | 'statuses'>): ValueRules {
  const { contentTypes, statuses } = services
  return {
    isStatus: (name) => statuses.get(name) !== undefined,
    isUnnamed: (status) => statuses.get(status)?.date_floating === true,
    isType: (name) => contentTypes.get(name) !== undefined,
    discussion: () => commentDefaults(services),
  }
}

/** Statuses of comments by their names in files. */
const APPROVALS: ReadonlyMap<string, string> = new Map([
  ['1', '1'],
  ['approve', '1'],
  ['approved', '1'],
  ['0', '0'],
  ['hold', '0'],
  ['spam', 'spam'],
  ['trash', 'trash'],
  ['post-trashed', 'post-trashed'],
])
/** Statuses that attachments can have; other posts cannot inherit the status of their parent. */
const ATTACHMENT_STATUSES: ReadonlySet<string> = new Set(['inherit', 'private', 'trash', 'auto-draft'])
const INHERITING_TYPES: ReadonlySet<string> = new Set(['attachment', 'revision'])
const EMAIL = /^[^\s@<>"]+@[^\s@<>"]+$/

/**
 * Brings the values of records into the form in which the REST API stores them: absent values get safe defaults, values
 * that are not valid are replaced, and names that are longer than their indexed columns are truncated, never texts. The
 * report names each changed value.
 */
export class RecordValues {
  readonly #counters: Counters
  readonly #rules: ValueRules
  readonly #discussion: Awaited<ReturnType<ValueRules['discussion']>>
  readonly #typeName: (name: string) => string
  /** IDs of authors and terms of the file, with the login or the slug. */
  readonly #ids = new Map<string, string>()
  /** Names of the file by the login that they became, in lower case. */
  readonly #logins = new Map<string, string>()
  #record: WxrRecord = { kind: 'unknown', name: '', count: 0 }

  private constructor(
    counters: Counters,
    rules: ValueRules,
    discussion: Awaited<ReturnType<ValueRules['discussion']>>,
    typeName: (name: string) => string,
  ) {
    this.#counters = counters
    this.#rules = rules
    this.#discussion = discussion
    this.#typeName = typeName
  }

  /** @param typeName converts the name of a type in the file to its name on this site */
  static async open(counters: Counters, rules: ValueRules, typeName: (name: string) => string): Promise<RecordValues> {
    return new RecordValues(counters, rules, await rules.discussion(), typeName)
  }

  /** Changes the values of a record. Returns false if the record cannot be imported; it is counted then. */
  apply(record: WxrRecord): boolean {
    this.#record = record
    if (record.kind === 'site') this.#site(record)
    else if (record.kind === 'author') return this.#author(record)
    else if (record.kind === 'term') return this.#term(record)
    else if (record.kind === 'item') return this.#item(record)
    return true
  }

  #site({ home }: WxrSite): void {
    if (home !== '' && !/^https?:$/.test(URL.parse(home)?.protocol ?? '')) this.#repaired('invalid-site-url', home)
  }

  #author(author: WxrAuthor): boolean {
    if (author.login === '') {
      this.#repaired('missing-login', author.name || author.email)
      this.#counters.skipped('users', 'authors without a login')
      return false
    }
    author.login = this.#login(author.login)
    author.email = this.#email(author.email)
    author.id = this.#ownId('author', author.id, author.login)
    return true
  }

  #term(term: WxrTerm): boolean {
    this.#termNames(term)
    term.parent = this.#slug(term.parent)
    term.id = this.#ownId(term.taxonomy, term.id, term.slug)
    this.#meta(term.meta)
    if (term.taxonomy !== '' && term.slug !== '') return true
    this.#counters.skipped(`${this.#typeName(term.taxonomy)} terms`, 'no taxonomy or slug')
    return false
  }

  #item(item: WxrItem): boolean {
    item.type = this.#name(item.type, MAX_TYPE_NAME_LENGTH)
    if (item.type === '') {
      this.#repaired('missing-type')
      this.#skipItem(item)
      return false
    }
    item.status = this.#status(item)
    item.slug = this.#slug(item.slug)
    this.#nameItem(item)
    item.creator = item.creator === '' ? '' : this.#login(item.creator)
    const defaults = this.#discussion(this.#typeName(item.type))
    item.commentStatus = this.#openOrClosed(item.commentStatus, defaults.comment_status)
    item.pingStatus = this.#openOrClosed(item.pingStatus, defaults.ping_status)
    if (item.type === ITEM_POST_TYPE) this.#menuTarget(item.meta)
    this.#meta(item.meta)
    for (const term of item.terms) this.#termNames(term)
    const withoutSlug = item.terms.filter(({ slug }) => slug === '').length
    if (withoutSlug > 0) this.#counters.skipped('terms', 'no taxonomy or slug', withoutSlug)
    item.terms = item.terms.filter(({ slug }) => slug !== '')
    const ids = new Set<number>()
    for (const comment of item.comments) this.#comment(comment, ids)
    return true
  }

  /** Counts an item that is not imported, with its parts. */
  #skipItem({ comments, meta }: WxrItem): void {
    const reason = 'their item has no type'
    this.#counters.skipped('items', 'no type')
    if (comments.length > 0) this.#counters.skipped('comments', reason, comments.length)
    if (meta.length > 0) this.#counters.skipped('meta', reason, meta.length)
  }

  #status({ type: fileType, status: fileStatus }: WxrItem): string {
    const type = this.#typeName(fileType)
    const status = this.#kind(fileStatus)
    if (status === '') {
      this.#repaired('missing-status')
      return type === 'attachment' ? 'private' : 'draft'
    }
    if (type === 'attachment') {
      if (ATTACHMENT_STATUSES.has(status)) return status
      this.#repaired('attachment-status', status)
      return status === 'publish' ? 'inherit' : 'private'
    }
    const isKnown = this.#rules.isStatus(status) && (status !== 'inherit' || INHERITING_TYPES.has(type))
    // The plugin that registers a type can also register statuses.
    if (isKnown || !this.#rules.isType(type)) return status
    this.#repaired('unknown-status', status)
    return 'draft'
  }

  /** Derives the slug of a post that needs one from its title or its ID. */
  #nameItem(item: WxrItem): void {
    if (item.slug !== '' || item.type === 'revision' || this.#rules.isUnnamed(item.status)) return
    item.slug = slugify(item.title) || (item.id === 0 ? '' : String(item.id))
    if (item.slug !== '' && item.status !== 'trash') this.#repaired('missing-slug', item.slug)
  }

  #openOrClosed(status: string, preset: string): string {
    if (status === '') return preset
    if (status === 'open' || status === 'closed') return status
    this.#repaired('invalid-discussion', status)
    return 'closed'
  }

  #comment(comment: WxrComment, ids: Set<number>): void {
    comment.type = this.#kind(comment.type)
    comment.approved = this.#approval(comment.approved)
    comment.email = this.#email(comment.email)
    if (comment.ip !== '' && isIP(comment.ip) === 0) {
      this.#repaired('invalid-ip', comment.ip)
      comment.ip = ''
    }
    if (ids.has(comment.id)) {
      this.#repaired('duplicate-id', `${comment.id}`)
      comment.id = 0
    } else if (comment.id !== 0) ids.add(comment.id)
    this.#meta(comment.meta)
  }

  #approval(text: string): string {
    const approval = APPROVALS.get(text)
    if (approval === undefined) this.#repaired(text === '' ? 'missing-approval' : 'unknown-approval', text)
    return approval ?? '0'
  }

  #termNames(term: WxrItemTerm): void {
    term.taxonomy = this.#name(term.taxonomy, MAX_TAXONOMY_NAME_LENGTH)
    const slug = term.slug === '' ? slugify(term.name) : this.#slug(term.slug)
    if (term.slug === '' && slug !== '') this.#repaired('missing-term-slug', term.name)
    term.slug = slug
    term.name = this.#fit(term.name, MAX_TERM_NAME_LENGTH)
    if (term.name.trim() === '' && slug !== '') {
      this.#repaired('missing-term-name', slug)
      term.name = slug
    }
  }

  /** Truncates the keys of meta, and reports serialized values that need repair. They are read again when they are stored. */
  #meta(values: WxrMeta[]): void {
    for (const meta of values) {
      meta.key = this.#fit(meta.key, MAX_META_KEY_LENGTH)
      const { key, value } = meta
      if (looksSerialised(value)) readValue(value, (code, found) => this.#repaired(code, `${key}: ${found}`))
    }
  }

  /** The ID of a record; 0 if another record has it. */
  #ownId(space: string, id: number, name: string): number {
    if (id === 0) return 0
    const key = `${space}\n${id}`
    const owner = this.#ids.get(key) ?? name
    this.#ids.set(key, owner)
    if (owner === name) return id
    this.#repaired('duplicate-id', `${id}`)
    return 0
  }

  #login(name: string): string {
    let login = toLoginName(name)
    // Two names that became the same login would merge two authors.
    for (let number = 2; this.#isOther(login, name); number += 1) login = `${toLoginName(name).slice(0, 50)}-${number}`
    if (login !== name && !this.#logins.has(login.toLowerCase())) this.#repaired('invalid-login', name)
    this.#logins.set(login.toLowerCase(), name)
    return login
  }

  #isOther(login: string, name: string): boolean {
    const owner = this.#logins.get(login.toLowerCase())
    return owner !== undefined && owner !== name && owner.toLowerCase() !== name.toLowerCase()
  }

  /** The type or taxonomy to which a menu item links. */
  #menuTarget(values: WxrMeta[]): void {
    const isTaxonomy = values.some(({ key, value }) => key === MENU_ITEM_KEYS.type && value === 'taxonomy')
    for (const meta of values) {
      if (meta.key !== MENU_ITEM_KEYS.object) continue
      meta.value = this.#name(meta.value, isTaxonomy ? MAX_TAXONOMY_NAME_LENGTH : MAX_TYPE_NAME_LENGTH)
    }
  }

  /** The name of a type or taxonomy, in the characters with which it can be registered. */
  #name(text: string, maxLength: number): string {
    const short = this.#kind(text)
    const name = registrableName(short)
    if (name !== short) this.#repaired('invalid-name', text)
    if (short === text && name.length > maxLength) this.#repaired('long-name', text)
    return name
  }

  #kind(text: string): string {
    return this.#fit(text, MAX_KIND_LENGTH)
  }

  #slug(text: string): string {
    const short = cutSlug(text)
    if (short !== text) this.#repaired('too-long', text)
    const slug = normalizeSlug(short)
    if (slug !== short) this.#repaired('invalid-slug', text)
    return slug
  }

  /** A truncated email address would be invalid. */
  #email(text: string): string {
    if (text === '' || (text.length <= MAX_EMAIL_LENGTH && EMAIL.test(text))) return text
    this.#repaired('invalid-email', text)
    return ''
  }

  #fit(text: string, maxLength: number): string {
    if (text.length <= maxLength) return text
    this.#repaired('too-long', text)
    return text.slice(0, maxLength).toWellFormed()
  }

  #repaired(code: RepairCode, value = ''): void {
    const record = this.#record
    const { line, file } = 'line' in record ? record : {}
    this.#counters.repaired(code, { file, line, item: labelOf(record), value })
  }
}
