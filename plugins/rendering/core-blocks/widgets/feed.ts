import { plainText } from '../../html/index.ts'

/** An entry of a feed, as plain text. */
export interface FeedEntry {
  readonly title: string
  readonly url: string
  readonly author: string
  /** As the feed has it. */
  readonly date: string
  readonly text: string
}

/** The most characters of one field that are looked at. */
const MOST_CHARACTERS = 20_000

/** The entries of an RSS or Atom feed, in linear time whatever it holds; none of what is no feed. */
export function feedEntries(xml: string, most: number): FeedEntry[] {
  const entries: FeedEntry[] = []
  const isAtom = !/<item[\s>]/i.test(xml) && /<entry[\s>]/i.test(xml)
  for (const entry of elements(xml, isAtom ? 'entry' : 'item')) {
    const field = (...names: string[]) => names.map((name) => content(entry, name)).find((text) => text !== '') ?? ''
    entries.push({
      title: field('title'),
      url: isAtom ? atomLink(entry) : field('link') || field('guid'),
      author: isAtom ? plain(content(entry, 'name')) : field('dc:creator', 'author'),
      date: isoDate(field('pubDate', 'dc:date', 'published', 'updated')),
      text: field('description', 'summary', 'content', 'content:encoded'),
    })
    if (entries.length >= most) break
  }
  return entries
}

/** What elements of a name hold, in turn. */
function* elements(xml: string, name: string): Generator<string> {
  const close = `</${name}>`
  for (let at = openingOf(xml, name, 0); at >= 0;) {
    const end = xml.indexOf(close, at)
    if (end < 0) return
    yield xml.slice(at, end)
    at = openingOf(xml, name, end + close.length)
  }
}

/** Where the next element of a name begins; -1 for none. */
function openingOf(xml: string, name: string, from: number): number {
  for (let at = xml.indexOf(`<${name}`, from); at >= 0; at = xml.indexOf(`<${name}`, at + 1)) {
    if (/[\s>/]/.test(xml[at + name.length + 1] ?? '')) return at
  }
  return -1
}

/** The text of the first element of a name; `''` without one. */
function content(xml: string, name: string): string {
  const at = openingOf(xml, name, 0)
  const begin = at < 0 ? -1 : xml.indexOf('>', at) + 1
  const end = begin <= 0 ? -1 : xml.indexOf(`</${name}>`, begin)
  return end < 0 ? '' : plain(xml.slice(begin, Math.min(end, begin + MOST_CHARACTERS)))
}

/** The link of an entry that leads to it, not to what belongs to it. */
function atomLink(entry: string): string {
  for (let at = openingOf(entry, 'link', 0); at >= 0; at = openingOf(entry, 'link', at + 1)) {
    const tag = entry.slice(at, entry.indexOf('>', at) + 1)
    const rel = /\srel=["']([^"']*)["']/.exec(tag)?.[1] ?? 'alternate'
    if (rel === 'alternate') return plain(/\shref=["']([^"']*)["']/.exec(tag)?.[1] ?? '')
  }
  return ''
}

function plain(xml: string): string {
  const raw = xml.replaceAll('<![CDATA[', '').replaceAll(']]>', '')
  // What is HTML within XML is escaped twice.
  return plainText(plainText(raw)).replace(/\s+/g, ' ')
}

/** A date as it is written elsewhere in UTC; `''` for what is none. */
function isoDate(text: string): string {
  const time = Date.parse(text)
  return Number.isNaN(time) ? '' : new Date(time).toISOString()
}
