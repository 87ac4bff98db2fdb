import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Awaitable } from '../awaitable.ts'
import type { RestError } from '../errors.ts'
import type { Work } from '../work.ts'

/** A request that waits for its turn. */
export interface QueuedRequest {
  /** The network that it comes from. */
  readonly network: string
  /** ID of the request, for the log. */
  readonly id?: string
  /** When it arrived, in milliseconds of the process's clock. Without it, the request is never refused as too late. */
  readonly arrived?: number
  /** Whether its client has left: the request is then dropped. */
  isGone(): boolean
}

/** What is known of a connection. */
export interface Connection {
  readonly socket: Socket
  /** IP address of its other side. */
  readonly peer: string
  /** The network of that address. */
  readonly network: string
  /** The response to its latest request, which is finished if the connection is idle; null before the first one. */
  latest: ServerResponse | null
  /** ID of its latest request; '' before the first one. */
  latestId: string
  /** How many responses wait for an earlier one. */
  queued: number
}

/** An exchange of a request and its response, as limits see it. */
export interface LimitedCall {
  readonly id: string
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly work: Work
  /** Pattern of the route; null for a page, and before the route is found. */
  readonly route: string | null
  /** What it waits for where that is no tap and no handler, in words. */
  readonly stage: string | null
  /** When the response has to be ready, in milliseconds of the process's clock; 0 until it is set. */
  deadline: number
}

/** What a client transfers, such as a body that it sends. */
export interface Transfer {
  /** Bytes transferred so far; null while nothing waits for the client. */
  bytesMoved(): number | null
  /** Whether it is complete, or was given up. */
  isOver(): boolean
  /** Ends a transfer that is too slow. */
  stop(): void
}

/** Limits connections, requests and transfers. The plugin `limits` provides it as the service `limits`. */
export interface RequestLimits {
  /** How many pipelined requests of one connection can wait; one more ends the connection. */
  readonly maxPipelined: number
  /** Returns the network of an IP address, whose clients share limits. */
  networkOf(ip: string): string
  /** Returns whether a new connection is accepted, for which an idle one may be closed. */
  accepts(connection: Connection): boolean
  /**
   * Waits until a request can begin. It occupies a place from then on, until `release` is called.
   * @param now milliseconds of the process's clock, if they are known
   * @returns null if its client has left
   * @throws rest_handler_timeout if it has waited too long
   */
  turn(request: QueuedRequest, now?: number): Awaitable<number | null>
  /** Gives the place of a request of this network to another one. */
  release(network: string): void
  /** Waits for the response to a call. @throws rest_handler_timeout */
  limit<T>(call: LimitedCall, response: Promise<T>): Promise<T>
  /** Stops a transfer whose client is too slow, until `unwatch` is called. */
  watch(transfer: Transfer): void
  /** Ends what `watch` began. */
  unwatch(transfer: Transfer): void
  /** Closes the connection of a response whose client is too slow. */
  watchResponse(outgoing: ServerResponse, socket: Socket): void
  /**
   * Ends a response that is written in pieces if its next piece takes too long.
   * @param late names what writes it, for the log
   * @param end ends the response with an error
   */
  watchSource(call: LimitedCall, late: string, end: (error: RestError) => void): void
}

/** Stands in for the plugin `limits` where it does not run. */
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
