import type { HeaderMap } from '../../../kernel/index.ts'

/** Requests to other servers. */
export interface Outgoing {
  /**
   * Sends a request to a public address. Private networks, this machine and the site itself are rejected unless `allow`
   * contains them. Hosts in the URL and in redirects are resolved here, and only checked addresses are connected to.
   *
   * Responses with any status are returned, not thrown, including redirects that are not followed.
   * @throws OUTGOING_URL_INVALID, OUTGOING_REQUEST_INVALID, OUTGOING_ADDRESS_REFUSED, OUTGOING_TOO_LARGE,
   * OUTGOING_TOO_SLOW, OUTGOING_REDIRECTS, OUTGOING_FAILED, OUTGOING_BUSY, OUTGOING_STOPPED,
   * rest_too_many_outgoing_requests; the reason of the signal
   */
  request(url: string | URL, options: OutgoingOptions): Promise<OutgoingResponse>
  /**
   * Checks whether a URL is allowed by its scheme, and by address and port if its host is an address. Names are
   * resolved only by `request`, which can still reject them.
   */
  admits(url: string): boolean
}

/**
 * The user ID of an outgoing request, or `site` for requests that no user caused. The plugin option `per_user` limits
 * the requests per user and minute; `site` has no such limit.
 */
export type Requester = number | 'site'

/** Options of one request: `{ requester: request.user.id, method: 'POST', body: '{}' }`. */
export interface OutgoingOptions {
  /**
   * The user whose action or content causes the request; for rendered content, its author. `site` for schedules,
   * webhooks, imports and other work of the site itself.
   */
  readonly requester: Requester
  /** `GET` by default. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Aborts the request; by default, the signal of the current outside request. */
  readonly signal?: AbortSignal
  /** Milliseconds for the whole request including queueing, redirects and body; the plugin option `time` by default. */
  readonly timeout?: number
  /**
   * Whether the request is background work: all such requests together use at most half of the concurrency, and the
   * timeout starts after queueing.
   */
  readonly background?: boolean
  /** Maximum bytes of the decompressed body; the plugin option `size` by default. */
  readonly size?: number
  /** Maximum number of followed redirects; 5 by default, 0 for methods other than GET and HEAD. */
  readonly redirects?: number
  /** Additional hosts and networks for this request, in the format of the plugin option `allow`. */
  readonly allow?: readonly string[]
  /** Called before the body is read, for callers that need status and headers even if the body fails. */
  readonly onAnswer?: (status: number, headers: OutgoingResponse['headers']) => void
}

/** Response of another server. */
export interface OutgoingResponse {
  readonly status: number
  /** Response headers; `get` returns null for a missing header. */
  readonly headers: Pick<HeaderMap, 'get' | 'has'>
  /** The URL of the response, after all redirects. */
  readonly url: string
  /** The decompressed body. */
  readonly body: Buffer
  text(): string
  /** @throws OUTGOING_FAILED if the body is not JSON */
  json(): unknown
}
