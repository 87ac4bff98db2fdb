import type { Awaitable } from '../awaitable.ts'
import type { Work } from '../work.ts'

/**
 * Limits the memory of long responses from the read of their items until they are sent: the characters of a response,
 * and of all responses in progress. The plugin `resources` sets it on the server.
 */
export interface ResponseBudget {
  /** Returns whether the response to the request of a work is long. */
  isLong(work: Work): boolean
  /**
   * Reserves memory for characters of the current response.
   * @throws rest_unavailable
   */
  take(characters: number): void
  /** @throws rest_answer_too_large for more characters than a response can have */
  check(characters: number): void
  /** Encodes the body of a long response in pieces, and lets other requests run in between. */
  encode(data: unknown): Awaitable<readonly Buffer[]>
  /** Releases the memory of a request after its response is sent, or its client has left. */
  release(work: Work): void
}

/** Used if no plugin limits responses: no response is long. */
export const unbounded: ResponseBudget = {
  isLong: () => false,
  take: () => {},
  check: () => {},
  encode: (data) => [Buffer.from(JSON.stringify(data))],
  release: () => {},
}
