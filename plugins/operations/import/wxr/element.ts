import type { WxrMeta } from './types.ts'

/** An element while it is read, and afterwards as a child of its parent. */
export interface Element {
  name: string
  text: string
  attributes: Record<string, string>
  children: Element[]
}

/** Counts the name of an element that the reader does not know. */
export type CountUnknown = (name: string) => void

/** Elements of a feed that say nothing an import needs. */
// prettier-ignore
export const PLAIN_FEED: ReadonlySet<string> = new Set([
  'pubDate', 'lastBuildDate', 'generator', 'image', 'cloud', 'atom:link', 'description', 'link', 'wp:base_site_url',
  'wfw:commentRss', 'slash:comments', 'comments', 'wp:post_date_utc', 'wp:post_modified_utc', 'copyright', 'ttl', 'docs',
])

/** A meta value from `wp:postmeta`, `wp:commentmeta` or `wp:termmeta`. */
export function readMeta(element: Element, count: CountUnknown): WxrMeta {
  const meta: WxrMeta = { key: '', value: '' }
  for (const { name, text } of element.children) {
    if (name === 'wp:meta_key') meta.key = text
    else if (name === 'wp:meta_value') meta.value = text
    else count(`${element.name}/${name}`)
  }
  return meta
}
