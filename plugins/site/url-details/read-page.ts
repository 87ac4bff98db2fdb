import { readTags } from '../../rendering/html/index.ts'

/** What a page says of itself. */
export interface UrlDetails {
  title: string
  /** URL of its icon, of its image; '' where it names none. */
  icon: string
  description: string
  image: string
}

/** Characters of what is told of a page. */
const MAX_TEXT_LENGTH = 1000
/** Bytes in which a page says how it is encoded. */
const HEAD_BYTES = 1024

/** The text of a page, by the encoding that its header or the page itself names. */
export function decodePage(body: Buffer, contentType: string | null): string {
  const inHeader = /charset=["']?([\w:.-]{1,40})/i.exec(contentType ?? '')?.[1]
  const inPage = /<meta[^>]{0,200}charset=["']?([\w:.-]{1,40})/i.exec(body.toString('latin1', 0, HEAD_BYTES))?.[1]
  for (const label of [inHeader, inPage, 'utf-8']) {
    try {
      if (label !== undefined) return new TextDecoder(label).decode(body)
    } catch {
      // No encoding that anybody knows: the next one.
    }
  }
  return ''
}

/** What the head of a page says of it. @param url of the page, for the URLs in it */
export function readPage(html: string, url: string): UrlDetails {
  const details: UrlDetails = { title: '', icon: '', description: '', image: '' }
  const meta = new Map<string, string>()
  let inTitle = false
  let isOver = false
  readTags(html, () => isOver, {
    open(name, attributes) {
      if (name === 'body') isOver = true
      const text = (key: string) => attributes.get(key) ?? ''
      if (name === 'title' && details.title === '') inTitle = true
      if (name === 'link' && details.icon === '' && isIcon(text('rel'))) details.icon = webUrl(text('href'), url)
      const key = (text('name') || text('property')).toLowerCase()
      if (name === 'meta' && key !== '' && !meta.has(key)) meta.set(key, text('content'))
    },
    text(text) {
      if (inTitle && details.title.length < MAX_TEXT_LENGTH) details.title += text
    },
    close(name) {
      if (name === 'title') inTitle = false
      if (name === 'head') isOver = true
    },
  })
  details.title = oneLine(details.title)
  details.description = oneLine(meta.get('description') ?? meta.get('og:description') ?? '')
  details.image = webUrl(meta.get('og:image') ?? meta.get('og:image:url') ?? meta.get('og:image:secure_url') ?? '', url)
  return details
}

/** Whether the relation of a link is that of an icon. */
function isIcon(rel: string): boolean {
  return rel
    .toLowerCase()
    .split(/\s+/)
    .some((word) => word === 'icon' || word === 'apple-touch-icon')
}

function oneLine(text: string): string {
  return text.toWellFormed().replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT_LENGTH)
}

/** A URL that a page names, whole; '' for what is none of the web. */
function webUrl(text: string, base: string): string {
  const url = text === '' || text.length > 2000 ? null : URL.parse(text, base)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : ''
}
