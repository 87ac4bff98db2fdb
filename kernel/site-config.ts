import type { UrlForm } from './urls.ts'

/**
 * The limits that the kernel enforces. Sizes are in bytes, times in milliseconds. Names are camelCase; limits that
 * Fastify has too are named as in Fastify. Plugins merge their limits in.
 */
export interface Limits {
  /** Maximum bytes of a request body, files included. */
  bodyLimit: number
  /** Maximum bytes of all request headers. */
  headers: number
  /** Milliseconds within which a request must arrive, and again within which its handler must finish. */
  requestTimeout: number
}

/** The complete config of a site, defaults included. Plugins merge their keys in. */
export interface SiteConfig {
  /** Home URL of the site; null derives it from host and port. */
  home: string | null
  host: string
  port: number
  word: string
  addresses: UrlForm
  /** Whether `X-Forwarded-*` headers of a proxy set the scheme and the IP address of the client. */
  trust_proxy: boolean
  /** Whether bodies of GET and HEAD requests are read. Caches ignore bodies, so such responses are not cacheable. */
  read_get_bodies: boolean
  limits: Limits
}

/** A config key that contains a secret, which only plugins with this key in `secrets` can read. */
export type SecretKey = 'database'
