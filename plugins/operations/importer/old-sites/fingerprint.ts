import { hash } from 'node:crypto'

/** Hexadecimal digits of a fingerprint: 52 bits, which a number holds exactly. */
const HASH_DIGITS = 13

/** Returns a hash of texts and numbers as an integer from 1 to 2^52. NUL characters, which no database stores, are ignored. */
export function fingerprint(values: readonly (string | number)[]): number {
  return Number.parseInt(hash('sha1', values.join('\u0001').replaceAll('\0', '')).slice(0, HASH_DIGITS), 16) || 1
}

/** Returns the hash of a name: a GUID, a slug or a login; 0 for `''`. */
export function fingerprintOfName(name: string): number {
  return name === '' ? 0 : fingerprint([name])
}

/** Returns the key of an object without an ID on the old site. It is negative, because IDs are positive. */
export function keyOfName(name: string): number {
  return -fingerprint([name])
}

/**
 * Brings a GUID into one form: exports encode ampersands, and the scheme and `www.` can change while the object stays.
 */
export function normalizeGuid(guid: string): string {
  return guid
    .trim()
    .replaceAll(/&(?:amp|#0?38);/g, '&')
    .replace(/^https?:\/\/(?:www\.)?/i, '')
}

/** Brings the home URL of a site into one form: no scheme, no `www.`, no trailing slash, lower-case host. */
export function normalizeHome(home: string): string {
  const [, host = '', path = ''] =
    /^(?:[a-z][a-z\d+.-]*:)?(?:\/\/)?(?:www\.)?([^/?#]*)([^?#]*)/i.exec(home.trim()) ?? []
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return host.toLowerCase() + path.slice(0, end)
}
