/** What the header `Authorization` says: a login name with a password, another scheme, or nothing that can be read. */
export type Authorization = { login: string; password: string } | { scheme: string } | 'malformed'

/** Reads the header `Authorization` (RFC 9110, 11.4; RFC 7617). */
export function readAuthorization(header: string): Authorization {
  const [, scheme = '', credentials = ''] = /^([\w!#$%&'*+.^`|~-]+)(?: +(\S.*))?$/.exec(header.trim()) ?? []
  if (credentials === '') return 'malformed'
  if (scheme.toLowerCase() !== 'basic') return { scheme }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(credentials)) return 'malformed'
  const text = Buffer.from(credentials, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) return 'malformed'
  return { login: text.slice(0, colon).trim(), password: text.slice(colon + 1) }
}

/**
 * Whether a request comes from this very machine, and not through a proxy on it.
 * @param request address of the client and headers
 */
export function isLocal({ ip, headers }: { ip: string; headers: { has(name: string): boolean } }): boolean {
  return (ip === '::1' || ip.startsWith('127.')) && !FORWARDED.some((name) => headers.has(name))
}

const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']

/** Whether the address of a site can only be reached from the machine that it is on. */
export function isLocalHome(home: string): boolean {
  const { hostname } = new URL(home)
  return (
    hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || hostname.startsWith('127.')
  )
}
