import { isIP } from 'node:net'
import type { HeaderMap } from './headers.ts'

/** Where a request comes from. */
export interface Client {
  readonly ip: string
  /** Whether the request came over HTTPS. */
  readonly secure: boolean
}

/** The address of the other side of a connection; that of IPv4 as such. */
export function peerOf({ remoteAddress: peer = '' }: { readonly remoteAddress?: string | undefined }): string {
  return peer.startsWith('::ffff:') ? peer.slice('::ffff:'.length) : peer
}

/**
 * The client of a request as a trusted proxy in front tells it, which adds what it knows behind what the client claims.
 * @param ip of the proxy
 * @param isSecure whether the site is served over TLS
 */
export function clientBehindProxy(headers: HeaderMap, ip: string, isSecure: boolean): Client {
  const last = (name: string) => headers.get(name)?.split(',').at(-1)?.trim()
  const claimed = last('x-forwarded-for') ?? ''
  return { ip: isIP(claimed) === 0 ? ip : claimed, secure: isSecure || last('x-forwarded-proto') === 'https' }
}
