import { isIP } from 'node:net'
import type { HeaderMap } from './headers.ts'

/** The client of a request. */
export interface Client {
  readonly ip: string
  /** Whether the request came over HTTPS. */
  readonly secure: boolean
}

/** Returns the IP address of the peer of a connection; IPv4 addresses without the prefix of mapped IPv6 addresses. */
export function peerOf({ remoteAddress: peer = '' }: { readonly remoteAddress?: string | undefined }): string {
  return peer.startsWith('::ffff:') ? peer.slice('::ffff:'.length) : peer
}

/**
 * Returns the client of a request from the `X-Forwarded-*` headers of a trusted proxy. Uses the last value of each
 * header, which is the proxy's; earlier values can be forged by the client.
 * @param ip IP address of the proxy
 * @param isSecure whether the site is served over TLS
 */
export function clientBehindProxy(headers: HeaderMap, ip: string, isSecure: boolean): Client {
  const last = (name: string) => headers.get(name)?.split(',').at(-1)?.trim()
  const claimed = last('x-forwarded-for') ?? ''
  return { ip: isIP(claimed) === 0 ? ip : claimed, secure: isSecure || last('x-forwarded-proto') === 'https' }
}
