import type { Awaitable } from '../awaitable.ts'
import type { Work } from '../work.ts'

/**
 * Bounds the memory that long responses take, from when their items have been read until they are sent: the characters
 * of one response, and of all in progress. The plugin `resources` sets the one of a server.
 */
export interface ResponseBudget {
  /** Whether the response to the request of a work is long. */
  isLong(work: Work): boolean
  /**
   * Takes room for characters of the current response.
   * @throws rest_unavailable
   */
  take(characters: number): void
  /** @throws rest_answer_too_large for more characters than one response can have */
  check(characters: number): void
  /** Encodes the body of a long response, with other requests between its pieces. */
  encode(data: unknown): Awaitable<readonly Buffer[]>
  /** Releases the room of a request whose response has been sent, or whose client has gone. */
  release(work: Work): void
}

/** Stands in where no plugin bounds responses: all of them are short. */
export const unbounded: ResponseBudget = {
  isLong: () => false,
  take: () => {},
  check: () => {},
  encode: (data) => [Buffer.from(JSON.stringify(data))],
  release: () => {},
}
