import { definePlugin } from '../../../kernel/index.ts'
import { addDeprecatedMembers } from '../../library/deprecated-names/index.ts'
import { compress, type Effort } from './compress.ts'
import { encodePage, varyPage } from './pages.ts'
import { createPicker, type Encoding } from './negotiate.ts'
import { encodeResponse, isCompressible, type Negotiation } from './responses.ts'

export type { Effort } from './compress.ts'
export type { Encoding } from './negotiate.ts'

export interface CompressionOptions {
  /** Whether responses are compressed. */
  enabled: boolean
  /** Smallest body in bytes that is compressed. Compressing less than a network packet gains nothing. */
  minBytes: number
  /** Supported encodings in order of preference: `br`, `zstd`, `gzip`. `br` is used for cached responses only. */
  encodings: readonly Encoding[]
}

/** Compresses bodies for plugins that cache them. */
export interface Compression {
  /** Smallest body in bytes that is worth compressing. */
  readonly minBytes: number
  /** @deprecated Use `minBytes`. */
  readonly least: number
  /** Returns the encoding for a request with this `Accept-Encoding`; null for no encoding. */
  readonly pickEncoding: (acceptEncoding: string | null) => Encoding | null
  /** Compresses a body in a thread. */
  readonly compress: (bytes: Buffer, encoding: Encoding, effort: Effort) => Promise<Buffer>
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Negotiates encodings and compresses bodies.
     * @example
     * const encoding = services.compression.pickEncoding(request.headers.get('accept-encoding'))
     */
    compression: Compression
  }
}

/**
 * Compresses the text of REST responses, pages and files if the client accepts it.
 *
 * If a body contains both a secret and text chosen by an attacker, its compressed length can reveal the secret to an
 * attacker who observes the length and makes the user's browser send many requests (BREACH). Responses of the REST API
 * to logged-in users are compressed anyway, because a page of another site cannot send such requests as the user: a
 * cookie without its nonce does not authenticate, and browsers do not add an `Authorization` header on their own.
 * Nonces are in headers, which are not compressed, and a new application password is different each time. Pages lack
 * this protection: pages for a single user (`private`, `no-store`, cookies), such as forms with nonces, are not
 * compressed.
 */
export default definePlugin<CompressionOptions>({
  name: 'compression',
  needs: ['site-requests'],
  after: ['rest-headers'],
  provides: ['compression'],
  formerOptions: { least: 'minBytes' },
  options: {
    enabled: { default: true, type: 'boolean' },
    minBytes: { default: 1024, type: 'integer', minimum: 0 },
    encodings: {
      default: ['br', 'zstd', 'gzip'],
      type: 'array',
      uniqueItems: true,
      items: { type: 'string', enum: ['br', 'zstd', 'gzip'] },
    },
  },
  apply({ hooks, provide }, { enabled, minBytes, encodings }) {
    const pickEncoding = createPicker(enabled ? encodings : [])
    const compression = { minBytes, pickEncoding, compress }
    provide('compression', addDeprecatedMembers(compression, 'services.compression', { least: 'minBytes' }))
    if (!enabled) return
    const negotiation: Negotiation = { minBytes, pick: createPicker(encodings.filter((one) => one !== 'br')) }

    // Set for all compressible types, also for short bodies and 304: the next response at this URL can be long.
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
