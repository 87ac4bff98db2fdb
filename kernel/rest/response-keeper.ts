import type { IncomingMessage } from 'node:http'
import type { RestRequest } from './request.ts'
import type { RestResponse, Served } from './response.ts'
import type { Endpoint, Route } from './routes.ts'

/** A response as it goes out. */
export interface KeptResponse {
  /** Pattern of the route; null for a page of the site. */
  readonly route: string | null
  readonly status: number
  /** Names and values in turn, with the length of the body and without the request ID. */
  readonly head: readonly string[]
  readonly body: Buffer | null
}

/** The steps by which a response is made, once the arguments of its request are checked. */
export interface ResponseMaker {
  readonly route: Route
  readonly endpoint: Endpoint
  /** The permission check, the handler, and the filters of an outside request. */
  respond(): Promise<RestResponse>
  /** The headers of this very request. The response is another one where a tap fails. */
  preServe(response: RestResponse): Promise<{ response: RestResponse; served: boolean }>
  /** The body as text. */
  encode(response: RestResponse): Promise<Served>
}

/** An outside request to read, on its way past whoever keeps responses. */
export interface KeptRequest {
  /** Runs `respond` once the user is known, and records what it reads. */
  record(respond: () => Promise<Served>): Promise<Served>
  /** The arguments are checked: makes the response, or has one that was made before. */
  serve(maker: ResponseMaker): Promise<Served>
}

/** Keeps responses, so that each is made once. */
export interface ResponseKeeper {
  /** The response to a request as it came, where that tells all there is to know; else null. */
  find(incoming: IncomingMessage): KeptResponse | null
  /**
   * Begins with a GET or HEAD request, before anything is read for it. Null where it is known already that its response
   * is not kept: what it is made of is not looked at then.
   */
  begin(request: RestRequest): KeptRequest | null
  /** What is sent of a response that was made without being looked at. */
  pass(served: Served, request: RestRequest): Served
  /** Forgets everything: routes, taps or URLs have changed. */
  clear(): void
}
