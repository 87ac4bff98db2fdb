import type { RepairCode } from '../repairs.ts'
import { isRepeatable } from './grammar.ts'
import type { WxrMeta } from './types.ts'

/** An XML element while it is read, and later as a child of its parent. */
export interface Element {
  name: string
  text: string
  attributes: Record<string, string>
  children: Element[]
  /** Line of its start tag. */
  line: number
}

/** Collects elements that the reader does not know, and repairs of values. */
export interface Findings {
  unknown(name: string): void
  repaired(code: RepairCode, element: Element, value?: string): void
}

/** Elements of a feed that an import does not need. */
export const PLAIN_FEED: ReadonlySet<string> = new Set([
  'pubDate',
  'lastBuildDate',
  'generator',
  'image',
  'cloud',
  'atom:link',
  'description',
  'link',
  'wp:base_site_url',
  'wfw:commentRss',
  'slash:comments',
  'comments',
  'wp:post_date_utc',
  'wp:post_modified_utc',
  'copyright',
  'ttl',
  'docs',
])

/** Functions that copy child elements into a record, by element name. */
export type Fields<T> = Readonly<
  Record<string, ((record: T, child: Element, findings: Findings) => unknown) | undefined>
>

/** Copies the children of an element into a record. @param ignored names that are not counted */
export function readFields<T>(
  record: T,
  element: Element,
  fields: Fields<T>,
  findings: Findings,
  ignored?: ReadonlySet<string>,
): T {
  /** Texts of the elements that a record contains once. */
  const texts = new Map<string, string>()
  const { children } = element
  const canRepeat = children.length > 2 || children[0]?.name === children[1]?.name
  for (const child of children) {
    const read = fields[child.name]
    if (read === undefined) {
      if (ignored?.has(child.name) !== true) findings.unknown(`${element.name}/${child.name}`)
      continue
    }
    if (canRepeat && !isRepeatable(child.name)) {
      const before = texts.get(child.name) ?? ''
      if (before !== '') {
        if (child.text !== before) findings.repaired('repeated-element', child, `${child.name} ${child.text}`)
        continue
      }
      texts.set(child.name, child.text)
    }
    read(record, child, findings)
  }
  return record
}

/** Reads a meta value from `wp:postmeta`, `wp:commentmeta` or `wp:termmeta`. */
export function readMeta(element: Element, findings: Findings): WxrMeta {
  return readFields({ key: '', value: '' }, element, META_FIELDS, findings)
}

const META_FIELDS: Fields<WxrMeta> = {
  __proto__: null as never,
  'wp:meta_key': (meta, { text }) => (meta.key = text),
  'wp:meta_value': (meta, { text }) => (meta.value = text),
}

/** Parses an integer from 0 to 2^32 - 1; 0 for anything else. */
export function integer(text: string): number {
  const value = signed(text)
  return value >= 0 && value < 2 ** 32 ? value : 0
}

export function signed(text: string): number {
  const value = /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : 0
  return value === 0 ? 0 : value
}

/** Reads an ID; 0 for none. */
export function readId(element: Element, findings: Findings): number {
  const id = integer(element.text)
  if (id === 0 && !isZero(element.text)) findings.repaired('invalid-number', element)
  return id
}

/** Reads a number between -2^31 and 2^31 - 1; 0 for none. */
export function readNumber(element: Element, findings: Findings): number {
  const value = signed(element.text)
  const isValid = Math.abs(value) < 2 ** 31 && (value !== 0 || isZero(element.text))
  if (!isValid) findings.repaired('invalid-number', element)
  return isValid ? value : 0
}

/** Whether a text is a zero or blank. */
function isZero(text: string): boolean {
  return /^\s*-?0*\s*$/.test(text)
}

/** Reads `1` or `0`. */
export function readBoolean(element: Element, findings: Findings): boolean {
  const text = element.text.trim()
  if (!['', '0', '1'].includes(text)) findings.repaired('invalid-boolean', element)
  return text === '1'
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?$/
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const FEED_DATE =
  /^(?:[a-z]{3,9},?\s{1,9})?(\d{1,2})\s{1,9}([a-z]{3})[a-z]{0,6}\s{1,9}(\d{4})\s{1,9}(\d\d):(\d\d)(?::(\d\d))?(?:\s{1,9}(?:([+-]\d\d)(\d\d)|gmt|utc|ut|z))?$/i

/**
 * Parses a date, `YYYY-MM-DD HH:MM:SS`.
 * @returns `''` for zeros and for dates that do not exist
 */
export function date(text: string): string {
  const [, year, month, day, hour = '0', minute = '0', second = '0'] = DATE.exec(text.trim()) ?? []
  return stored([year, month, day, hour, minute, second].map(Number))
}

/** Parses the date of a feed (RFC 822), such as `Mon, 16 Jun 2008 21:47:17 +0000`, as a date in UTC; `''` if invalid. */
export function feedDate(text: string): string {
  const found = FEED_DATE.exec(text.trim())
  if (found === null) return ''
  const [, day, month = '', year, hour, minute, second = '0', zoneHours = '+00', zoneMinutes = '0'] = found
  const local = stored([
    Number(year),
    MONTHS.indexOf(month.toLowerCase()) + 1,
    ...[day, hour, minute, second].map(Number),
  ])
  if (local === '' || Number(zoneMinutes) > 59 || Math.abs(Number(zoneHours)) > 23) return ''
  const sign = zoneHours.startsWith('-') ? -1 : 1
  const offset = Number(zoneHours) * 3_600_000 + sign * Number(zoneMinutes) * 60_000
  const utc = new Date(Date.parse(`${local.replace(' ', 'T')}Z`) - offset)
  return stored([
    utc.getUTCFullYear(),
    utc.getUTCMonth() + 1,
    utc.getUTCDate(),
    utc.getUTCHours(),
    utc.getUTCMinutes(),
    utc.getUTCSeconds(),
  ])
}

/** Formats the parts of a date; `''` if no such date exists between the years 1 and 9999. */
function stored(parts: readonly number[]): string {
  const [year = NaN, month = NaN, day = NaN, hour = NaN, minute = NaN, second = NaN] = parts
  const exists =
    year >= 1 &&
    year <= 9999 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysIn(year, month) &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 59
  if (!exists) return ''
  const [first, ...others] = [month, day, hour, minute, second].map((part) => String(part).padStart(2, '0'))
  return `${String(year).padStart(4, '0')}-${first}-${others[0]} ${others.slice(1).join(':')}`
}

function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Reads a date; `''` for none. */
export function readDate(element: Element, findings: Findings): string {
  const value = date(element.text)
  // Drafts have dates of zeros.
  if (value === '' && !/^\s*(?:0000-00-00.{0,12})?\s*$/.test(element.text)) findings.repaired('invalid-date', element)
  return value
}

/** Reads the date of a feed and returns it as in the file; `''` if it is invalid. */
export function readFeedDate(element: Element, findings: Findings): string {
  const text = element.text.trim()
  if (text === '' || feedDate(text) !== '') return text
  // Old exports write dates of zeros with this year.
  if (!/ -0001 /.test(text)) findings.repaired('invalid-date', element)
  return ''
}
