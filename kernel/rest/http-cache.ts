import type { IncomingMessage } from 'node:http'
import type { RestRequest } from './request.ts'
import type { RestResponse, Served } from './response.ts'
import type { Endpoint, Route } from './routes.ts'

/** A cached response in the form in which it is sent. */
export interface CachedResponse {
  /** Pattern of the route; null for a page of the site. */
  readonly route: string | null
  readonly status: number
  /** Alternating names and values, with the length of the body and without the request ID. */
  readonly head: readonly string[]
  readonly body: Buffer | null
}

/** The steps that create a response, after the arguments are checked. */
export interface ResponseSteps {
  readonly route: Route
  readonly endpoint: Endpoint
  /** Runs the permission check, the handler, and the filters for outside requests. */
  respond(): Promise<RestResponse>
  /** Runs `rest_pre_serve_request` for this request. Returns another response if a tap fails. */
  preServe(response: RestResponse): Promise<{ response: RestResponse; served: boolean }>
  /** Encodes the body. */
  encode(response: RestResponse): Promise<Served>
}

/** An outside GET or HEAD request whose response can be cached. */
export interface CacheableRequest {
  /** Runs `respond`, after the user is identified, and records its reads. */
  record(respond: () => Promise<Served>): Promise<Served>
  /** Returns a cached response or creates one, after the arguments are checked. */
  serve(steps: ResponseSteps): Promise<Served>
}

/** Caches responses. */
export interface HttpCache {
  /** Returns the cached response if the raw request identifies it; else null. */
  find(incoming: IncomingMessage): CachedResponse | null
  /**
   * Starts a GET or HEAD request, before its first read. Returns null if its response is known not to be cacheable; no
   * reads are recorded then.
   */
  begin(request: RestRequest): CacheableRequest | null
  /** Prepares an uncached response, whose reads were not recorded, for sending. */
  pass(served: Served, request: RestRequest): Served
  /** Clears the cache, because routes, taps or URLs have changed. */
  clear(): void
}
