import { sanitizeValue } from '../../requests/arguments/index.ts'
import { VISITOR, type Services } from '../../../kernel/index.ts'
import { markLinks } from '../../content/comments/index.ts'
import { cleanAltText } from '../../content/media/index.ts'
import { ALT_KEY, METADATA_KEY } from '../../content/meta-keys.ts'
import { isSafeUrl, PROTOCOLS, type HtmlContext } from '../../rendering/html/index.ts'
import { framesToEmbeds } from './frames.ts'
import { lossesOf } from './html-losses.ts'
import { mapTexts, type Value } from './php-values.ts'
import type { NoteText } from './phrases.ts'
import type { Counters } from './report.ts'
import type { SiteUser } from './site-file.ts'
import type { WxrComment, WxrRecord } from './wxr/types.ts'

/** The rules of a site for texts, as far as an import needs them. */
export interface WritingRules {
  /** Removes disallowed HTML. */
  html(text: string, allowed: HtmlContext): string
  /** Whether users with these roles may write any HTML. */
  mayWriteHtml(roles: readonly string[]): boolean
  /** Sanitizes the text of a setting. */
  setting(name: string, value: string): string
}

export function writingRules(services: Pick<Services, 'html' | 'roles' | 'capabilities' | 'settings'>): WritingRules {
  const { capabilities, html, roles, settings } = services
  return {
    html: (text, allowed) => html.filter(text, allowed),
    mayWriteHtml(names) {
      const user = { ...VISITOR, roles: names, capabilities: roles.capabilitiesOf(names) }
      return capabilities.can(user, 'unfiltered_html')
    },
    setting(name, value) {
      const setting = settings.all().find((one) => one.name === name)
      return (setting?.sanitize_callback?.(value) ?? value) as string
    },
  }
}

/** Filters the texts of an import as the REST API filters user input. The report counts the changed texts. */
export class TextFilter {
  readonly rules: WritingRules
  readonly #counters: Counters
  readonly #home: string
  /** Kinds of HTML in the report. */
  readonly #lostParts = new Set<string>()

  /** @param home URL of this site; links in comments to other sites are marked */
  constructor(rules: WritingRules, counters: Counters, home: string) {
    this.rules = rules
    this.#counters = counters
    this.#home = home
  }

  /** Filters the names, URLs and descriptions of a record, in which no user may write unfiltered HTML. */
  record(record: WxrRecord): void {
    if (record.kind === 'site') {
      record.title = this.#setting('title', record.title)
      record.description = this.#setting('description', record.description)
    } else if (record.kind === 'author') {
      record.name = this.#line(record.name)
      record.firstName = this.#line(record.firstName)
      record.lastName = this.#line(record.lastName)
    } else if (record.kind === 'term') {
      record.name = this.#name(record.name)
      record.description = this.#description(record.description, 'comment')
    } else if (record.kind === 'item') {
      record.guid = this.#guid(record.guid)
      for (const term of record.terms) term.name = this.#name(term.name)
      for (const comment of record.comments) this.#commenter(comment)
    }
  }

  /** Filters a user of a site file like a profile sent to the REST API. */
  user(user: SiteUser): SiteUser {
    const filtered = { ...user }
    for (const name of ['name', 'first_name', 'last_name', 'nickname', 'email'] as const) {
      if (user[name] !== undefined) filtered[name] = this.#line(user[name])
    }
    if (user.url !== undefined) filtered.url = this.#url(user.url)
    if (user.bio !== undefined) filtered.bio = this.#description(user.bio, 'user_description')
    return filtered
  }

  /** Filters the title of an item whose author may not write unfiltered HTML. */
  title(text: string): string {
    return this.#changed(UNTRUSTED, text, (title) => this.rules.html(title.trim(), 'comment').trim())
  }

  /** Filters a text of an item whose author may not write unfiltered HTML. @param title of the item, for the report */
  content(text: string, title: string): string {
    const filtered = this.#changed(UNTRUSTED, text, (html) => this.rules.html(framesToEmbeds(html), 'post'), title)
    if (filtered !== text) this.#noteLosses(text, filtered, title)
    return filtered
  }

  /** @param trusted whether the author may write unfiltered HTML: the comment may then contain the HTML of posts */
  comment(text: string, trusted: boolean): string {
    return this.#changed('comment; HTML filtered, external links marked', text, (html) =>
      markLinks(this.rules.html(html.trim(), trusted ? 'post' : 'comment'), this.#home),
    )
  }

  /** Filters a meta value of an item. @param key on this site */
  meta(key: string, value: Value): Value {
    if (key === ALT_KEY || key === METADATA_KEY) {
      return mapTexts(value, (text) => (text.includes('<') ? this.#changed(NAME, text, cleanAltText) : text))
    }
    return key === MENU_URL_KEY && typeof value === 'string' ? this.#url(value) : value
  }

  /** Reports the elements, attributes and URLs that the filter has removed, by kind. */
  #noteLosses(before: string, after: string, title: string): void {
    for (const [part, count] of lossesOf(before, after)) {
      if (this.#lostParts.size >= MAX_LOST_PARTS && !this.#lostParts.has(part)) continue
      this.#lostParts.add(part)
      this.#counters.note('HTML that the filter removed: {part}', title, count, { part })
    }
  }

  #commenter(comment: WxrComment): void {
    comment.author = this.#name(comment.author)
    comment.email = this.#line(comment.email)
    comment.url = this.#url(comment.url)
    comment.ip = this.#line(comment.ip)
  }

  #setting(name: string, value: string): string {
    return this.#changed('setting with HTML; converted to plain text', value, (text) => this.rules.setting(name, text))
  }

  /** Sanitizes to plain text in one line. */
  #line(text: string): string {
    return this.#changed(NAME, text, lineOf)
  }

  /** Sanitizes a name that pages show as HTML. */
  #name(text: string): string {
    return this.#changed(NAME, text, (name) => this.rules.html(lineOf(name), 'strip'))
  }

  #description(text: string, allowed: HtmlContext): string {
    return this.#changed('description; HTML filtered', text, (html) => this.rules.html(html, allowed))
  }

  #url(text: string): string {
    return this.#changed('unsafe URL; removed or repaired', text, urlOf)
  }

  /** GUIDs may lack a scheme and are compared literally, so only unsafe ones are changed. */
  #guid(text: string): string {
    return isSafeUrl(text, PROTOCOLS) && !/[<>"']/.test(text) ? text : this.#url(text)
  }

  #changed(difference: NoteText, text: string, change: (text: string) => string, example = text): string {
    if (text === '') return text
    const changed = change(text)
    if (changed !== text) this.#counters.note(difference, example)
    return changed
  }
}

/** Maximum kinds of removed HTML in a report. */
const MAX_LOST_PARTS = 50
const UNTRUSTED = 'text whose author may not write unfiltered HTML; HTML filtered'
const NAME = 'name or label; converted to plain text'
/** Meta key of the URL of a menu item. */
const MENU_URL_KEY = '_menu_item_url'

// Compiled once for each object.
const LINE = { type: 'string', format: 'text-field' } as const
const URL_TEXT = { type: 'string', format: 'uri' } as const

function lineOf(text: string): string {
  return sanitizeValue(text, LINE) as string
}

function urlOf(text: string): string {
  return sanitizeValue(text, URL_TEXT) as string
}
