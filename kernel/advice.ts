import type { HookMap } from 'tapable'
import type { Hooks, PluginHooks } from './hooks/hook.ts'
import type { Any } from './hooks/any.ts'
import { noOwnerAdvice, type Owner, type OwnerAdvice } from './ownership.ts'
import type { ArgumentChecker } from './rest/arguments.ts'
import type { Registered } from './rest/routes.ts'

/**
 * Finds mistakes of plugin authors: refuses wrong registrations, and logs registrations that are probably unintended.
 * Hosts pass it to the kernel. Without it, mistakes only show when the registered value is used.
 */
export interface Advice extends OwnerAdvice {
  /** Hooks that the advice runs. The kernel declares them. */
  readonly hooks: PluginHooks
  /** Checks a route before it is created. @throws ROUTE_INVALID */
  checkRoute(namespace: string, path: string, definition: unknown, override: boolean, checker: ArgumentChecker): void
  /** Logs warnings about a new route. @param rawNamespace the namespace as the plugin passed it */
  routeAdded(entry: Registered, rawNamespace: string, registered: Iterable<Registered>, isInitialising: boolean): void
  /** Checks the result of a handler. @throws HANDLER_RETURNED_WRONG, PROMISE_IN_RESPONSE */
  checkResult(result: unknown, owner: Owner | undefined, method: string, pattern: string): void
  /** Logs an attempt to remove a tap that does not exist. */
  nothingUntapped(plugin: string, hook: string, tap: string, hooks: Hooks): void
  /** Creates families of hooks that throw if they are used as a hook. */
  createFamily?(this: void, create: (key: string) => Any, name: string): HookMap<Any>
  /** Returns the error for an undeclared hook; null for the default error. @param written the name as in the code */
  missingHook(this: void, name: string, written: string, hookNames: readonly string[]): Error | null
  /** Returns the end of the error message for a service that no plugin provides. */
  missingService(name: string, serviceNames: readonly string[]): string
}

const NOTHING = () => {}

/** Accepts everything; used by kernels without an advice. */
export const noAdvice: Advice = {
  ...noOwnerAdvice,
  hooks: {},
  checkRoute: NOTHING,
  routeAdded: NOTHING,
  checkResult: NOTHING,
  nothingUntapped: NOTHING,
  missingHook: () => null,
  missingService: () => '',
}
