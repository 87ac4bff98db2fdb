import { readTags } from '../../rendering/html/index.ts'

/** Details from the head of a page. */
export interface UrlDetails {
  title: string
  /** URL of the icon or of the image; '' if the page has none. */
  icon: string
  description: string
  image: string
}

/** Characters of the title and of the description. */
const MAX_TEXT_LENGTH = 1000
/** Bytes of a page to search for its character encoding. */
const HEAD_BYTES = 1024

/** Decodes a page with the encoding from its Content-Type header or its meta element; the default is UTF-8. */
export function decodePage(body: Buffer, contentType: string | null): string {
  const inHeader = /charset=["']?([\w:.-]{1,40})/i.exec(contentType ?? '')?.[1]
  const inPage = /<meta[^>]{0,200}charset=["']?([\w:.-]{1,40})/i.exec(body.toString('latin1', 0, HEAD_BYTES))?.[1]
  for (const label of [inHeader, inPage, 'utf-8']) {
    try {
      if (label !== undefined) return new TextDecoder(label).decode(body)
    } catch {
      // The encoding is unknown: try the next one.
    }
  }
  return ''
}

/** Parses the details from the head of a page. @param url URL of the page, to resolve relative URLs */
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

/** Whether a link relation names an icon. */
function isIcon(rel: string): boolean {
  return rel
    .toLowerCase()
    .split(/\s+/)
    .some((word) => word === 'icon' || word === 'apple-touch-icon')
}

function oneLine(text: string): string {
  return text.toWellFormed().replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT_LENGTH)
}

/** Resolves a URL in a page; '' if it is not an HTTP URL. */
function webUrl(text: string, base: string): string {
  const url = text === '' || text.length > 2000 ? null : URL.parse(text, base)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : ''
}
