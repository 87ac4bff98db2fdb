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
 * Compresses bodies of text where the client takes it: of REST responses, pages and files.
 *
 * A body that holds a secret beside what a stranger can put into it tells the secret by its length (BREACH), to who sees
 * the length and makes the user's browser ask again and again. Bodies of the REST API are compressed for users who are
 * logged in too, because no stranger's page can make that browser ask as the user: a cookie without its nonce is nobody's,
 * and no browser adds an `Authorization` header by itself, as nothing here asks it to. Nonces travel in headers, which are
 * not compressed, and a new application password is another one each time. Pages have neither: those that are for one
 * user alone (`private`, `no-store`, cookies), as forms with nonces are, stay plain.
 */
export default definePlugin<CompressionOptions>({
  name: 'compression',
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
