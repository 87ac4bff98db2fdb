import type { Logger } from 'pino'
import type { Branding } from './branding.ts'
import type { SecretKey, SiteConfig } from './site-config.ts'
import type { Hooks, PluginHooks } from './hooks/hook.ts'
import type { Owner } from './ownership.ts'
import type { RestServer } from './rest/server.ts'
import type { ArgumentSchema } from './rest/arguments.ts'
import type { Urls } from './urls.ts'
import type { WorkerPlace } from './worker-place.ts'

/** The services that plugins provide to each other, by name. Plugins merge the types of their services in. */
// oxlint-disable-next-line typescript/no-empty-object-type -- the merge target of plugins
export interface Services {}

/** Keywords of draft 7 of JSON Schema that check a value of the config. Extensions of your own begin with `x-`. */
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
  | 'references'
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
  /** Whether this part is secret. See `secret` of `OptionSchema`. */
  secret?: boolean
}

/** The schema of an option with its default value. The compiler requires one per option. */
export type OptionSchema<T> = OptionKeywords & {
  default: T
  /**
   * Whether the value is secret. Secret values are hidden in lists of options, logs and errors, and the config can read
   * them from elsewhere: `{ "env": "NAME" }` or `{ "file": "PATH" }`. For a secret part of a value, set `secret` in its
   * schema.
   */
  secret?: boolean
}

/** The first argument of `apply`. Hosts add members, and merge their types in. */
export interface PluginContext {
  /** The plugin's name. */
  readonly name: string
  readonly hooks: Hooks
  /** The services of plugins in `needs`, `after` and `uses`; services of other plugins throw SERVICE_NOT_NEEDED. */
  readonly services: Readonly<Services>
  readonly config: Readonly<SiteConfig>
  readonly branding: Branding
  readonly urls: Urls
  readonly log: Logger
  /**
   * The position of this process among the workers of the site. Every worker runs every plugin. Work for a single
   * worker is a job, or runs if `worker.number` is 1 and it need not survive that process.
   */
  readonly worker: WorkerPlace
  readonly server: RestServer
  /** Provides a service to the plugins that need this plugin. */
  provide<K extends keyof Services>(this: void, name: K, service: Services[K]): void
  /**
   * Registers a function to call when the plugin is removed. Use it for timers, connections and file handles; hooks,
   * routes and other registrations are reverted automatically.
   * @param label name in the output of `svc plugins NAME --owned`: `timer of the feed`
   */
  onRemove(this: void, undo: () => void | Promise<void>, label?: string): void
  /** Shuts the site down because it cannot continue, such as without its database. The message is for the operator. */
  giveUp(this: void, reason: Error): void
  /**
   * Removes the taps with a name from a hook, also taps of other plugins. A run in progress continues with the taps
   * that it started with.
   * @returns the number of removed taps
   * @throws HOOK_UNKNOWN
   */
  untap(this: void, hook: string, tap: string): number
  /** Returns whether a plugin runs; for plugins in `after` or `uses`. */
  has(this: void, plugin: string): boolean
}

/**
 * A step that creates or changes tables of a plugin. It runs once per database, in a transaction. Do not change a step
 * that has run: add further steps after it. The plugin that provides the database merges its keys in.
 */
export interface Migration {
  /** Unique among the plugin's steps. */
  readonly name: string
}

/** The definition of a plugin, the argument of `definePlugin`. */
export interface PluginDefinition<O extends object = Record<never, never>> {
  readonly name: string
  /** One sentence that describes the plugin in lists of plugins. */
  readonly description?: string
  /** Former names of the plugin. Configs and other plugins may still use them, which is logged once. */
  readonly formerNames?: readonly string[]
  /** Former names of its services, with the current ones: `{ keptPages: 'responseCache' }`. */
  readonly formerServices?: Readonly<Record<string, keyof Services>>
  /** Former names of its options, with the current ones: `{ least: 'minBytes' }`. */
  readonly formerOptions?: Readonly<Record<string, keyof O & string>>
  /** Version of the REST API that introduced the feature, such as `6.5`; earlier revisions leave the plugin out. */
  readonly since?: string
  /** Plugins that it requires. They start before it. */
  readonly needs?: readonly string[]
  /** Optional plugins that start before it. Check `has` before you use their services. */
  readonly after?: readonly string[]
  /**
   * Optional plugins whose services it uses in requests (check `has`), but not in `apply`, because they may start
   * later. Two plugins can use each other.
   */
  readonly uses?: readonly string[]
  readonly options?: { readonly [K in keyof O]-?: OptionSchema<O[K]> }
  /** Config keys whose secrets are part of its `config`; other plugins see these keys without their secrets. */
  readonly secrets?: readonly SecretKey[]
  /** Seconds that `apply`, and each tap of a hook of the start, may take before the start fails; 30 by default. */
  readonly deadline?: number
  /** Names of the services that it provides. The start reports a replacement of the plugin that lacks one. */
  readonly provides?: readonly (keyof Services)[]
  /** Hooks that it declares: `{ rest_pre_insert_comment: filter('comment', 'request') }`. */
  readonly hooks?: PluginHooks
  /**
   * Steps that create its tables, in this order. Each runs once per database, before `apply`. Names of tables and
   * indexes begin with the plugin's name and two underscores: `garden__plants`. Requires the plugin `store`.
   */
  readonly migrations?: readonly Migration[]
  /** Returns whether it starts; called before its migrations unless the config or a running plugin names it. */
  startsIf?(services: Services): boolean | Promise<boolean>
  apply(context: PluginContext, options: O): void | Promise<void>
}

// oxlint-disable-next-line typescript/no-explicit-any -- a list of plugins holds any options
export type AnyPlugin = PluginDefinition<any>

/** Defines a plugin. Returns the definition unchanged; `O` is the type of its options. */
export function definePlugin<O extends object = Record<never, never>>(
  definition: PluginDefinition<O>,
): PluginDefinition<O> {
  return definition
}

/** A plugin with its configured options, under the name by which others need it. Hosts add members. */
export interface ConfiguredPlugin {
  /** The name by which others need it: the name of the default plugin that it replaces, else its own. */
  readonly slot: string
  readonly definition: AnyPlugin
  readonly options: Record<string, unknown>
  /** The default plugin that it replaces. */
  readonly replaces?: AnyPlugin
  /** Whether `startsIf` of its definition decides about its start. */
  readonly isConditional?: boolean
}

/** A plugin that has been applied. */
export interface RunningPlugin extends ConfiguredPlugin {
  readonly owner: Owner
}

/** Maps former names of plugins and services to current ones, and returns other names unchanged. */
export interface FormerNames {
  plugin(name: string, user: string): string
  service(name: string, user: string, provider?: string): string
}
