import type { ServerResponse } from 'node:http'
import type { Awaitable } from '../awaitable.ts'
import type { Call } from './call.ts'
import type { SitePage } from './pages.ts'

/** Runs hooks when a request has arrived, and when it is over. The plugin `request-hooks` provides it as a service. */
export interface RequestHooks {
  /** Whether it has to see requests: a server on which it does not is faster. */
  readonly areUsed: boolean
  /**
   * Begins a request, whose end it will notice. The promise rejects with the error of a tap that refuses the request.
   * @returns the response to it; null if the request goes on
   */
  begin(call: Call): Awaitable<SitePage | null>
  /** Returns a head, as names and values in turn, with the `responseHeaders` of the call, which are set already. */
  headOf(this: void, outgoing: ServerResponse, head: string[]): string[]
  /** Waits until the hooks of all requests have ended. */
  finish(): Awaitable<void>
}

/** Stands in for the plugin `request-hooks` where it does not run. */
export const noRequestHooks: RequestHooks = {
  areUsed: false,
  begin: () => null,
  headOf: (_outgoing, head) => head,
  finish: () => {},
}
