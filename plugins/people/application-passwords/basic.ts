import { isUtf8 } from 'node:buffer'
import { isIP } from 'node:net'

/** A login name with a password. */
export interface Credentials {
  readonly login: string
  readonly password: string
}

/** Returns the credentials in a header `Authorization` (RFC 7617); null for other schemes and malformed headers. */
export function readCredentials(header: string): Credentials | null {
  const [, scheme = '', credentials = ''] = /^([\w!#$%&'*+.^`|~-]+)(?: +(\S.*))?$/.exec(header.trim()) ?? []
  if (scheme.toLowerCase() !== 'basic' || !/^[A-Za-z0-9+/]+={0,2}$/.test(credentials)) return null
  const bytes = Buffer.from(credentials, 'base64')
  if (!isUtf8(bytes)) return null
  const text = bytes.toString()
  const colon = text.indexOf(':')
  if (colon < 1) return null
  return { login: text.slice(0, colon).trim(), password: text.slice(colon + 1) }
}

/**
 * Whether a request comes from this machine, and not through a proxy on it.
 * @param request IP address of the client, and headers
 */
export function isLocal({ ip, headers }: { ip: string; headers: { has(name: string): boolean } }): boolean {
  return isLoopback(ip) && !FORWARDED.some((name) => headers.has(name))
}

const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']

/** Whether only this machine can reach the host of a URL. */
export function isLocalHost(address: string): boolean {
  const { hostname } = new URL(address)
  // Browsers also resolve names below `localhost` to this machine (RFC 6761, 6.3).
  return hostname === 'localhost' || hostname.endsWith('.localhost') || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'))
}

/** Whether an IP address is in 127.0.0.0/8 or ::1; false for host names that look similar. */
function isLoopback(ip: string): boolean {
  return isIP(ip) === 4 ? ip.startsWith('127.') : ip === '::1'
}
