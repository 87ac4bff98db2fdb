import { parseDocument } from 'htmlparser2'
import { escapeHtml } from '../../../kernel/index.ts'

/** What frames of others may do. */
const SANDBOX =
  'allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-presentation allow-forms'
/** Features of browsers that frames of others may use where they ask for them. */
const FEATURES = new Set([
  'autoplay',
  'encrypted-media',
  'fullscreen',
  'picture-in-picture',
  'web-share',
  'clipboard-write',
])
/** Elements of which HTML may have so many; what has more is no embed. */
const MOST_ELEMENTS = 2000

type Node = ReturnType<typeof parseDocument>['children'][number]

/** The first frame in HTML whose URL `admits` takes, written anew; null where there is none. */
export function frameIn(html: string, admits: (url: URL) => boolean): string | null {
  const left: Node[] = [...parseDocument(html).children]
  for (let seen = 0; left.length > 0 && seen < MOST_ELEMENTS; seen += 1) {
    const node = left.shift()!
    if (!('attribs' in node)) continue
    const url = node.name === 'iframe' ? URL.parse(node.attribs['src'] ?? '') : null
    if (url !== null && admits(url)) return frame(url, node.attribs)
    left.unshift(...node.children)
  }
  return null
}

function frame(url: URL, given: Readonly<Record<string, string>>): string {
  const allow = (given['allow'] ?? '').split(';').map((one) => one.trim().split(/\s/, 1)[0]!.toLowerCase())
  const features = [...new Set(allow.filter((name) => FEATURES.has(name)))].join('; ')
  const side = (name: string) => (/^\d{1,5}%?$/.test(given[name] ?? '') ? [[name, given[name]!]] : [])
  const attributes = [
    ['src', url.href],
    ...side('width'),
    ...side('height'),
    ...(given['title'] ? [['title', given['title'].slice(0, 500)]] : []),
    ...(features === '' ? [] : [['allow', features]]),
    ['sandbox', SANDBOX],
    ['frameborder', '0'],
    ['loading', 'lazy'],
    ['referrerpolicy', 'strict-origin-when-cross-origin'],
  ]
  const written = attributes.map(([name, value]) => `${name}="${escapeHtml(value!)}"`).join(' ')
  return `<iframe ${written}${'allowfullscreen' in given ? ' allowfullscreen' : ''}></iframe>`
}

/** The URL by which a page says that it can be embedded; null where it does not. */
export function discoveredEndpoint(html: string, page: string): URL | null {
  const left: Node[] = [...parseDocument(html).children]
  for (let seen = 0; left.length > 0 && seen < MOST_ELEMENTS; seen += 1) {
    const node = left.shift()!
    if (!('attribs' in node)) continue
    const { rel = '', type = '', href = '' } = node.attribs
    const isLink = node.name === 'link' && /\balternate\b/i.test(rel) && type.trim().toLowerCase() === 'application/json+oembed' // prettier-ignore
    if (isLink) return URL.parse(href, page)
    left.unshift(...node.children)
  }
  return null
}
