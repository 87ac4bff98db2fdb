import type { HeaderMap } from '../../../kernel/index.ts'

/** Requests to other servers. */
export interface Outgoing {
  /**
   * Sends one request, to public addresses alone: private networks, this machine and the site itself are refused unless
   * `allow` names them. What the URL or a redirect names is resolved here, and only what was checked is connected to.
   *
   * Any status is a response, not an error. A redirect is one too where none may be followed.
   * @throws OUTGOING_URL_INVALID, OUTGOING_REQUEST_INVALID, OUTGOING_ADDRESS_REFUSED, OUTGOING_TOO_LARGE,
   *   OUTGOING_TOO_SLOW, OUTGOING_REDIRECTS, OUTGOING_FAILED, OUTGOING_BUSY, OUTGOING_STOPPED,
   *   rest_too_many_outgoing_requests; the reason of the signal
   */
  request(url: string | URL, options: OutgoingOptions): Promise<OutgoingResponse>
  /**
   * Whether a URL may be asked as far as it says so itself: its scheme, its port where the host is an address, and that
   * address. A name is looked up by `request` alone, which may refuse it.
   */
  admits(url: string): boolean
}

/**
 * The requester of an outgoing request: the ID of a user, or `site` for requests that no user asked for. The option
 * `per_user` of the plugin bounds how many requests each user causes in a minute; `site` has no such limit.
 */
export type Asker = number | 'site'

/** Options of one request: `{ asker: request.user.id, method: 'POST', body: '{}' }`. */
export interface OutgoingOptions {
  /**
   * The user whose action or content causes the request; for content that is rendered, its author. `site` for schedules,
   * webhooks, imports and other work of the site itself.
   */
  readonly asker: Asker
  /** `GET` by default. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Ends the request; by default, with the outside request that it is made for. */
  readonly signal?: AbortSignal
  /** Milliseconds for all of it, the wait for a place, redirects and the body included; the option `time` of the plugin by default. */
  readonly timeout?: number
  /**
   * For what nobody waits for: all such requests together leave half of the places to others, and the time counts from the
   * moment that it has one.
   */
  readonly background?: boolean
  /** The most bytes of the body after it is decompressed; the option `size` of the plugin by default. */
  readonly size?: number
  /** The most redirects that are followed; 5 by default, and none for methods other than GET and HEAD. */
  readonly redirects?: number
  /** Further hosts and networks that are let in, for this request: as in the option `allow` of the plugin. */
  readonly allow?: readonly string[]
  /** Called before the body is read, for callers that need the status and the headers even if the body fails. */
  readonly onAnswer?: (status: number, headers: OutgoingResponse['headers']) => void
}

/** What another server answered. */
export interface OutgoingResponse {
  readonly status: number
  /** `headers.get('content-type')`; null where there is none. */
  readonly headers: Pick<HeaderMap, 'get' | 'has'>
  /** The URL that answered, behind all redirects. */
  readonly url: string
  /** The body, decompressed. */
  readonly body: Buffer
  text(): string
  /** @throws OUTGOING_FAILED when the body is not JSON */
  json(): unknown
}
