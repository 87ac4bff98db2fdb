import type { HookMap } from 'tapable'
import type { Hooks, PluginHooks } from './hooks/hook.ts'
import type { Any } from './hooks/any.ts'
import { noOwnerAdvice, type Owner, type OwnerAdvice } from './ownership.ts'
import type { ArgumentChecker } from './rest/arguments.ts'
import type { Registered } from './rest/routes.ts'

/**
 * Finds mistakes of plugin authors: it refuses wrong registrations, and logs those that the author surely did not mean.
 * Hosts pass one to the kernel. Without one, a mistake shows up later, where its value is used.
 */
export interface Advice extends OwnerAdvice {
  /** Hooks that the advice fires. The kernel declares them. */
  readonly hooks: PluginHooks
  /** Checks a route before it is created. @throws ROUTE_INVALID */
  checkRoute(namespace: string, path: string, given: unknown, override: boolean, checker: ArgumentChecker): void
  /** Logs what is doubtful about a new route. @param given the namespace as it is written */
  routeAdded(entry: Registered, given: string, registered: Iterable<Registered>, isInitialising: boolean): void
  /** Checks the result of a handler. @throws HANDLER_RETURNED_WRONG, PROMISE_IN_RESPONSE */
  checkResult(result: unknown, owner: Owner | undefined, method: string, pattern: string): void
  /** Logs that a plugin removes a tap that does not exist. */
  nothingUntapped(plugin: string, hook: string, tap: string, hooks: Hooks): void
  /** Creates families of hooks that refuse to be used as a hook. */
  createFamily?(this: void, create: (key: string) => Any, name: string): HookMap<Any>
  /** Returns the error for a hook that no plugin declares; null for the usual one. @param written the name as the plugin writes it */
  missingHook(this: void, name: string, written: string, known: readonly string[]): Error | null
  /** Returns the end of a sentence about a service that no plugin provides. */
  missingService(name: string, known: readonly string[]): string
}

const NOTHING = () => {}

/** Accepts everything: the advice of a kernel that is given none. */
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
