import type { ServerResponse } from 'node:http'
import type { Awaitable } from '../awaitable.ts'
import type { Call } from './call.ts'
import type { SitePage } from './pages.ts'

/** Runs hooks at the arrival and at the end of requests. The plugin `request-hooks` provides it as a service. */
export interface RequestHooks {
  /** Whether any hook has taps; otherwise the server skips the hooks, which is faster. */
  readonly areUsed: boolean
  /**
   * Runs the hook for an arrived request, and later those for its end. Rejects with the error of a tap that refuses the
   * request.
   * @returns the response of a tap; null if the request continues
   */
  begin(call: Call): Awaitable<SitePage | null>
  /** Merges the headers already set on `outgoing` into a head of alternating names and values, and returns it. */
  headOf(this: void, outgoing: ServerResponse, head: string[]): string[]
  /** Waits until the hooks of all requests have ended. */
  finish(): Awaitable<void>
}

/** Replaces the plugin `request-hooks` if it is switched off. */
export const noRequestHooks: RequestHooks = {
  areUsed: false,
  begin: () => null,
  headOf: (_outgoing, head) => head,
  finish: () => {},
}
