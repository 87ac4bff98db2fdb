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

/** The first and the last hook of every request. */
interface EveryRequestHooks {
  /**
   * Filter: the response to a request that has just arrived, for REST, pages and files alike; null continues. Runs
   * before routing, authentication, body parsing and the response cache. A tap can refuse the request by throwing an
   * error for clients, and can add headers to the response through `responseHeaders`. @since 0.1.0
   */
  request_received: Filter<SitePage | null, [request: ReceivedRequest], 'method'>
  /**
   * Action: the response has been sent completely, or the client has disconnected. Runs once for each request for which
   * `request_received` ran, including refused ones. Taps run concurrently and do not delay the server; their failures
   * are logged. @since 0.1.0
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
    /** Runs the first and the last hook of every request. Called by the kernel. */
    requestHooks: RequestHooks
  }
  interface Hooks extends EveryRequestHooks {}
}

/** Runs hooks in which plugins respond to a request on arrival, refuse it, or act after the response is sent. */
export default definePlugin({
  name: 'request-hooks',
  provides: ['requestHooks'],
  hooks: everyRequestHooks,
  apply(plugin) {
    plugin.provide('requestHooks', new RequestEvents(plugin))
  },
})
