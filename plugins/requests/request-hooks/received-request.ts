import type { CurrentUser, HeaderMap } from '../../../kernel/index.ts'

/** A request as it has arrived, before anything is known of it but what its client wrote: for taps of `request_received`. */
export interface ReceivedRequest {
  /** ID of the request: `request` in the log and the header `X-Request-Id` of the response. Clients may choose it. */
  readonly id: string
  /** Method of the request line; a POST may name another one later. */
  readonly method: string
  /** URL as the client wrote it, from the path on. It may hold what is not for logs, such as `?password=…`. */
  readonly url: string
  /** IP address of the client, or of the proxy before it that may not be trusted. */
  readonly ip: string
  /** Whether it came over TLS. */
  readonly secure: boolean
  readonly headers: HeaderMap
  /**
   * Headers of the response, whichever it will be, also one that is kept or refuses the request. Where the response has a
   * header of the same name itself, that one is sent; of `Vary` and `Set-Cookie` both are. With a cookie the response is for
   * no shared cache. What says how its bytes are to be read is refused by a TypeError.
   */
  readonly responseHeaders: HeaderMap
  /** Aborted when nobody waits for the response any more. */
  readonly signal: AbortSignal
}

/** What became of a request: for taps of `response_sent`. */
export interface SentResponse {
  /** ID, method and URL of the request, as `ReceivedRequest` has them. */
  readonly id: string
  readonly method: string
  readonly url: string
  /** Pattern of the REST route; null for pages and files, and where no route was found or asked for. */
  readonly route: string | null
  /** Status of the response; 499 where the client left before there was one. */
  readonly status: number
  /** Bytes of the response that left the server: head and body, as they went over the connection. */
  readonly bytes: number
  /** Milliseconds from the arrival of the head of the request to the last byte of the response. */
  readonly ms: number
  /** The user who sent the request; a visitor (ID 0) also where it was never asked for. */
  readonly user: CurrentUser
  /** Whether the response was not sent to its end: the client left, or it took too long. */
  readonly aborted: boolean
  /** Whether a response was sent that had been made for an earlier request. */
  readonly kept: boolean
}
