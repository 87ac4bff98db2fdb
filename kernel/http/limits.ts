import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Awaitable } from '../awaitable.ts'
import type { RestError } from '../errors.ts'
import type { Work } from '../work.ts'

/** A queued request. */
export interface QueuedRequest {
  /** The network of its client. */
  readonly network: string
  /** ID of the request, for the log. */
  readonly id?: string
  /** `performance.now()` at its arrival. Without it, the request never times out in the queue. */
  readonly arrived?: number
  /** Returns whether its client has left; the request is then dropped. */
  isGone(): boolean
}

/** An open connection. */
export interface Connection {
  readonly socket: Socket
  /** IP address of the peer. */
  readonly peer: string
  readonly network: string
  /** The response to its latest request; null before the first one. It is finished if the connection is idle. */
  latest: ServerResponse | null
  /** ID of its latest request; '' before the first one. */
  latestId: string
  /** Number of responses that wait for an earlier response. */
  queued: number
}

/** A call (a request and its response) as limits see it. */
export interface LimitedCall {
  readonly id: string
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly work: Work
  /** Pattern of the route; null for a page, and before the route is found. */
  readonly route: string | null
  /** Description of the step that it waits for, if that is neither a tap nor a handler. */
  readonly stage: string | null
  /** Time by which the response must be ready, in milliseconds of `performance.now()`; 0 until it is set. */
  deadline: number
}

/** A transfer from or to a client, such as a request body. */
export interface Transfer {
  /** Returns the bytes transferred so far; null while the transfer does not wait for the client. */
  bytesMoved(): number | null
  /** Returns whether it is complete or aborted. */
  isOver(): boolean
  /** Aborts a transfer that is too slow. */
  stop(): void
}

/** Limits connections, requests and transfers. The plugin `limits` provides it as the service `limits`. */
export interface RequestLimits {
  /** Maximum number of waiting pipelined requests per connection; one more closes the connection. */
  readonly maxPipelined: number
  /** Returns the network of an IP address, whose clients share limits. */
  networkOf(ip: string): string
  /** Returns whether to accept a new connection; may close an idle connection to make room. */
  accepts(connection: Connection): boolean
  /**
   * Waits until a request can begin. It then occupies a slot until `release` is called.
   * @param now the current `performance.now()`, if known
   * @returns null if its client has left
   * @throws rest_handler_timeout if it has waited too long
   */
  turn(request: QueuedRequest, now?: number): Awaitable<number | null>
  /** Frees the slot of a request of this network. */
  release(network: string): void
  /** Waits for the response to a call. @throws rest_handler_timeout */
  limit<T>(call: LimitedCall, response: Promise<T>): Promise<T>
  /** Watches a transfer, until `unwatch` is called, and aborts it if its client is too slow. */
  watch(transfer: Transfer): void
  /** Stops watching a transfer. */
  unwatch(transfer: Transfer): void
  /** Watches a response, and closes its connection if the client is too slow. */
  watchResponse(outgoing: ServerResponse, socket: Socket): void
  /**
   * Watches a response that is written in chunks, and ends it if the next chunk takes too long.
   * @param late description of the delay for the log
   * @param end ends the response with an error
   */
  watchSource(call: LimitedCall, late: string, end: (error: RestError) => void): void
}

/** Replaces the plugin `limits` if it is switched off. */
export const noLimits: RequestLimits = {
  maxPipelined: Number.POSITIVE_INFINITY,
  networkOf: (ip) => ip,
  accepts: () => true,
  turn: (_request, now = 0) => now,
  release: () => {},
  limit: (_call, response) => response,
  watch: () => {},
  unwatch: () => {},
  watchResponse: () => {},
  watchSource: () => {},
}
