import type { Logger } from 'pino'
import type { Branding } from './branding.ts'
import type { SecretKey, SiteConfig } from './site-config.ts'
import type { Hooks, PluginHooks } from './hooks/hook.ts'
import type { Owner } from './ownership.ts'
import type { RestServer } from './rest/server.ts'
import type { ArgumentSchema } from './rest/arguments.ts'
import type { Urls } from './urls.ts'
import type { WorkerPlace } from './worker-place.ts'

/** Typed services by name, which plugins provide to each other. Plugins merge theirs in. */
// oxlint-disable-next-line typescript/no-empty-object-type -- the merge target of plugins
export interface Services {}

/** What a value in the config is checked for: draft 7 of JSON Schema. What is for programs of your own begins with `x-`. */
export type OptionKeywords = Omit<
  ArgumentSchema,
  | 'items'
  | 'properties'
  | 'patternProperties'
  | 'additionalProperties'
  | 'anyOf'
  | 'oneOf'
  | 'required'
  | 'exclusiveMinimum'
  | 'exclusiveMaximum'
  | 'size_limits'
  | 'hidden'
  | 'validate_callback'
  | 'sanitize_callback'
> & {
  items?: OptionPart
  properties?: Record<string, OptionPart>
  patternProperties?: Record<string, OptionPart>
  additionalProperties?: boolean | OptionPart
  anyOf?: readonly OptionPart[]
  oneOf?: readonly OptionPart[]
  allOf?: readonly OptionPart[]
  not?: OptionPart
  if?: OptionPart
  then?: OptionPart
  else?: OptionPart
  contains?: OptionPart
  propertyNames?: OptionPart
  const?: unknown
  examples?: readonly unknown[]
  /** Names of the properties that an object must have. */
  required?: readonly string[]
  exclusiveMinimum?: number
  exclusiveMaximum?: number
}

/** The schema of a part of an option. */
export interface OptionPart extends OptionKeywords {
  /** Whether this part is secret, as an option may be. */
  secret?: boolean
}

/** The schema of one option with its default; the compiler asks for one per option. */
export type OptionSchema<T> = OptionKeywords & {
  default: T
  /**
   * Whether the value is secret: it is hidden where options are shown, in the log and in errors, and the config may say
   * where it is: `{ "env": "NAME" }` or `{ "file": "PATH" }`. Parts of a value may be secret, too: say so in their schemas.
   */
  secret?: boolean
}

/** What a plugin is given when it is applied. Hosts add members, and merge their types in. */
export interface PluginContext {
  /** The plugin's name. */
  readonly name: string
  readonly hooks: Hooks
  /** The services of the plugins it needs. Throws SERVICE_NOT_NEEDED for one of a plugin it does not name in `needs`. */
  readonly services: Readonly<Services>
  readonly config: Readonly<SiteConfig>
  readonly branding: Branding
  readonly urls: Urls
  readonly log: Logger
  /**
   * Which of the processes that serve the site this is. Each runs every plugin: what one of them alone has to do is
   * a job, or, where it need not survive that process, may run where `worker.number` is 1.
   */
  readonly worker: WorkerPlace
  readonly server: RestServer
  /** Provides a service to the plugins that need this one. */
  provide<K extends keyof Services>(this: void, name: K, service: Services[K]): void
  /**
   * Undoes what no registry undoes by itself: a timer, a connection, a file handle.
   * @param label what it undoes, as `svc plugins NAME --owned` lists it: `timer of the feed`
   */
  onRemove(this: void, undo: () => void | Promise<void>, label?: string): void
  /** Shuts the site down, because it cannot go on: its database is gone. The message is for the operator. */
  giveUp(this: void, reason: Error): void
  /**
   * Removes the taps of a name from a hook, whoever made them, also while the hook runs: a run that is under way ends with
   * the taps it began with.
   * @returns how many were removed
   * @throws HOOK_UNKNOWN
   */
  untap(this: void, hook: string, tap: string): number
  /** Whether a plugin of this name runs; for those named in `after` or `uses`. */
  has(this: void, plugin: string): boolean
}

/**
 * One step that creates or changes a plugin's tables. It runs once for each database, in a transaction. A step that has
 * run must not change: add further steps after it. The plugin that provides the database merges its keys in.
 */
export interface Migration {
  /** Unique among the plugin's steps. */
  readonly name: string
}

/** A plugin: its name, what it needs, its options, and what it does. */
export interface PluginDefinition<O extends object = Record<never, never>> {
  readonly name: string
  /** What it does, in a sentence, for those who look at the plugins of the site. */
  readonly description?: string
  /** Names that it had before: a config and the lists of other plugins may still use them, which is logged once. */
  readonly formerNames?: readonly string[]
  /** Names that its services had before, with the current ones: `{ keptPages: 'responseCache' }`. */
  readonly formerServices?: Readonly<Record<string, keyof Services>>
  /** Version of the interface that brought what a default plugin does, such as `6.5`: earlier revisions leave it out. */
  readonly since?: string
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
  /** Names of the services that it provides: what takes its place and lacks one of them is told at the start. */
  readonly provides?: readonly (keyof Services)[]
  /** Hooks that it owns: `{ rest_pre_insert_comment: filter('comment', 'request') }`. */
  readonly hooks?: PluginHooks
  /**
   * What makes its tables, in this order: each runs once for each database, before `apply`. Names of tables and indexes
   * begin with the plugin's name and two underscores: `garden__plants`. Needs the plugin `store`.
   */
  readonly migrations?: readonly Migration[]
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

/** A plugin under the name that others need it by, with its options as configured. Hosts add members. */
export interface ConfiguredPlugin {
  /** The name others need it by: that of the default it replaces, else its own. */
  readonly slot: string
  readonly definition: AnyPlugin
  readonly options: Record<string, unknown>
  /** The default whose place it takes. */
  readonly replaces?: AnyPlugin
}

/** A plugin that has been applied. */
export interface RunningPlugin extends ConfiguredPlugin {
  readonly owner: Owner
}

/** Returns the current names of plugins and services by their former ones, and other names as they are. */
export interface FormerNames {
  plugin(name: string, user: string): string
  service(name: string, user: string, provider?: string): string
}
