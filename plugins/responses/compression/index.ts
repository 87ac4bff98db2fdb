import { definePlugin } from '../../../kernel/index.ts'
import { compress, type Effort } from './compress.ts'
import { encodePage, varyPage } from './pages.ts'
import { createPicker, type Encoding } from './negotiate.ts'
import { encodeResponse, isCompressible, type Negotiation } from './responses.ts'

export type { Effort } from './compress.ts'
export type { Encoding } from './negotiate.ts'

export interface CompressionOptions {
  /** Whether responses are compressed. */
  enabled: boolean
  /** Bytes from which on a body is compressed: the gain of less than a packet is none. */
  least: number
  /** The encodings that are offered, the preferred one first: `br`, `zstd`, `gzip`. `br` is for responses that are kept. */
  encodings: readonly Encoding[]
}

/** Compresses bodies, for plugins that keep them. */
export interface Compression {
  /** Bytes from which on a body is worth it. */
  readonly least: number
  /** The encoding of the response to a request with this `Accept-Encoding`; null for none. */
  readonly pickEncoding: (acceptEncoding: string | null) => Encoding | null
  /** A body in an encoding, made in a thread. */
  readonly compress: (bytes: Buffer, encoding: Encoding, effort: Effort) => Promise<Buffer>
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Chooses encodings, and compresses.
     * @example
     * const encoding = services.compression.pickEncoding(request.headers.get('accept-encoding'))
     */
    compression: Compression
  }
}

/**
 * Compresses text in the bodies of REST responses, pages and files, if the client accepts it.
 *
 * If a body holds a secret and text that an attacker can choose, its compressed length reveals the secret to an attacker who
 * sees the length and makes the browser of the user send many requests (BREACH). Responses of the REST API to logged-in users
 * are compressed as well, because a page of another site cannot send such requests as the user: a cookie without its nonce
 * counts as no user, and browsers do not add an `Authorization` header by themselves. Nonces are in headers, which are not
 * compressed, and a new application password is different each time. Pages have no such protection: pages for a single user
 * (`private`, `no-store`, cookies), such as forms with nonces, are not compressed.
 */
export default definePlugin<CompressionOptions>({
  name: 'compression',
  needs: ['site-requests'],
  after: ['rest-headers'],
  provides: ['compression'],
  options: {
    enabled: { default: true, type: 'boolean' },
    least: { default: 1024, type: 'integer', minimum: 0 },
    encodings: {
      default: ['br', 'zstd', 'gzip'],
      type: 'array',
      uniqueItems: true,
      items: { type: 'string', enum: ['br', 'zstd', 'gzip'] },
    },
  },
  apply({ hooks, provide }, { enabled, least, encodings }) {
    const pickEncoding = createPicker(enabled ? encodings : [])
    provide('compression', { least, pickEncoding, compress })
    if (!enabled) return
    const negotiation: Negotiation = { least, pick: createPicker(encodings.filter((one) => one !== 'br')) }

    // Whatever the type is by now, and for short bodies and 304 too: what the next request gets may be long.
    hooks.rest_pre_serve_request.tap({ name: 'compression', stage: 500 }, (served, { response: { headers } }) => {
      if (isCompressible(headers)) headers.append('Vary', 'Accept-Encoding')
      return served
    })
    hooks.rest_response_body.tapPromise({ name: 'compression', stage: 1000 }, (served, request) =>
      encodeResponse(served, request, negotiation),
    )
    hooks.site_page.tapPromise({ name: 'compression', stage: 1000 }, (page, request) => {
      varyPage(page, request)
      return encodePage(page, request, negotiation)
    })
  },
})
