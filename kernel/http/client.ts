import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { SiteConfig } from '../config-keys.ts'
import type { Urls } from '../urls.ts'
import type { HeaderMap } from './headers.ts'

/** Where a request comes from. */
export interface Client {
  readonly ip: string
  /** Whether the request came over HTTPS. */
  readonly secure: boolean
}

/** The client of a request: as the proxy in front says, where it is trusted, else as the connection does. */
export function clientOf(
  incoming: IncomingMessage,
  headers: HeaderMap,
  { config, urls }: { config: Pick<SiteConfig, 'trust_proxy'>; urls: Pick<Urls, 'home'> },
): Client {
  const https = urls.home.startsWith('https:')
  const peer = incoming.socket.remoteAddress ?? ''
  const ip = peer.startsWith('::ffff:') ? peer.slice('::ffff:'.length) : peer
  if (!config.trust_proxy) return { ip, secure: https }
  // A proxy adds what it knows behind what the client claims.
  const last = (name: string) => headers.get(name)?.split(',').at(-1)?.trim()
  const claimed = last('x-forwarded-for') ?? ''
  return { ip: isIP(claimed) === 0 ? ip : claimed, secure: https || last('x-forwarded-proto') === 'https' }
}
