import { AsyncLocalStorage } from 'node:async_hooks'
import { definePlugin, syncAction, type HookSpecs, type RestRequest, type SyncAction } from '../../kernel/index.ts'

/** Tells that something deprecated was used while a request was handled. */
export interface Deprecation {
  /**
   * A deprecated function was called.
   * @param name the function
   * @param version since when
   * @param replacement what to call instead, when there is something
   */
  deprecatedFunction(name: string, version: string, replacement?: string): void
  /**
   * A deprecated parameter was given.
   * @param name the function or route whose parameter it is
   * @param version since when
   * @param message what to do instead, when there is something
   */
  deprecatedParam(name: string, version: string, message?: string): void
}

/** The hooks of deprecated uses. */
interface DeprecationHooks {
  /** Action: a deprecated function was called. @since 0.1.0 */
  deprecated_function_run: SyncAction<[name: string, replacement: string | null, version: string]>
  /** Action: a deprecated parameter was given. @since 0.1.0 */
  deprecated_argument_run: SyncAction<[name: string, message: string | null, version: string]>
}

declare module '../../kernel/index.ts' {
  interface Services {
    /**
     * Where plugins tell that something deprecated was used.
     * @example
     * services.deprecation.deprecatedFunction('garden.water', '2.0.0', 'garden.pour')
     */
    deprecation: Deprecation
  }
  interface Hooks extends DeprecationHooks {}
}

export interface DeprecationOptions {
  /** Whether the headers are sent without debug mode too, as the earliest revision does. */
  always: boolean
}

/** Tells clients and plugin authors of deprecated uses: in headers and log lines (specification 4.7). */
export default definePlugin<DeprecationOptions>({
  name: 'deprecation',
  provides: ['deprecation'],
  options: { always: { default: false, type: 'boolean' } },
  hooks: {
    deprecated_function_run: syncAction('name', 'replacement', 'version'),
    deprecated_argument_run: syncAction('name', 'message', 'version'),
  } satisfies HookSpecs<DeprecationHooks>,
  apply({ hooks, config, branding, provide, log }, { always }) {
    /** What the request under way has used so far. */
    const used = new AsyncLocalStorage<Use[]>()
    const byRequest = new WeakMap<RestRequest, Use[]>()
    const record = (header: string, value: string) => {
      if (config.debug) log.warn({ header, value }, 'something deprecated was used')
      used.getStore()?.push({ header: branding.header(header), value: headerSafe(value) })
    }
    provide('deprecation', {
      deprecatedFunction(name, version, replacement) {
        hooks.deprecated_function_run.call(name, replacement ?? null, version)
        const what = replacement === undefined ? 'no alternative available' : `use ${replacement} instead`
        record('DeprecatedFunction', `${name} (since ${version}; ${what})`)
      },
      deprecatedParam(name, version, message) {
        hooks.deprecated_argument_run.call(name, message ?? null, version)
        record('DeprecatedParam', `${name} (since ${version}; ${message ?? 'no alternative available'})`)
      },
    })
    if (!config.debug && !always) return
    // What a request uses is collected from here on, through all that it awaits.
    hooks.determine_current_user.tap({ name: 'deprecation', stage: -1000 }, (user, request) => {
      const uses: Use[] = []
      byRequest.set(request, uses)
      used.enterWith(uses)
      return user
    })
    // Behind those who set headers themselves; what is used later finds the headers sent.
    hooks.rest_pre_serve_request.tap(
      { name: 'deprecation', stage: 1000 },
      (served, { request, response: { headers } }) => {
        for (const { header, value } of byRequest.get(request) ?? []) headers.append(header, value)
        return served
      },
    )
  },
})

/** One use of something deprecated, as a header tells it. */
interface Use {
  readonly header: string
  readonly value: string
}

/** Text that a header can carry, whatever a plugin calls its functions. */
function headerSafe(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]/gu, (mark) => encodeURIComponent(mark))
}
