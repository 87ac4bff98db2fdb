import {
  action,
  definePlugin,
  filter,
  HeaderMap,
  type Action,
  type Filter,
  type HookSpecs,
  type RequestHooks,
  type SitePage,
} from '../../../kernel/index.ts'
import { RequestEvents } from './request-events.ts'
import type { ReceivedRequest, SentResponse } from './received-request.ts'

export type { ReceivedRequest, SentResponse } from './received-request.ts'

/** The first hook of every request, and the last one. */
interface EveryRequestHooks {
  /**
   * Filter: the response to a request that has just arrived, for REST, pages and files alike; null goes on. Nothing else has
   * been done yet: no route, no user, no body, no kept response. A tap refuses by throwing an error for clients, and may have
   * headers added to whatever response there will be. @since 0.1.0
   */
  request_received: Filter<SitePage | null, [request: ReceivedRequest], 'method'>
  /**
   * Action: the last byte of a response has left, or its client has: once for each request that `request_received` was run
   * for, also where it was refused. Taps wait for nobody and nobody waits for them; their failures are logged. @since 0.1.0
   */
  response_sent: Action<[sent: SentResponse, request: ReceivedRequest], 'method'>
}

const everyRequestHooks: HookSpecs<EveryRequestHooks> = {
  request_received: {
    ...filter('page', 'request'),
    about: { method: (_page, { method }) => method },
    accepts: (page) => page === null || (page as Partial<SitePage>).headers instanceof HeaderMap,
    lasting: true,
    failsAlone: (_page, { id }: ReceivedRequest) => ({ request: id }),
  },
  response_sent: {
    ...action('sent', 'request'),
    about: { method: ({ method }) => method },
    lasting: true,
    failsAlone: ({ id }: SentResponse) => ({ request: id }),
  },
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /** Runs the hooks of every request: the kernel calls it. */
    requestHooks: RequestHooks
  }
  interface Hooks extends EveryRequestHooks {}
}

/** Lets plugins respond to requests when they arrive, refuse them, and notice when their responses have been sent. */
export default definePlugin({
  name: 'request-hooks',
  provides: ['requestHooks'],
  hooks: everyRequestHooks,
  apply(plugin) {
    plugin.provide('requestHooks', new RequestEvents(plugin))
  },
})
