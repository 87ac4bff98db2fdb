import { AsyncLocalStorage } from 'node:async_hooks'
import type { RestServer } from '../rest/server.ts'
import { trace, tracing } from '../tracing.ts'
import type { Call } from './call.ts'

/** Handles an outside request, and tells the subscribers of `svc-rest:request` until it is over. */
export function traceCall({ hooks: site }: RestServer, call: Call, act: () => void): void {
  const { id, incoming, outgoing } = call
  const { method = 'GET', url = '/' } = incoming
  // Whatever ran when it came, an outside request is part of nothing.
  const told = { parent: null, site, from: 'outside' as const, id, method, url }
  const unknown = { route: null, user: null, status: null, isKept: false }
  void trace(tracing.request, { ...told, ...unknown }, async (span) => {
    const { promise, resolve: over } = Promise.withResolvers<void>()
    call.trace = { over, run: AsyncLocalStorage.snapshot() }
    act()
    await promise
    span.route = call.route
    span.user = call.user
    span.isKept = call.isKept
    // A client that left before has seen none.
    span.status = outgoing.headersSent ? outgoing.statusCode : null
  })
}
