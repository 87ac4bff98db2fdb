import type { IncomingMessage } from 'node:http'
import { chain, type Awaitable } from '../awaitable.ts'
import type { KeptResponse } from '../rest/response-keeper.ts'
import type { RestServer } from '../rest/server.ts'
import { trace, tracing } from '../tracing.ts'
import type { Call } from './call.ts'

/** Handles an outside request, and tells the subscribers of `svc-rest:request`. */
export function traceCall({ hooks: site }: RestServer, call: Call, act: () => Awaitable<void>): Awaitable<void> {
  const { id, incoming, outgoing } = call
  const told = { site, from: 'outside' as const, id, ...outlineOf(incoming), route: null, user: null, status: null }
  return trace(tracing.request, told, (span) =>
    chain(act(), () => {
      span.route = call.request?.matchedRoute ?? null
      span.user = call.request?.user ?? call.user
      // A client that left before has seen none.
      span.status = outgoing.headersSent ? outgoing.statusCode : null
    }),
  )
}

/** The same for a request whose response is there as a whole. */
export function traceKept(
  { hooks: site }: RestServer,
  incoming: IncomingMessage,
  { status }: KeptResponse,
  write: () => void,
): void {
  const told = { site, from: 'cache' as const, id: '', ...outlineOf(incoming), route: null, user: null, status }
  void trace(tracing.request, told, write)
}

/** Whatever ran when it was its turn, an outside request is part of nothing. */
function outlineOf({ method = 'GET', url = '/' }: IncomingMessage) {
  return { parent: null, method, url }
}
