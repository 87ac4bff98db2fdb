import { syncFilter, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'
import type { Requester } from './outgoing.ts'

/** A request about to be sent. */
export interface OutgoingHop {
  readonly method: string
  readonly url: string
  /** Number of redirects followed so far. */
  readonly redirects: number
  /** The user who causes the request, or `site`. */
  readonly requester: Requester
  /** @deprecated Use `requester`. */
  readonly asker?: Requester
}

interface OutgoingHooks {
  /**
   * Filter: the headers of a request to another server, by lower-case name, before each request including redirects. A
   * tap can add headers for a host, or reject the request by throwing. Redirects to another origin lose headers that
   * can be secret: check the URL before adding any. @since 0.1.0
   */
  outgoing_request_headers: SyncFilter<Readonly<Record<string, string>>, [hop: OutgoingHop]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends OutgoingHooks {}
}

export const outgoingHooks: HookSpecs<OutgoingHooks> = {
  outgoing_request_headers: syncFilter('headers', 'hop'),
}
