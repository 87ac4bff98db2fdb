import { definePlugin, shareOf } from '../../../kernel/index.ts'
import { AllowList } from './allow-list.ts'
import { OutgoingClient } from './client.ts'
import { systemLookup } from './guard.ts'
import { outgoingHooks } from './hooks.ts'
import { loggedFor } from './logged-for.ts'
import type { Outgoing } from './outgoing.ts'

export { AllowList } from './allow-list.ts'
export type { OutgoingHop } from './hooks.ts'
export type { Requester, Outgoing, OutgoingOptions, OutgoingResponse } from './outgoing.ts'
export type { OutgoingSpan } from './tracing.ts'
export { isTooOften } from './user-limit.ts'

/** Allowed targets and limits of requests to other servers. */
export interface OutgoingPluginOptions {
  /**
   * Hosts and networks that are allowed besides the public internet: `cms.internal`, `*.internal`, `10.0.0.0/8`, each
   * with a port if it is not one of `ports`: `127.0.0.1:3000`, `[::1]:3000`, `10.0.0.0/8:*`.
   */
  allow: readonly string[]
  /** Allowed ports. */
  ports: readonly number[]
  /** Maximum milliseconds of a request with its redirects and body, unless the request sets its own timeout. */
  time: number
  /** Maximum bytes of a decompressed body, unless the request sets its own size. */
  size: number
  /**
   * Number of concurrent requests. Workers divide `concurrency`, `per_origin` and `per_user` equally; each worker gets at
   * least 1.
   */
  concurrency: number
  /** Number of concurrent requests to one host and port. */
  per_origin: number
  /** Number of requests that one user can cause per minute. */
  per_user: number
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Requests to other servers, protected against access to private networks and limited in time and size.
     * @example
     * const { status } = await services.outgoing.request('https://api.example/', { requester: 'site', method: 'POST', body:
     * '{}' })
     */
    outgoing: Outgoing
  }
}

/** Sends requests of all plugins to public addresses and to addresses that the site allows. */
export default definePlugin<OutgoingPluginOptions>({
  name: 'outgoing',
  provides: ['outgoing'],
  hooks: outgoingHooks,
  formerOptions: { at_once: 'concurrency' },
  options: {
    allow: { default: [], type: 'array', items: { type: 'string', minLength: 1 } },
    ports: { default: [80, 443], type: 'array', items: { type: 'integer', minimum: 1, maximum: 65_535 } },
    time: { default: 30_000, type: 'integer', minimum: 1, maximum: 3_600_000 },
    size: { default: 10_000_000, type: 'integer', minimum: 0 },
    concurrency: { default: 50, type: 'integer', minimum: 1, maximum: 10_000 },
    per_origin: { default: 10, type: 'integer', minimum: 1, maximum: 10_000 },
    per_user: { default: 60, type: 'integer', minimum: 1, maximum: 10_000 },
  },
  apply(
    { hooks, log, onRemove, provide, urls, worker },
    { allow, ports, time, size, concurrency, per_origin: perOrigin, per_user: perUser },
  ) {
    // Reports an invalid option at the start instead of at the first request.
    void new AllowList(allow, ports)
    const reach = { allow, ports, home: () => urls.home, lookup: systemLookup }
    const client = new OutgoingClient(
      reach,
      {
        time,
        size,
        concurrency: shareOf(concurrency, worker),
        perOrigin: shareOf(perOrigin, worker),
        perUser: shareOf(perUser, worker),
      },
      hooks,
    )
    provide('outgoing', Object.assign(client, { forPlugin: (name: string) => loggedFor(client, name, log) }))
    onRemove(() => client.stop(), 'requests to other servers')
  },
})
