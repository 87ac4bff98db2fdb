import { escapeHtml } from '../../library/markup/index.ts'
import { readTags } from '../html/index.ts'

/** Sandbox permissions of third-party frames. */
const SANDBOX =
  'allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-presentation allow-forms'
/** Browser features that third-party frames can request. */
const FEATURES = new Set([
  'autoplay',
  'encrypted-media',
  'fullscreen',
  'picture-in-picture',
  'web-share',
  'clipboard-write',
])
/** Maximum elements that are read in one HTML text. */
const MAX_ELEMENTS = 2000

/**
 * Returns the first frame in the HTML whose URL `admits` accepts, with normalized attributes, or null.
 */
export function frameIn(html: string, admits: (url: URL) => boolean): string | null {
  return findFirst(html, (name, attributes) => {
    const url = name === 'iframe' ? URL.parse(attributes.get('src') ?? '') : null
    return url !== null && admits(url) ? frame(url, attributes) : null
  })
}

function frame(url: URL, source: ReadonlyMap<string, string>): string {
  const allow = (source.get('allow') ?? '').split(';').map((one) => one.trim().split(/\s/, 1)[0]!.toLowerCase())
  const features = [...new Set(allow.filter((name) => FEATURES.has(name)))].join('; ')
  const side = (name: string) => (/^\d{1,5}%?$/.test(source.get(name) ?? '') ? [[name, source.get(name)!]] : [])
  const title = (source.get('title') ?? '').slice(0, 500).toWellFormed()
  const attributes = [
    ['src', url.href],
    ...side('width'),
    ...side('height'),
    ...(title === '' ? [] : [['title', title]]),
    ...(features === '' ? [] : [['allow', features]]),
    ['sandbox', SANDBOX],
    ['frameborder', '0'],
    ['loading', 'lazy'],
    ['referrerpolicy', 'strict-origin-when-cross-origin'],
  ]
  const written = attributes.map(([name, value]) => `${name}="${escapeHtml(value!)}"`).join(' ')
  return `<iframe ${written}${source.has('allowfullscreen') ? ' allowfullscreen' : ''}></iframe>`
}

/** Returns the oEmbed endpoint that a page links to, or null. */
export function discoveredEndpoint(html: string, page: string): URL | null {
  return findFirst(html, (name, attributes) => {
    const type = attributes.get('type')?.trim().toLowerCase()
    const isLink =
      name === 'link' && /\balternate\b/i.test(attributes.get('rel') ?? '') && type === 'application/json+oembed'
    return isLink ? URL.parse(attributes.get('href') ?? '', page) : null
  })
}

/** Returns the first result of `take` that is not null. */
function findFirst<T>(
  html: string,
  convert: (name: string, attributes: ReadonlyMap<string, string>) => T | null,
): T | null {
  let result: T | null = null
  let count = 0
  readTags(html, () => result !== null || count >= MAX_ELEMENTS, {
    open(name, attributes) {
      count += 1
      result = convert(name, attributes)
    },
  })
  return result
}
