import { createRequire } from 'node:module'
import { isIPv4, isIPv6 } from 'node:net'
import type AjvFormats from 'ajv-formats'
import { parseTimestamp } from './timestamps.ts'
import type { SchemaFormat } from '../../library/schemas/index.ts'
import { lazily } from '../../library/long-work/index.ts'
import type { RuleCode } from './rule-errors.ts'

const require = createRequire(import.meta.url)

/** A `format` of a schema: how texts are checked and sanitized. Either part may be missing. */
export interface Format {
  /** Whether a text has the format. */
  check?: (text: string) => boolean
  /** The code of the rule that is broken otherwise. */
  code?: RuleCode
  /** The message of the error; one that starts with a space follows the parameter's name. */
  message?: string
  /** The text to store (specification 7.2). Applied twice it changes nothing more. */
  sanitize?: (text: string) => string
}

/** The formats that schemas may name (specification 7.1.9 and 7.2, and four more). */
export const FORMATS: Readonly<Record<SchemaFormat, Format>> = {
  'date-time': {
    check: (text) => parseTimestamp(text) !== false,
    code: 'rest_invalid_date',
    message: 'Invalid date.',
    sanitize: sanitizeText,
  },
  email: { check: isEmail, code: 'rest_invalid_email', message: 'Invalid email address.', sanitize: sanitizeText },
  ip: { check: isIp, code: 'rest_invalid_ip', message: ' is not a valid IP address.', sanitize: sanitizeText },
  uri: { sanitize: sanitizeUrl },
  uuid: { check: isUuid, code: 'rest_invalid_uuid', message: ' is not a valid UUID.' },
  'hex-color': { check: isHexColor, code: 'rest_invalid_hex_color', message: ' is not a valid hexadecimal color.' },
  'text-field': { sanitize: sanitizeText },
  'textarea-field': { sanitize: sanitizeTextarea },
}

// The longest address that mail servers accept.
const EMAIL_LENGTH = 254
const emailPattern = lazily(() => (require('ajv-formats') as typeof AjvFormats).default.get('email') as RegExp)

/** Whether a text is an e-mail address with a domain, and survives text-field sanitization as it is. */
export function isEmail(text: string): boolean {
  return text.length <= EMAIL_LENGTH && emailPattern().test(text) && sanitizeText(text) === text
}

/** Whether a text is an IPv4 dotted quad or an IPv6 address (without a zone). */
export function isIp(text: string): boolean {
  return isIPv4(text) || (isIPv6(text) && !text.includes('%'))
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

function isHexColor(text: string): boolean {
  return /^#(?:[0-9a-f]{3}){1,2}$/i.test(text)
}

/** One line of plain text: tags, percent-encoded bytes and control characters go, white space becomes single spaces. */
export function sanitizeText(text: string): string {
  return NOT_PLAIN.test(text) ? trim(withoutOctets(withoutTags(clean(text))).replace(/[ \t\n\r]+/g, ' ')) : text
}

/** Plain text of several lines: like `sanitizeText`, but the white space inside stays. */
export function sanitizeTextarea(text: string): string {
  return NOT_PLAIN.test(text) ? trim(withoutOctets(withoutTags(clean(text)))) : text
}

// Most texts are words with single spaces between them, and are done with one look.
const NOT_PLAIN = /[^\w .,:;@/+*()!?'"=#&-]|^ | $| {2}/

const trim = (text: string) => text.replace(/^[ \t\n\r]+/, '').replace(/(?<![ \t\n\r])[ \t\n\r]+$/, '')

/** Without control characters (tabs and line ends stay) and with lone surrogates replaced. */
function clean(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.toWellFormed().replace(/[\0-\x08\v\f\x0e-\x1f\x7f]+/g, '')
}

/** Takes tags, comments, and scripts and styles with their content out; a `<` that opens none becomes `&lt;`. */
function withoutTags(text: string): string {
  if (!text.includes('<')) return text
  // ASCII alone: other letters may change the length.
  const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  const lastEnd = text.lastIndexOf('>')
  let out = ''
  let at = 0
  for (;;) {
    const open = text.indexOf('<', at)
    if (open === -1) return out + text.slice(at)
    out += text.slice(at, open)
    const next = lower[open + 1] ?? ''
    if (open > lastEnd || !/[a-z/!?]/.test(next)) {
      out += '&lt;'
      at = open + 1
      continue
    }
    at = endOfTag(lower, open)
  }
}

/** Where the markup that opens at an index ends; the end of the text for a comment or script that is never closed. */
function endOfTag(lower: string, open: number): number {
  const after = (mark: string, from: number) => {
    const found = lower.indexOf(mark, from)
    return found === -1 ? lower.length : found + mark.length
  }
  if (lower.startsWith('<!--', open)) return after('-->', open + 4)
  const name = /^(?:script|style)(?![a-z0-9-])/.exec(lower.slice(open + 1, open + 8))?.[0]
  return after('>', name === undefined ? open : after(`</${name}`, open))
}

/** Takes percent-encoded bytes out, also those that appear when others go (`%4%411`). */
function withoutOctets(text: string): string {
  if (!text.includes('%')) return text
  const kept: string[] = []
  for (const unit of text) {
    kept.push(unit)
    const size = kept.length
    if (kept[size - 3] === '%' && isHexDigit(kept[size - 2]) && isHexDigit(unit)) kept.length = size - 3
  }
  return kept.join('')
}

const isHexDigit = (unit: string | undefined) => unit !== undefined && /^[0-9a-f]$/i.test(unit)

/** The schemes of URLs that may be stored. */
const SCHEMES = new Set(
  (
    'http https ftp ftps mailto news irc irc6 ircs gopher nntp feed telnet mms rtsp sms svn tel fax xmpp webcal urn ' +
    'geo magnet'
  ).split(' '),
)

/**
 * A URL as it may be stored: characters that no URL has are removed, spaces inside become `%20`, a missing scheme becomes
 * `http://` unless the URL is relative, and a URL of another scheme (`javascript:`) becomes empty.
 */
export function sanitizeUrl(text: string): string {
  const url = trim(clean(text))
    .replace(/[\t\n\r]+/g, '')
    .replaceAll(' ', '%20')
    .replace(/[^\w\-~+.?#=!&;,/:%@$|*'()[\]\u0080-\uffff]+/g, '')
  if (url === '' || /^[/#?]/.test(url)) return url
  const [, scheme, port] = /^([a-z][a-z0-9+.-]*):(\d+(?:[/?#]|$))?/i.exec(url) ?? []
  if (scheme !== undefined && SCHEMES.has(scheme.toLowerCase())) return url
  return url.startsWith(':') || (scheme !== undefined && port === undefined) ? '' : `http://${url}`
}
