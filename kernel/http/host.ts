import { isIP, isIPv6 } from 'node:net'

/** A host name, also one with letters of other scripts. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,252}$/u
/** The addresses that stand for every address of the machine, as URLs have them. */
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]'])

/** Returns the host name or IP address of a text, without the brackets that IPv6 addresses have in URLs; else null. */
export function parseHost(text: string): string | null {
  const bracketed = /^\[(.*)\]$/.exec(text)?.[1]
  if (bracketed !== undefined) return isIPv6(bracketed) ? bracketed : null
  if (isIP(text) !== 0) return text
  // The parser of URLs also finds numbers that are not an IPv4 address, such as 256.0.0.1.
  return NAME.test(text) && URL.canParse(`http://${text}`) ? text : null
}

/** A host and port, as they are written in URLs: `[::1]:8080`. @param host as `parseHost` returns it */
export function formatAddress(host: string, port: number): string {
  return `${inUrl(host)}:${port}`
}

/** Whether a host stands for every address of the machine, such as `0.0.0.0` and `::`. */
export function isWildcard(host: string): boolean {
  return WILDCARDS.has(new URL(`http://${inUrl(host)}`).hostname)
}

/**
 * The home URL of a site that listens on a host and port. It has `localhost` in place of a wildcard address, which browsers
 * do not open on every system.
 * @param host as `parseHost` returns it
 */
export function homeUrl(host: string, port: number): string {
  return `http://${formatAddress(isWildcard(host) ? 'localhost' : host, port)}`
}

/** URLs have no zone (`%eth0`): it has a meaning on this machine alone. */
function inUrl(host: string): string {
  return host.includes(':') ? `[${host.replace(/%.*/, '')}]` : host
}
