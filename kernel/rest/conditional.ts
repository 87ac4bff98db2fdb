import type { Awaitable } from '../awaitable.ts'
import type { RestRequest } from './request.ts'
import type { RestResponse, Server } from './response.ts'

/** Entity tags of responses and conditions of writes. The plugin `conditional` provides them as the service `conditional`. */
export interface ConditionalRequests {
  /**
   * Calls a handler if the conditions of its request (`If-Match` …) hold.
   * @throws rest_precondition_failed
   */
  run(server: Server, request: RestRequest, act: () => Awaitable<unknown>): Awaitable<unknown>
  /** Sets the `ETag` of a response to a read. @param text the encoded body */
  tag(response: RestResponse, text: string | readonly Buffer[]): Awaitable<void>
}

/** Stands in for the plugin `conditional` where it does not run: conditions are ignored, and responses get no entity tag. */
export const unconditional: ConditionalRequests = {
  run: (_server, _request, act) => act(),
  tag: () => {},
}
