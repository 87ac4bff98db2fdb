import type { Logger } from 'pino'
import type { Branding } from './branding.ts'
import type { SecretKey, SiteConfig } from './config-keys.ts'
import type { Hooks, PluginHooks } from './hooks/hook.ts'
import type { Owner } from './ownership.ts'
import type { RestServer } from './rest/server.ts'
import type { Urls } from './urls.ts'
import type { WorkerPlace } from './worker-place.ts'

/** Typed services by name, which plugins provide to each other. Plugins merge theirs in. */
// oxlint-disable-next-line typescript/no-empty-object-type -- the merge target of plugins
export interface Services {}

/** The schema of one option with its default; the compiler asks for one per option. */
export type OptionSchema<T> = {
  default: T
  description?: string
  /**
   * Whether the value is secret: it is hidden where options are shown, in the log and in errors, and the config may say
   * where it is: `{ "env": "NAME" }` or `{ "file": "PATH" }`. Parts of a value may be secret, too: say so in their schemas.
   */
  secret?: boolean
  [keyword: string]: unknown
}

/** What a plugin is given when it is applied. */
export interface PluginContext {
  /** The plugin's name. */
  readonly name: string
  readonly hooks: Hooks
  /** The services of the plugins it needs. Throws SERVICE_NOT_NEEDED for one of a plugin it does not name in `needs`. */
  readonly services: Services
  readonly config: Readonly<SiteConfig>
  readonly branding: Branding
  readonly urls: Urls
  readonly log: Logger
  /**
   * Which of the processes that serve the site this is. Each runs every plugin: what must not run in all of them at once,
   * such as a timer that sends mail, may run where `worker.number` is 1.
   */
  readonly worker: WorkerPlace
  readonly server: RestServer
  /** Provides a service to the plugins that need this one. */
  provide<K extends keyof Services>(this: void, name: K, service: Services[K]): void
  /** Undoes what no registry undoes by itself: a timer, a connection, a file handle. */
  onRemove(this: void, undo: () => void | Promise<void>): void
  /** Shuts the site down, because it cannot go on: its database is gone. The message is for the operator. */
  giveUp(this: void, reason: Error): void
  /**
   * Removes the taps of a name from a hook, whoever made them, also while the hook runs: a run that is under way ends with
   * the taps it began with. They are back when their plugin starts again.
   * @returns how many were removed
   * @throws HOOK_UNKNOWN
   */
  untap(this: void, hook: string, tap: string): number
  /** Whether a plugin of this name runs; for those named in `after` or `uses`. */
  has(this: void, plugin: string): boolean
}

/** A plugin: its name, what it needs, its options, and what it does. */
export interface PluginDefinition<O extends object = Record<never, never>> {
  readonly name: string
  /** Plugins that must run, and start before. */
  readonly needs?: readonly string[]
  /** Plugins that start before, if they run. Their services may be used after asking `has`. */
  readonly after?: readonly string[]
  /**
   * Plugins whose services it uses, if they run (ask `has`): in requests, never in `apply`. They may start before or
   * after, so that two plugins may use each other.
   */
  readonly uses?: readonly string[]
  readonly options?: { readonly [K in keyof O]-?: OptionSchema<O[K]> }
  /** Config keys whose secrets it is given; other plugins see these keys without. */
  readonly secrets?: readonly SecretKey[]
  /** Seconds that `apply`, or a tap of a hook of the start, may take; 30 by default. The start fails after that. */
  readonly deadline?: number
  /** Hooks that it owns: `{ rest_pre_insert_comment: filter('comment', 'request') }`. */
  readonly hooks?: PluginHooks
  apply(context: PluginContext, options: O): void | Promise<void>
}

// oxlint-disable-next-line typescript/no-explicit-any -- a list of plugins holds any options
export type AnyPlugin = PluginDefinition<any>

/** Defines a plugin. Gives it back as it is; the types of its options come from `O`. */
export function definePlugin<O extends object = Record<never, never>>(
  definition: PluginDefinition<O>,
): PluginDefinition<O> {
  return definition
}

/** A plugin under the name that others need it by, with its options as configured. */
export interface ConfiguredPlugin {
  /** The name others need it by: that of the default it replaces, else its own. */
  readonly slot: string
  readonly definition: AnyPlugin
  readonly options: Record<string, unknown>
}

/** A plugin that has been applied. */
export interface RunningPlugin extends ConfiguredPlugin {
  readonly owner: Owner
}
