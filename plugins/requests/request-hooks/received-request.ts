import type { CurrentUser, HeaderMap } from '../../../kernel/index.ts'

/** A request on arrival, passed to taps of `request_received`: only data that the client sent is available. */
export interface ReceivedRequest {
  /** ID of the request: `request` in the log and the header `X-Request-Id` of the response. Clients may choose it. */
  readonly id: string
  /** Method of the request line. A POST can override it later. */
  readonly method: string
  /** URL of the request line, from the path on. It can contain data that must not be logged, such as `?password=…`. */
  readonly url: string
  /** IP address of the client, or of the last untrusted proxy. */
  readonly ip: string
  /** Whether the client connected over TLS. */
  readonly secure: boolean
  /** Headers of the request. */
  readonly headers: HeaderMap
  /**
   * Headers to add to the response, including cached responses and errors. If the response has a header of the same
   * name, that one is sent; `Vary` and `Set-Cookie` are combined. A response with a cookie is not stored by shared
   * caches. Setting a header that describes the message body, such as `Content-Length`, throws a TypeError.
   */
  readonly responseHeaders: HeaderMap
  /** Aborted when the response is no longer needed: the request timed out or the client disconnected. */
  readonly signal: AbortSignal
}

/** Result of a request, passed to taps of `response_sent`. */
export interface SentResponse {
  /** ID of the request, as in `ReceivedRequest`. */
  readonly id: string
  /** Method of the request line. */
  readonly method: string
  /** URL of the request line, from the path on. */
  readonly url: string
  /** Pattern of the REST route; null for pages, files and requests without a matching route. */
  readonly route: string | null
  /** Status of the response; 499 if the client disconnected before there was one. */
  readonly status: number
  /** Bytes of the response that were sent over the connection: head and body. */
  readonly bytes: number
  /** Milliseconds from the arrival of the request's head to the last byte of the response. */
  readonly ms: number
  /** User who sent the request; a visitor (ID 0) if the request ended before authentication. */
  readonly user: CurrentUser
  /** Whether the response is incomplete: the client disconnected, or the response took too long. */
  readonly aborted: boolean
  /** Whether the response came from the response cache. */
  readonly fromCache: boolean
  /** @deprecated Use `fromCache`. */
  readonly kept: boolean
}
