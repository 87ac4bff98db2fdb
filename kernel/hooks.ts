import { action, syncFilter, type Action, type HookSpec, type HookSpecs, type SyncFilter } from './hooks/hook.ts'
import { dispatchHooks } from './rest/hooks.ts'
import type { RestServer } from './rest/server.ts'

/** The hooks of the start, of the end, and of URLs. */
interface KernelHooks {
  /** Filter: the class of the server, before it is made. @since 0.1.0 */
  svc_rest_server_class: SyncFilter<typeof RestServer>
  /** Filter: first path segment of the REST API. @since 0.1.0 */
  rest_url_prefix: SyncFilter<string>
  /** Filter: a URL that the URL builder made. @since 0.1.0 */
  rest_url: SyncFilter<string, [path: string, blogId: number | null, scheme: string]>
  /**
   * Action: the site is about to be served at this home URL. The port is open, and requests wait until every tap has ended:
   * a tap must not send a request to the site itself. If a tap fails, the server does not start. @since 0.1.0
   */
  server_starting: Action<[home: string]>
  /** Action: the server accepts requests. @since 0.1.0 */
  server_listening: Action<[home: string]>
  /**
   * Action: this process has stopped accepting requests and ends once every tap has: a tap waits for work in progress that
   * takes longer than a request, and begins no other. It runs in a worker that was blocked and whose place another one has
   * taken. `server_stopping` follows, or interrupts it when the whole site stops. @since 0.1.0
   */
  server_finishing: Action
  /** Action: the server stops: no new requests; those under way are finished. @since 0.1.0 */
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

/** Every hook of the kernel, as it is declared. */
export const kernelHooks: Readonly<Record<string, HookSpec>> = {
  ...ownHooks,
  ...dispatchHooks,
}
