import type { Awaitable } from '../awaitable.ts'
import type { RestError } from '../errors.ts'
import type { Call } from './call.ts'
import type { Connection } from './connections.ts'

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

/** What a client transfers: a body that it sends, a response that it receives. */
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
  limit<T>(call: Call, response: Promise<T>): Promise<T>
  /** Stops a transfer whose client is too slow, until `unwatch` is called. */
  watch(transfer: Transfer): void
  unwatch(transfer: Transfer): void
  /**
   * Ends a response that is written in pieces if its next piece takes too long.
   * @param late names what writes it, for the log
   * @param end ends the response with an error
   */
  watchSource(call: Call, late: string, end: (call: Call, error: RestError) => void): void
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
  watchSource: () => {},
}
