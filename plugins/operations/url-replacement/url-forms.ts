import { domainToASCII, domainToUnicode } from 'node:url'
import { trimEndSlashes } from '../../../kernel/index.ts'
import { errors } from './errors.ts'

/** Replaces URLs in a text. */
export interface UrlReplacer {
  /** Returns the text with new URLs. */
  replace(text: string): string
  /** A part of the old host in every form of the old URL, for a search in the database. */
  readonly needle: string
  /** Number of replaced URLs so far. */
  count: number
}

/** Encodings of slashes: plain, in JSON (of any depth), in URLs (once or twice), in HTML. */
const SLASH = String.raw`(?:\\{0,8}/|%2f|%252f|\\{1,8}u002f|&#0?47;|&#x2f;)`
const COLON = String.raw`(?::|%3a|%253a|\\{1,8}u003a|&#0?58;|&#x3a;)`
const HYPHEN = String.raw`(?:-|\\{1,8}u002d|%2d)`
const ENCODED_COLON = /^(?:%|\\|u0|&)/i
/** An encoded character before a URL, other than a slash: a quote in JSON or in a block, a line end, an equals sign. */
const ENCODED_BEFORE = String.raw`(?<=%(?:25)?(?!2f|3a)[0-9a-f]{2}|\\u(?!00(?:2f|3a))[0-9a-f]{4}|\\[nrt])`
/**
 * A URL ends before a character that cannot continue its host or the last segment of its path: `old.example` is neither
 * `old.example.au` nor `old.example:8080`, and `/blog` is not `/blogs`.
 */
const END = String.raw`(?![\p{L}\p{N}_@-]|\.[\p{L}\p{N}_-]|:\d|\\{1,8}u002d|%(?!25|2[0236789cf]|3[b-f]|5[bcde]|7[bcd]|0[9ad]))`

/**
 * Creates a function that replaces a URL and everything below it in any text: with `http` or `https`, with or without
 * `www.`, without a scheme (`//old.example/…`), URL-encoded, and escaped in JSON or in attributes of blocks. Each URL
 * keeps its form. Longer host names, ports and paths do not match, nor does a URL within the path of another URL, such
 * as an archived page.
 * @throws URLS_INVALID, URLS_EQUAL
 */
export function urlReplacer(from: string, to: string): UrlReplacer {
  const [old, next] = [parseSite(from), parseSite(to)]
  if (old.url === next.url) throw errors.URLS_EQUAL(next.url)
  const hosts = [...new Set([old.host, domainToUnicode(old.host)])].map((host) => inAnyForm(host))
  const port = old.port === '' ? '' : COLON + old.port
  const path = old.path.split('/').map(inAnyForm).join(SLASH)
  const scheme = `(https?)(${COLON})`
  const pattern = new RegExp(
    `(?:(?:(?<![/\\w])|${ENCODED_BEFORE})${scheme}|(?<![\\w:/\\\\.-])|${ENCODED_BEFORE})` +
      `(${SLASH})${SLASH}(?:www\\.)?(?:${hosts.join('|')})${port}${path}${END}`,
    'giu',
  )
  const newScheme = next.url.slice(0, next.url.indexOf(':'))
  const rest = next.url.slice(newScheme.length + 1)
  // An internationalized name has two forms.
  const names = domainToUnicode(old.host).split(/[-.]/)
  const needle = longestOf(names.filter((name) => /^[a-z0-9]+$/i.test(name))).toLowerCase()
  return {
    needle,
    count: 0,
    replace(text) {
      if (!text.toLowerCase().includes(needle)) return text
      return inMarkup(text, (part, isComment) =>
        part.replace(pattern, (_found, written: string | undefined, colon: string | undefined, slash: string) => {
          this.count += 1
          const moved = written === undefined ? rest : `${newScheme}:${rest}`
          return encoded(moved, { colon, slash, isComment })
        }),
      )
    },
  }
}

/** Characters of an old or new URL. */
const MAX_URL_LENGTH = 2000

interface Site {
  /** Without a trailing slash. */
  readonly url: string
  /** Without `www.`, in ASCII. */
  readonly host: string
  readonly port: string
  /** With its leading slash; `''` for the root of the host. */
  readonly path: string
}

function parseSite(text: string): Site {
  if (text.length > MAX_URL_LENGTH) throw errors.URLS_INVALID(text.slice(0, MAX_URL_LENGTH))
  const url = trimEndSlashes(text.trim())
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#"'<>]*)?$/i.test(url)) throw errors.URLS_INVALID(text)
  return {
    url,
    host: domainToASCII(parsed.hostname).replace(/^www\./, ''),
    port: parsed.port,
    path: trimEndSlashes(parsed.pathname),
  }
}

/** Pattern of a part of a URL, in which hyphens can be escaped. */
function inAnyForm(part: string): string {
  const escaped = part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return escaped.replaceAll('-', HYPHEN)
}

interface Form {
  readonly colon: string | undefined
  readonly slash: string
  /** Whether the URL is in an HTML comment, which must not contain two hyphens: attributes of blocks escape them. */
  readonly isComment: boolean
}

/** Writes a URL in the form of the replaced one. */
function encoded(url: string, { colon, slash, isComment }: Form): string {
  const isDouble = slash.startsWith('%25')
  const isUrlEncoded = slash.startsWith('%')
  let written = url
  if (isUrlEncoded) written = encodeURIComponent(isDouble ? encodeURIComponent(url) : url)
  // Only the colon after the scheme has been seen in its form.
  const ownColon = colon ?? (isUrlEncoded ? undefined : ':')
  written = written.replace(isDouble ? /%252F/g : isUrlEncoded ? /%2F/g : /\//g, () => slash)
  if (ownColon !== undefined && ENCODED_COLON.test(ownColon))
    written = written.replace(isDouble ? /%253A/g : isUrlEncoded ? /%3A/g : /:/g, () => ownColon)
  return isComment ? written.replaceAll('--', String.raw`\u002d\u002d`) : written
}

/** Calls `change` for HTML comments and for the text between them. */
function inMarkup(text: string, change: (part: string, isComment: boolean) => string): string {
  let changed = ''
  let done = 0
  for (let start = text.indexOf('<!--'); start >= 0; start = text.indexOf('<!--', done)) {
    const end = text.indexOf('-->', start)
    if (end < 0) break
    changed += change(text.slice(done, start), false) + change(text.slice(start, end), true)
    done = end
  }
  return changed + change(text.slice(done), false)
}

function longestOf(parts: readonly string[]): string {
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '')
}
