import { syncFilter, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'
import type { Asker } from './outgoing.ts'

/** A request as it is about to be sent. */
export interface OutgoingHop {
  readonly method: string
  readonly url: string
  /** How many redirects were followed to it. */
  readonly redirects: number
  /** The user who causes the request, or `site`. */
  readonly asker: Asker
}

/** The hooks of requests to other servers. */
interface OutgoingHooks {
  /**
   * Filter: the headers of a request to another server, by their names in lower case, before each request that is sent,
   * after redirects too. A tap may add some for a host, or refuse the request by throwing. Redirects to another origin have
   * lost those that might be secret: look at the URL before you add any. @since 0.1.0
   */
  outgoing_request_headers: SyncFilter<Readonly<Record<string, string>>, [hop: OutgoingHop]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends OutgoingHooks {}
}

export const outgoingHooks: HookSpecs<OutgoingHooks> = {
  outgoing_request_headers: syncFilter('headers', 'hop'),
}
