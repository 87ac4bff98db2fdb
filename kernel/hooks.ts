import { action, syncFilter, type Action, type HookSpec, type HookSpecs, type SyncFilter } from './hooks/hook.ts'
import { dispatchHooks } from './rest/hooks.ts'
import type { RestServer } from './rest/server.ts'

/** The hooks of start, stop and URLs. */
interface KernelHooks {
  /** Filter: the class of the server, before it is instantiated. @since 0.1.0 */
  svc_rest_server_class: SyncFilter<typeof RestServer>
  /** Filter: first path segment of the REST API. @since 0.1.0 */
  rest_url_prefix: SyncFilter<string>
  /** Filter: a URL that the URL builder has built. @since 0.1.0 */
  rest_url: SyncFilter<string, [path: string, blogId: number | null, scheme: string]>
  /**
   * Action: the site is about to be served at this home URL. This process answers no request until all taps have ended,
   * so a tap must not wait for a response of the site. If a tap fails, the server does not start. @since 0.1.0
   */
  server_starting: Action<[home: string]>
  /** Action: the server accepts requests. @since 0.1.0 */
  server_listening: Action<[home: string]>
  /**
   * Action: this worker was blocked, another worker has replaced it, and it has stopped accepting requests. It ends
   * after all taps: a tap waits for work in progress that takes longer than a request, and starts no new work.
   * `server_stopping` follows, or interrupts it if the whole site stops. @since 0.1.0
   */
  server_finishing: Action
  /** Action: the server has stopped accepting requests, and has finished the requests in progress. @since 0.1.0 */
  server_stopping: Action
}

declare module './hooks/hook.ts' {
  interface Hooks extends KernelHooks {}
}

const isText = (value: unknown) => typeof value === 'string'

const ownHooks: HookSpecs<KernelHooks> = {
  svc_rest_server_class: { ...syncFilter('class'), lasting: true },
  rest_url_prefix: { ...syncFilter('prefix'), lasting: true, accepts: isText },
  rest_url: { ...syncFilter('url', 'path', 'blogId', 'scheme'), accepts: isText },
  server_starting: { ...action('home'), starting: true, owning: true },
  server_listening: { ...action('home'), owning: true },
  server_finishing: action(),
  server_stopping: action(),
}

export const kernelHooks: Readonly<Record<string, HookSpec>> = {
  ...ownHooks,
  ...dispatchHooks,
}
