import type { WxrMeta } from './types.ts'

/** An XML element while it is read, and later as a child of its parent. */
export interface Element {
  name: string
  text: string
  attributes: Record<string, string>
  children: Element[]
}

/** Counts an element that the reader does not know. */
export type CountUnknown = (name: string) => void

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
  Record<string, ((record: T, child: Element, count: CountUnknown) => unknown) | undefined>
>

/** Copies the children of an element into a record. @param ignored names that are not counted */
export function readFields<T>(
  record: T,
  element: Element,
  fields: Fields<T>,
  count: CountUnknown,
  ignored?: ReadonlySet<string>,
): T {
  for (const child of element.children) {
    const read = fields[child.name]
    if (read !== undefined) read(record, child, count)
    else if (ignored?.has(child.name) !== true) count(`${element.name}/${child.name}`)
  }
  return record
}

/** Reads a meta value from `wp:postmeta`, `wp:commentmeta` or `wp:termmeta`. */
export function readMeta(element: Element, count: CountUnknown): WxrMeta {
  return readFields({ key: '', value: '' }, element, META_FIELDS, count)
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

/** Parses a date; `''` for zeros and invalid dates. */
export function date(text: string): string {
  const value = text.trim()
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value) && !value.startsWith('0000') ? value : ''
}
