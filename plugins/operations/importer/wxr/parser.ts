import { SaxesParser } from 'saxes'
import { cleanText } from '../../../../kernel/index.ts'
import { errors } from '../errors.ts'
import { looksSerialised } from '../php-values.ts'
import { PLAIN_FEED, type Element } from './element.ts'
import { RECORDS } from './records.ts'
import type { WxrLimits, WxrRecord, WxrSite } from './types.ts'

/** Maximum number of unknown element names to count. */
const MAX_UNKNOWN_NAMES = 50
// Some exports contain control characters, which no XML parser accepts.
// oxlint-disable-next-line no-control-regex
const DISALLOWED = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g

/** Converts the text of a WXR file to records, piece by piece. */
export class WxrParser {
  readonly #sax = new SaxesParser()
  readonly #stack: Element[] = []
  readonly #unknown = new Map<string, number>()
  readonly #site: WxrSite = { kind: 'site', title: '', description: '', language: '', version: '', home: '' }
  readonly #depthLimit: number
  readonly #recordLimit: number
  #records: WxrRecord[] = []
  #siteYielded = false
  #ending = false
  /** Characters since the end of the last record. */
  #pending = 0
  #dropped = 0

  constructor(limits: WxrLimits) {
    this.#depthLimit = limits.depth ?? 32
    this.#recordLimit = limits.record ?? 64 * 1024 * 1024
    this.#sax.on('error', (error) => {
      throw this.#malformed(error.message)
    })
    this.#sax.on('doctype', () => {
      throw errors.IMPORT_DOCTYPE(this.#sax.line)
    })
    this.#sax.on('opentag', (tag) => this.#open(tag.name, tag.attributes))
    this.#sax.on('closetag', () => this.#close())
    this.#sax.on('text', (text) => {
      // Whitespace between elements is layout; significant whitespace is in CDATA sections.
      if (/\S/.test(text)) this.#append(text)
    })
    this.#sax.on('cdata', (text) => this.#append(text))
  }

  /** Parses the next piece of the file. */
  write(text: string): void {
    const clean = text.replace(DISALLOWED, '')
    this.#dropped += text.length - clean.length
    this.#pending += clean.length
    this.#sax.write(clean)
    if (this.#pending > this.#recordLimit) throw errors.IMPORT_RECORD_TOO_LARGE(this.#sax.line, this.#recordLimit)
  }

  /** Ends the file. */
  end(): void {
    this.#ending = true
    this.#sax.close()
    if (this.#site.version === '' && this.#site.home === '')
      throw errors.IMPORT_NOT_AN_EXPORT('its channel does not describe a site')
    this.#yieldSite()
    for (const [name, count] of this.#unknown) this.#records.push({ kind: 'unknown', name, count })
    if (this.#dropped > 0) this.#records.push({ kind: 'dropped', count: this.#dropped })
  }

  /** Returns the completed records, each once. */
  takeRecords(): WxrRecord[] {
    const records = this.#records
    this.#records = []
    return records
  }

  #malformed(message: string): Error {
    const { line, column } = this.#sax
    const reason = message.replace(/^\d+:\d+: /, '')
    if (line === 1 && column === 0) return errors.IMPORT_NOT_AN_EXPORT('the file is empty')
    if (this.#ending) return errors.IMPORT_TRUNCATED(line, column)
    return errors.IMPORT_MALFORMED(line, column, reason)
  }

  #open(name: string, attributes: Record<string, string>): void {
    if (this.#stack.length === 0 && name !== 'rss') {
      throw errors.IMPORT_NOT_AN_EXPORT(`its root element is <${name.slice(0, 80)}>, not <rss>`)
    }
    if (this.#stack.length >= this.#depthLimit) throw errors.IMPORT_TOO_DEEP(this.#sax.line, this.#depthLimit)
    for (const [key, value] of Object.entries(attributes)) attributes[key] = cleanText(value)
    this.#stack.push({ name, text: '', attributes, children: [] })
  }

  #append(text: string): void {
    const element = this.#stack.at(-1)
    if (element !== undefined) element.text += text
  }

  #close(): void {
    const element = this.#stack.pop()
    if (element === undefined || this.#stack.length < 2) return
    this.#clean(element)
    if (this.#stack.length > 2) return void this.#stack.at(-1)?.children.push(element)
    this.#pending = 0
    if (this.#stack[1]?.name !== 'channel') return
    const read = RECORDS[element.name]
    if (read === undefined) return this.#describeSite(element)
    this.#yieldSite()
    this.#records.push(read(element, (name) => this.#count(name)))
  }

  /**
   * Removes characters that are valid in XML but not in texts. Serialized values contain the lengths of their texts and
   * are cleaned after they are read.
   */
  #clean(element: Element): void {
    if (element.name === 'wp:meta_value' && looksSerialised(element.text)) return
    const clean = cleanText(element.text)
    this.#dropped += element.text.length - clean.length
    element.text = clean
  }

  #describeSite({ name, text }: Element): void {
    const site = this.#site
    if (name === 'title') site.title = text
    else if (name === 'description') site.description = text
    else if (name === 'language') site.language = text.trim()
    else if (name === 'wp:wxr_version') site.version = text.trim()
    else if (name === 'wp:base_blog_url') site.home = text.trim()
    else if (name === 'link') site.home ||= text.trim()
    else if (!PLAIN_FEED.has(name)) this.#count(name)
  }

  #yieldSite(): void {
    if (!this.#siteYielded) this.#records.push({ ...this.#site })
    this.#siteYielded = true
  }

  #count(name: string): void {
    const count = this.#unknown.get(name)
    if (count !== undefined || this.#unknown.size < MAX_UNKNOWN_NAMES) this.#unknown.set(name, (count ?? 0) + 1)
  }
}
