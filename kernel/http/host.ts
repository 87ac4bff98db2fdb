import { isIP, isIPv6 } from 'node:net'

/** A host name, which can contain non-ASCII letters. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,252}$/u

/** Parses a host name or IP address, and removes the brackets around IPv6 addresses. Returns null if it is invalid. */
export function parseHost(text: string): string | null {
  const bracketed = /^\[(.*)\]$/.exec(text)?.[1]
  if (bracketed !== undefined) return isIPv6(bracketed) ? bracketed : null
  if (isIP(text) !== 0) return text
  // The URL parser rejects numbers that are not a valid IPv4 address, such as 256.0.0.1.
  return NAME.test(text) && URL.canParse(`http://${text}`) ? text : null
}

/** Formats host and port as in URLs: `[::1]:8080`. @param host as returned by `parseHost` */
export function formatAddress(host: string, port: number): string {
  return `${inUrl(host)}:${port}`
}

/** Returns whether a host is a wildcard address, such as `0.0.0.0` and `::`. */
export function isWildcard(host: string): boolean {
  return /^(?:0\.0\.0\.0|\[::\])$/.test(new URL(`http://${inUrl(host)}`).hostname)
}

/**
 * Returns the home URL of a site that listens on a host and port. Wildcard addresses become `localhost`, because
 * browsers cannot open them on every system.
 * @param host as returned by `parseHost`
 */
export function homeUrl(host: string, port: number): string {
  return `http://${formatAddress(isWildcard(host) ? 'localhost' : host, port)}`
}

/** Formats a host as in URLs: IPv6 addresses in brackets, without their zone (`%eth0`), which is only valid locally. */
function inUrl(host: string): string {
  return host.includes(':') ? `[${host.replace(/%.*/, '')}]` : host
}
