import type { UrlForm } from './urls.ts'

/**
 * The limits that the kernel enforces itself. Sizes are in bytes, times in milliseconds. Names are camelCase, and those of
 * Fastify's options where it has the option. Plugins merge theirs in.
 */
export interface Limits {
  /** Bytes of a body, files included. */
  bodyLimit: number
  /** Bytes of all headers. */
  headers: number
  /** Milliseconds until a request must have arrived, and milliseconds until its handler must have finished. */
  requestTimeout: number
}

/** The config of a site, every value in place. Plugins merge their keys in. */
export interface SiteConfig {
  /** Home URL; null derives it from host and port. */
  home: string | null
  host: string
  port: number
  word: string
  addresses: UrlForm
  /** Whether a proxy in front may tell scheme and IP address of the client by `X-Forwarded-*`. */
  trust_proxy: boolean
  /** Whether bodies of GET and HEAD requests are read. Caches do not see them, so the responses may not be cached. */
  read_get_bodies: boolean
  limits: Limits
}

/** A config key that holds a secret: only plugins that declare so are given it. */
export type SecretKey = 'database'
