import type { Awaitable } from '../awaitable.ts'
import type { RestRequest } from './request.ts'
import type { RestResponse, Server } from './response.ts'

/** Entity tags and preconditions. The plugin `conditional` provides this as the service `conditional`. */
export interface ConditionalRequests {
  /**
   * Calls a handler if the preconditions of its request (`If-Match` …) are met.
   * @throws rest_precondition_failed
   */
  run(server: Server, request: RestRequest, act: () => Awaitable<unknown>): Awaitable<unknown>
  /** Sets the `ETag` of a response to a read. @param text the encoded body */
  tag(response: RestResponse, text: string | readonly Buffer[]): Awaitable<void>
}

/** Replaces the plugin `conditional` if it is switched off: ignores preconditions, and sets no entity tags. */
export const unconditional: ConditionalRequests = {
  run: (_server, _request, act) => act(),
  tag: () => {},
}
