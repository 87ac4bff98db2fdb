import { createRequire, isBuiltin } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Ajv, type ValidateFunction } from 'ajv'
import type { Logger } from 'pino'
import { whyInvalid, type PluginSetting, type SecretKey, type SiteConfig } from './config.ts'
import { START_SECONDS, withinSeconds } from './deadline.ts'
import { errors } from './errors.ts'
import type { Hooks, PluginHooks, TapTracer } from './hooks/hook.ts'
import { suggest } from './text/suggest.ts'
import { withSecrets } from './secrets.ts'
import type { Owner } from './ownership.ts'
import type { RestServer } from './rest/server.ts'
import type { Urls } from './urls.ts'
import type { Branding } from './branding.ts'

/** Typed services by name: what plugins provide to each other. Plugins merge theirs in. */
// oxlint-disable-next-line typescript/no-empty-object-type -- the merge target of plugins
export interface Services {}

/** The schema of one option with its default; the compiler asks for one per option. */
export type OptionSchema<T> = {
  default: T
  description?: string
  /**
   * Whether the value is nobody's business: it is hidden where options are shown, in the log and in errors, and the config
   * may say where it is: `{ "env": "NAME" }` or `{ "file": "PATH" }`. Parts of a value may be secret, too: say so in their
   * schemas.
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
  readonly server: RestServer
  /** Provides a service to the plugins that need this one. */
  provide<K extends keyof Services>(this: void, name: K, service: Services[K]): void
  /** Undoes what no registry undoes by itself: a timer, a connection, a file handle. */
  onRemove(this: void, undo: () => void | Promise<void>): void
  /** Ends the site in good order, because it cannot go on: its database is gone. The message is for the operator. */
  giveUp(this: void, reason: Error): void
  /** Has every tap run by `tracer`, until the plugin is removed. */
  traceTaps(this: void, tracer: TapTracer): void
  /**
   * Takes the taps of a name away from a hook, whoever made them, also while the hook runs: a run that is under way ends
   * with the taps it began with. They are back when their plugin starts again.
   * @returns how many were taken away
   * @throws HOOK_UNKNOWN
   */
  untap(this: void, hook: string, tap: string): number
  /** Whether a plugin of this name is there; for what is `after` without being needed. */
  has(this: void, plugin: string): boolean
}

/** A plugin: what it is called, what it needs, what can be set, what it does. */
export interface PluginDefinition<O extends object = Record<never, never>> {
  readonly name: string
  /** Plugins that must be there and start before. */
  readonly needs?: readonly string[]
  /** Plugins that start before where they are there. Their services may be used after asking `has`. */
  readonly after?: readonly string[]
  /**
   * Plugins whose services it uses once requests are answered, never in `apply`, where they are there: ask `has`. They
   * may start before or after, so that two plugins may use each other.
   */
  readonly uses?: readonly string[]
  readonly options?: { readonly [K in keyof O]-?: OptionSchema<O[K]> }
  /** Config keys with secrets that it needs: it is given these as they are; to others they are shown without. */
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

/** A plugin in its place: under the name that others need it by, with its options as configured. */
export interface PlacedPlugin {
  /** The name others need it by: that of the default it replaces, else its own. */
  readonly slot: string
  readonly definition: AnyPlugin
  readonly options: Record<string, unknown>
}

/**
 * What a site begins with in place of the plain defaults, before its config has its say: plugins by name, each switched
 * off (false), replaced or added (`use`), or with other options.
 */
export type Preset = Readonly<
  Record<string, false | { readonly use?: AnyPlugin; readonly options?: Readonly<Record<string, unknown>> }>
>

/** A plugin that has been applied. */
export interface RunningPlugin extends PlacedPlugin {
  readonly owner: Owner
}

/**
 * Places the defaults, as the preset has them, and what the config adds, replaces, switches off and sets.
 * @returns plugins in order of their needs
 * @throws PLUGIN_UNKNOWN, PLUGIN_NAME_TAKEN, PLUGIN_NOT_A_PLUGIN, PLUGIN_OPTION_UNKNOWN, PLUGIN_OPTIONS_INVALID,
 *   PLUGIN_NEED_MISSING, PLUGIN_NEEDS_CYCLE
 */
export async function placePlugins(
  defaults: readonly AnyPlugin[],
  settings: Readonly<Record<string, PluginSetting>>,
  folder: string,
  preset: Preset = {},
): Promise<PlacedPlugin[]> {
  const names = new Set(defaults.map((plugin) => plugin.name))
  const there = defaults.map((plugin) => [plugin.name, plugin] as const)
  for (const [name, change] of Object.entries(preset)) {
    if (change === false || change.use === undefined || names.has(name)) continue
    names.add(name)
    there.push([name, change.use])
  }
  const placed: PlacedPlugin[] = []
  for (const [name, plugin] of there) {
    const change = Object.hasOwn(preset, name) ? preset[name]! : {}
    const setting = settings[name] ?? change !== false
    if (setting === false) continue
    const { use, ...options } = setting === true ? {} : setting
    if (use !== undefined) placed.push(place(name, await importPlugin(use, folder), options, folder))
    else if (change === false) placed.push(place(name, plugin, options, folder))
    else placed.push(place(name, change.use ?? plugin, { ...change.options, ...options }, folder))
  }
  for (const [source, setting] of Object.entries(settings)) {
    if (names.has(source)) continue
    if (setting === false) {
      // What is switched off must still be something, or a typing mistake would leave it on.
      locate(source, folder, names.keys())
      continue
    }
    const { use, ...options } = setting === true ? {} : setting
    const definition = await importPlugin(use ?? source, folder, names.keys())
    placed.push(place(definition.name, definition, options, folder))
  }
  return orderByNeeds(placed)
}

/**
 * Gives a plugin its options: those set, checked, and the defaults.
 * @param folder what paths of files with secrets are below
 */
export function place(
  slot: string,
  definition: AnyPlugin,
  given: Record<string, unknown> = {},
  folder = process.cwd(),
): PlacedPlugin {
  const declared = (definition.options ?? {}) as Record<string, OptionSchema<unknown>>
  const options: Record<string, unknown> = {}
  for (const option of Object.keys(given)) {
    if (!Object.hasOwn(declared, option)) {
      throw errors.PLUGIN_OPTION_UNKNOWN(definition.name, option, suggest(option, Object.keys(declared)))
    }
  }
  for (const [option, schema] of Object.entries(declared)) {
    const isGiven = Object.hasOwn(given, option)
    const where = `the option "${option}" of ${definition.name}`
    const value: unknown = withSecrets(schema, structuredClone(isGiven ? given[option] : schema.default), where, folder)
    options[option] = value
    // A default is good as it is, but where parts of it have defaults of their own.
    if (!isGiven && schema['properties'] === undefined) continue
    const check = checkOf(schema)
    if (!check({ value })) throw errors.PLUGIN_OPTIONS_INVALID(definition.name, option, whyInvalid(check.errors![0]!))
  }
  return { slot, definition, options }
}

const ajv = new Ajv({ strict: false, useDefaults: true })
const checks = new WeakMap<OptionSchema<unknown>, ValidateFunction>()

/** The check of an option, compiled when a plugin is first placed with it. */
function checkOf(declared: OptionSchema<unknown>): ValidateFunction {
  let check = checks.get(declared)
  if (check === undefined) {
    const { default: _, description: __, ...schema } = declared
    check = ajv.compile({ type: 'object', properties: { value: schema } })
    checks.set(declared, check)
  }
  return check
}

/**
 * Orders plugins so that each comes after those it needs; otherwise the order given is kept.
 * @throws PLUGIN_NAME_TAKEN, PLUGIN_NEED_MISSING, PLUGIN_NEEDS_CYCLE
 */
export function orderByNeeds(
  plugins: readonly PlacedPlugin[],
  running: ReadonlySet<string> = new Set(),
): PlacedPlugin[] {
  const bySlot = new Map<string, PlacedPlugin>()
  for (const plugin of plugins) {
    if (bySlot.has(plugin.slot) || running.has(plugin.slot)) throw errors.PLUGIN_NAME_TAKEN(plugin.slot)
    bySlot.set(plugin.slot, plugin)
  }
  const ordered: PlacedPlugin[] = []
  const state = new Map<PlacedPlugin, 'open' | 'done'>()
  const visit = (plugin: PlacedPlugin, trail: readonly string[]) => {
    const { needs = [], after = [], name } = plugin.definition
    if (state.get(plugin) === 'done') return
    if (state.get(plugin) === 'open') {
      throw errors.PLUGIN_NEEDS_CYCLE([...trail.slice(trail.indexOf(plugin.slot)), plugin.slot].join(' → '))
    }
    state.set(plugin, 'open')
    for (const need of needs) {
      const needed = bySlot.get(need)
      if (needed !== undefined) visit(needed, [...trail, plugin.slot])
      else if (!running.has(need)) throw errors.PLUGIN_NEED_MISSING(name, need)
    }
    for (const earlier of after) {
      const found = bySlot.get(earlier)
      if (found !== undefined) visit(found, [...trail, plugin.slot])
    }
    state.set(plugin, 'done')
    ordered.push(plugin)
  }
  for (const plugin of plugins) visit(plugin, [])
  return ordered
}

/** Address of the file or package that a plugin is in. */
function locate(source: string, folder: string, known: Iterable<string>): string {
  if (source.startsWith('file:')) return source
  if (/^(?:\.{1,2}\/|\/|[A-Za-z]:[\\/])/.test(source)) return pathToFileURL(resolve(folder, source)).href
  if (isBuiltin(source)) throw errors.PLUGIN_UNKNOWN(source, '')
  try {
    return pathToFileURL(createRequire(join(folder, 'package.json')).resolve(source)).href
  } catch (cause) {
    throw errors.PLUGIN_UNKNOWN(source, suggest(source, known), { cause })
  }
}

async function importPlugin(source: string, folder: string, known: Iterable<string> = []): Promise<AnyPlugin> {
  const address = locate(source, folder, known)
  let exported: unknown
  try {
    const late = () => new Error(`it was not loaded within ${START_SECONDS} seconds`)
    exported = (await withinSeconds(import(address) as Promise<{ default?: unknown }>, START_SECONDS, late)).default
  } catch (cause) {
    const missing = (cause as { url?: unknown }).url === address
    const why = missing ? `there is no file ${fileURLToPath(address)}` : (cause as Error).message
    throw errors.PLUGIN_UNLOADABLE(source, why, { cause })
  }
  const plugin = exported as Partial<AnyPlugin> | undefined
  if (typeof plugin?.name !== 'string' || typeof plugin.apply !== 'function') throw errors.PLUGIN_NOT_A_PLUGIN(source)
  return plugin as AnyPlugin
}
