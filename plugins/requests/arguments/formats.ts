import { createRequire } from 'node:module'
import { isIPv4, isIPv6 } from 'node:net'
import type AjvFormats from 'ajv-formats'
import { parseTimestamp } from './timestamps.ts'
import type { SchemaFormat } from '../../library/schemas/index.ts'
import { lazily } from '../../library/long-work/index.ts'
import type { RuleCode } from './rule-errors.ts'

const require = createRequire(import.meta.url)

/** Validation and sanitization of a schema's `format`. Either part can be missing. */
export interface Format {
  /** Returns whether a text is valid. */
  check?: (text: string) => boolean
  /** Error code for invalid texts. */
  code?: RuleCode
  /** Error message. If it starts with a space, it follows the name of the parameter. */
  message?: string
  /** Returns the text to store (specification 7.2). Idempotent. */
  sanitize?: (text: string) => string
}

/** The formats of schemas (specification 7.1.9 and 7.2, and four more). */
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

// Longest address, in characters, that mail servers accept.
const MAX_EMAIL_LENGTH = 254
const emailPattern = lazily(() => (require('ajv-formats') as typeof AjvFormats).default.get('email') as RegExp)

/** Returns whether a text is an email address with a domain that text-field sanitization leaves unchanged. */
export function isEmail(text: string): boolean {
  return text.length <= MAX_EMAIL_LENGTH && emailPattern().test(text) && sanitizeText(text) === text
}

/** Returns whether a text is an IPv4 address in dotted notation or an IPv6 address without a zone. */
export function isIp(text: string): boolean {
  return isIPv4(text) || (isIPv6(text) && !text.includes('%'))
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

function isHexColor(text: string): boolean {
  return /^#(?:[0-9a-f]{3}){1,2}$/i.test(text)
}

/**
 * Sanitizes to one line of plain text: removes tags, percent-encoded bytes and control characters, and collapses white
 * space.
 */
export function sanitizeText(text: string): string {
  return NOT_PLAIN.test(text) ? trim(withoutOctets(withoutTags(clean(text))).replace(/[ \t\n\r]+/g, ' ')) : text
}

/** Sanitizes to plain text like `sanitizeText`, but keeps inner white space and line breaks. */
export function sanitizeTextarea(text: string): string {
  return NOT_PLAIN.test(text) ? trim(withoutOctets(withoutTags(clean(text)))) : text
}

// Fast path: most texts are words separated by single spaces.
const NOT_PLAIN = /[^\w .,:;@/+*()!?'"=#&-]|^ | $| {2}/

const trim = (text: string) => text.replace(/^[ \t\n\r]+/, '').replace(/(?<![ \t\n\r])[ \t\n\r]+$/, '')

/** Removes control characters except tabs and line breaks, and replaces lone surrogates. */
function clean(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.toWellFormed().replace(/[\0-\x08\v\f\x0e-\x1f\x7f]+/g, '')
}

/** Removes tags, comments, and scripts and styles with their content. Escapes any other `<` as `&lt;`. */
function withoutTags(text: string): string {
  if (!text.includes('<')) return text
  // Lowercases ASCII only: lowercasing other letters can change the length.
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

/**
 * Returns the end of the markup that opens at an index; the end of the text for a comment or script that is never
 * closed.
 */
function endOfTag(lower: string, open: number): number {
  const after = (mark: string, from: number) => {
    const found = lower.indexOf(mark, from)
    return found === -1 ? lower.length : found + mark.length
  }
  if (lower.startsWith('<!--', open)) return after('-->', open + 4)
  const name = /^(?:script|style)(?![a-z0-9-])/.exec(lower.slice(open + 1, open + 8))?.[0]
  return after('>', name === undefined ? open : after(`</${name}`, open))
}

/** Removes percent-encoded bytes, also new ones that form when others are removed (`%4%411`). */
function withoutOctets(text: string): string {
  if (!text.includes('%')) return text
  const units: string[] = []
  for (const unit of text) {
    units.push(unit)
    const size = units.length
    if (units[size - 3] === '%' && isHexDigit(units[size - 2]) && isHexDigit(unit)) units.length = size - 3
  }
  return units.join('')
}

const isHexDigit = (unit: string | undefined) => unit !== undefined && /^[0-9a-f]$/i.test(unit)

/** URL schemes that can be stored. */
const SCHEMES = new Set(
  (
    'http https ftp ftps mailto news irc irc6 ircs gopher nntp feed telnet mms rtsp sms svn tel fax xmpp webcal urn ' +
    'geo magnet'
  ).split(' '),
)

/**
 * Sanitizes a URL: removes characters that are invalid in URLs and encodes inner spaces as `%20`. A URL without a
 * scheme gets `http://` unless it is relative, and a URL with a scheme that is not allowed (`javascript:`) becomes
 * empty.
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
