import { AsyncLocalStorage } from 'node:async_hooks'
import { definePlugin, syncAction, type HookSpecs, type RestRequest, type SyncAction } from '../../kernel/index.ts'

/** Reports deprecated functions and parameters that were used while a request was handled. */
export interface Deprecation {
  /**
   * Reports a call of a deprecated function.
   * @param name name of the function
   * @param version version that deprecated it
   * @param replacement function to call instead
   */
  deprecatedFunction(name: string, version: string, replacement?: string): void
  /**
   * Reports a deprecated parameter.
   * @param name name of the function or route that has the parameter
   * @param version version that deprecated it
   * @param message what to do instead
   */
  deprecatedParam(name: string, version: string, message?: string): void
}

/** Hooks of deprecated uses. */
interface DeprecationHooks {
  /** Action: a deprecated function was called. @since 0.1.0 */
  deprecated_function_run: SyncAction<[name: string, replacement: string | null, version: string]>
  /** Action: a deprecated parameter was used. @since 0.1.0 */
  deprecated_argument_run: SyncAction<[name: string, message: string | null, version: string]>
}

declare module '../../kernel/index.ts' {
  interface Services {
    /**
     * Reports uses of deprecated functions and parameters.
     * @example
     * services.deprecation.deprecatedFunction('garden.water', '2.0.0', 'garden.pour')
     */
    deprecation: Deprecation
  }
  interface Hooks extends DeprecationHooks {}
}

export interface DeprecationOptions {
  /** Whether the headers are also sent without debug mode, as in revision 4.4. */
  always: boolean
}

/** Reports deprecated uses to clients and plugin authors in headers and log lines (specification 4.7). */
export default definePlugin<DeprecationOptions>({
  name: 'deprecation',
  provides: ['deprecation'],
  options: { always: { default: false, type: 'boolean' } },
  hooks: {
    deprecated_function_run: syncAction('name', 'replacement', 'version'),
    deprecated_argument_run: syncAction('name', 'message', 'version'),
  } satisfies HookSpecs<DeprecationHooks>,
  apply({ hooks, config, branding, provide, log }, { always }) {
    /** Deprecated uses of the current request. */
    const used = new AsyncLocalStorage<DeprecatedUse[]>()
    const byRequest = new WeakMap<RestRequest, DeprecatedUse[]>()
    const record = (header: string, value: string) => {
      if (config.debug) log.warn({ header, value }, 'a deprecated function or parameter was used')
      used.getStore()?.push({ header: branding.header(header), value: headerSafe(value) })
    }
    provide('deprecation', {
      deprecatedFunction(name, version, replacement) {
        hooks.deprecated_function_run.call(name, replacement ?? null, version)
        const alternative = replacement === undefined ? 'no alternative available' : `use ${replacement} instead`
        record('DeprecatedFunction', `${name} (since ${version}; ${alternative})`)
      },
      deprecatedParam(name, version, message) {
        hooks.deprecated_argument_run.call(name, message ?? null, version)
        record('DeprecatedParam', `${name} (since ${version}; ${message ?? 'no alternative available'})`)
      },
    })
    if (!config.debug && !always) return
    // Collects uses in the async context of the request from here on.
    hooks.determine_current_user.tap({ name: 'deprecation', stage: -1000 }, (user, request) => {
      const uses: DeprecatedUse[] = []
      byRequest.set(request, uses)
      used.enterWith(uses)
      return user
    })
    // After taps that set headers themselves. Later uses come too late for the headers.
    hooks.rest_pre_serve_request.tap(
      { name: 'deprecation', stage: 1000 },
      (served, { request, response: { headers } }) => {
        for (const { header, value } of byRequest.get(request) ?? []) headers.append(header, value)
        return served
      },
    )
  },
})

/** A deprecated use as a header. */
interface DeprecatedUse {
  readonly header: string
  readonly value: string
}

/** Encodes characters that a header cannot contain. */
function headerSafe(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]/gu, (mark) => encodeURIComponent(mark))
}
