import { existsSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ValidateFunction } from 'ajv'
import { messageOf, type AnyPlugin, type ConfiguredPlugin, type OptionSchema } from '../../kernel/index.ts'
import { suggest } from '../../plugins/library/suggestions/index.ts'
import type { PluginSetting, RevisionChanges } from '../../plugins/library/site-config/index.ts'
import type { ShownOption } from '../../plugins/library/running-plugins/index.ts'
import { ajvWith, checkOf, invalidReason } from './config.ts'
import { definitionMistake, exportsMistake } from './check-definition.ts'
import { importWithinSeconds } from './import-module.ts'
import { errors as kernelErrors } from '../../kernel/errors.ts'
import { errors } from './errors.ts'
import { FormerNames } from './former-names.ts'
import { loadFailure, nearFile } from './load-failure.ts'
import { missingNeeds } from './missing-needs.ts'
import { withoutSecrets, withSecrets } from './secrets.ts'
import { isTrusted } from '../../kernel/trust.ts'

interface ResolveOptions {
  readonly formerNames?: FormerNames
  /** Names of the defaults that the preset leaves out. They start if the config or another plugin names them. */
  readonly leftOut?: ReadonlySet<string>
}

const NO_NAMES: ReadonlySet<string> = new Set()

/**
 * Resolves the plugins of a site and their options: the defaults of the preset with the changes of the revision, then
 * the config, which adds, replaces and switches off plugins and sets options.
 * @returns the plugins, each after the plugins in its `needs` and `after`
 * @throws PLUGIN_UNKNOWN, PLUGIN_UNLOADABLE, PLUGIN_NAME_TAKEN, PLUGIN_NOT_A_PLUGIN, PLUGIN_NEED_MISSING,
 *   PLUGIN_NEEDS_CYCLE, and the errors of `configurePlugin`
 */
export async function resolvePlugins(
  defaults: readonly AnyPlugin[],
  pluginSettings: Readonly<Record<string, PluginSetting>>,
  folder: string,
  revision: RevisionChanges = {},
  { formerNames = new FormerNames(defaults), leftOut = NO_NAMES }: ResolveOptions = {},
): Promise<ConfiguredPlugin[]> {
  const settings = formerNames.settings(pluginSettings)
  const names = new Set(defaults.map((plugin) => plugin.name))
  const there = defaults.map((plugin) => [plugin.name, plugin] as const)
  for (const [name, change] of Object.entries(revision)) {
    if (change === false || change.use === undefined || names.has(name)) continue
    names.add(name)
    there.push([name, change.use])
  }
  const placed: ConfiguredPlugin[] = []
  const placeDefault = async (name: string, plugin: AnyPlugin) => {
    const change = Object.hasOwn(revision, name) ? revision[name]! : {}
    const setting = settings[name] ?? change !== false
    if (setting === false) return
    const { use, ...options } = setting === true ? {} : setting
    if (use !== undefined) {
      const { definition, file } = await importPlugin(use, folder)
      placed.push({ ...configurePlugin(name, definition, options, folder, formerNames), file, replaces: plugin })
    } else {
      const { use: definition = plugin, options: changed = {} } = change === false ? {} : change
      const isDefault = defaults.includes(definition)
      placed.push({
        ...configurePlugin(name, definition, { ...changed, ...formerNames.options(definition, options) }, folder),
        isDefault,
      })
    }
  }
  const waiting = new Map<string, AnyPlugin>()
  for (const [name, plugin] of there) {
    if (leftOut.has(name) && settings[name] === undefined) waiting.set(name, plugin)
    else await placeDefault(name, plugin)
  }
  for (const [source, setting] of Object.entries(settings)) {
    if (names.has(source)) continue
    if (setting === false) {
      // A plugin that is switched off must exist, or a typo would leave it on.
      const url = locate(source, folder, names.keys())
      if (!existsSync(fileURLToPath(url))) throw errors.PLUGIN_UNLOADABLE(source, noFile(url))
      continue
    }
    const { use, ...options } = setting === true ? {} : setting
    const { definition, file } = await importPlugin(use ?? source, folder, names.keys())
    placed.push({ ...configurePlugin(definition.name, definition, options, folder, formerNames), file })
  }
  // Adds plugins that the preset leaves out if others need them. The loop also visits the plugins that it adds.
  for (const { definition } of placed) {
    for (const need of formerNames.definition(definition).needs ?? []) {
      const plugin = waiting.get(need)
      if (waiting.delete(need)) await placeDefault(need, plugin!)
    }
  }
  const current = withMetNeeds(conditional(formerNames.inPlugins(placed), settings))
  const needs = missingNeeds(current, names)
  if (needs !== null) throw errors.PLUGIN_NEED_MISSING(needs)
  return orderByNeeds(current)
}

/** Marks plugins with `startsIf` as conditional, unless the config names them or a plugin that certainly starts needs them. */
function conditional(
  plugins: readonly ConfiguredPlugin[],
  settings: Readonly<Record<string, PluginSetting>>,
): ConfiguredPlugin[] {
  const bySlot = new Map(plugins.map((plugin) => [plugin.slot, plugin]))
  const certain = new Set<string>()
  const mark = (slot: string) => {
    if (certain.has(slot)) return
    certain.add(slot)
    for (const need of bySlot.get(slot)?.definition.needs ?? []) mark(need)
  }
  for (const { slot, definition } of plugins)
    if (definition.startsIf === undefined || settings[slot] !== undefined) mark(slot)
  return plugins.map((plugin) => (certain.has(plugin.slot) ? plugin : { ...plugin, isConditional: true }))
}

/** Leaves out conditional plugins that need a plugin that the config or the revision leaves out. */
function withMetNeeds(plugins: readonly ConfiguredPlugin[]): readonly ConfiguredPlugin[] {
  const there = new Set(plugins.map(({ slot }) => slot))
  const met = plugins.filter(
    ({ isConditional, definition }) =>
      isConditional !== true || (definition.needs ?? []).every((need) => there.has(need)),
  )
  return met.length === plugins.length ? plugins : withMetNeeds(met)
}

/**
 * Validates the options that the config sets for a plugin and adds the defaults.
 * @param folder base folder for relative paths of files with secrets
 * @param formerNames receives the former names of a plugin that is not a default
 * @throws PLUGIN_INVALID for a mistake in the definition, PLUGIN_OPTION_UNKNOWN, PLUGIN_OPTIONS_INVALID, SECRET_MISSING
 */
export function configurePlugin(
  slot: string,
  definition: AnyPlugin,
  written: Record<string, unknown> = {},
  folder = process.cwd(),
  formerNames?: FormerNames,
): ConfiguredPlugin {
  // A test checks the definitions of the default plugins, so they are not checked here.
  const trusted = isTrusted(definition)
  const mistake = trusted ? null : definitionMistake(definition)
  if (mistake !== null) throw kernelErrors.PLUGIN_INVALID(definition.name, mistake)
  formerNames?.add(definition, slot)
  const configured = formerNames?.options(definition, written) ?? written
  const declared = (definition.options ?? {}) as Record<string, OptionSchema<unknown>>
  const options: Record<string, unknown> = {}
  for (const option of Object.keys(configured)) {
    if (!Object.hasOwn(declared, option)) {
      throw errors.PLUGIN_OPTION_UNKNOWN(definition.name, option, suggest(option, Object.keys(declared)))
    }
  }
  for (const [option, schema] of Object.entries(declared)) {
    const isConfigured = Object.hasOwn(configured, option)
    const label = `the option "${option}" of ${definition.name}`
    const value: unknown = withSecrets(
      schema,
      structuredClone(isConfigured ? configured[option] : schema.default),
      label,
      folder,
    )
    options[option] = value
    // Defaults of trusted plugins are valid, but properties can have defaults that the check fills in.
    if (!isConfigured && schema['properties'] === undefined && (trusted || isOfType(schema, value))) continue
    const check = checkOrMistake(schema)
    if (typeof check === 'string')
      throw kernelErrors.PLUGIN_INVALID(definition.name, `is declared wrongly: the option "${option}": ${check}`)
    if (check({ value })) continue
    const reason = invalidReason(check.errors![0]!)
    if (isConfigured) throw errors.PLUGIN_OPTIONS_INVALID(definition.name, option, reason)
    throw kernelErrors.PLUGIN_INVALID(definition.name, `declares the option "${option}" with a default that ${reason}`)
  }
  return {
    slot,
    definition,
    options,
    isDefault: false,
    file: null,
    shownOptions: () => shownOf(declared, options, configured),
  }
}

/** Returns the options of a plugin with secrets hidden. */
function shownOf(
  declared: Readonly<Record<string, OptionSchema<unknown>>>,
  options: Readonly<Record<string, unknown>>,
  configured: Readonly<Record<string, unknown>>,
): ShownOption[] {
  const shown = (values: object) => withoutSecrets({ properties: declared }, values) as Record<string, unknown>
  const values = shown(options)
  const defaults = shown(Object.fromEntries(Object.entries(declared).map(([name, one]) => [name, one.default])))
  return Object.keys(values).map((name) => ({
    name,
    value: values[name],
    default: defaults[name],
    isSet: Object.hasOwn(configured, name),
  }))
}

/** Whether a default certainly matches a schema that restricts only its type. Avoids loading Ajv. */
function isOfType(schema: OptionSchema<unknown>, value: unknown): boolean {
  if (Object.keys(schema).some((keyword) => !TYPE_ONLY_KEYWORDS.has(keyword))) return false
  const { type } = schema
  if (type === undefined) return true
  if (type === 'array') return Array.isArray(value) && value.length === 0
  return type === 'integer' ? Number.isInteger(value) : typeof value === type && type !== 'object'
}

const TYPE_ONLY_KEYWORDS = new Set(['default', 'description', 'title', 'secret', 'type', 'items'])

/** Compiles the schema of an option. Returns an error message if the schema is invalid. */
function checkOrMistake(schema: OptionSchema<unknown>): ValidateFunction | string {
  try {
    return checkOf(schema, authorsSchemas)
  } catch (error) {
    return messageOf(error)
  }
}

/** Returns a validator that, unlike that of `checkOf`, also validates schemas, because plugin authors write them. */
const authorsSchemas = ajvWith({ strict: false, useDefaults: true })

/**
 * Sorts plugins so that each comes after the plugins in its `needs` and `after`. Otherwise keeps their order.
 * @throws PLUGIN_NAME_TAKEN, PLUGIN_NEEDS_CYCLE
 */
function orderByNeeds(plugins: readonly ConfiguredPlugin[]): ConfiguredPlugin[] {
  const bySlot = new Map<string, ConfiguredPlugin>()
  for (const plugin of plugins) {
    if (bySlot.has(plugin.slot)) throw errors.PLUGIN_NAME_TAKEN(plugin.slot)
    bySlot.set(plugin.slot, plugin)
  }
  const ordered: ConfiguredPlugin[] = []
  const state = new Map<ConfiguredPlugin, 'open' | 'done'>()
  const visit = (plugin: ConfiguredPlugin, trail: readonly string[]) => {
    const { needs = [], after = [] } = plugin.definition
    if (state.get(plugin) === 'done') return
    if (state.get(plugin) === 'open') {
      throw errors.PLUGIN_NEEDS_CYCLE([...trail.slice(trail.indexOf(plugin.slot)), plugin.slot].join(' → '))
    }
    state.set(plugin, 'open')
    for (const earlier of [...needs, ...after]) {
      const found = bySlot.get(earlier)
      if (found !== undefined) visit(found, [...trail, plugin.slot])
    }
    state.set(plugin, 'done')
    ordered.push(plugin)
  }
  for (const plugin of plugins) visit(plugin, [])
  return ordered
}

/**
 * Finds the plugin of a site with a name, without starting plugins.
 * @returns `key`: the config key that switches it on (the name itself for a default), undefined if there is no such plugin;
 *   `unknown`: the keys of plugins that could not be loaded, so that their names are unknown
 */
export async function findConfigured(
  name: string,
  defaults: readonly AnyPlugin[],
  pluginSettings: Readonly<Record<string, PluginSetting>>,
  folder: string,
): Promise<{ key: string | undefined; unknown: string[] }> {
  const unknown: string[] = []
  const settings = new FormerNames(defaults).settings(pluginSettings)
  const names = new Set(defaults.map((plugin) => plugin.name))
  if (names.has(name) && settings[name] === undefined) return { key: name, unknown }
  for (const [key, setting] of Object.entries(settings)) {
    if (setting === false) continue
    const source = setting === true ? undefined : setting.use
    if (key === name && source === undefined) return { key, unknown }
    if (names.has(key) && source === undefined) continue
    try {
      if ((await importPlugin(source ?? key, folder)).definition.name === name) return { key, unknown }
    } catch {
      unknown.push(key)
    }
  }
  return { key: undefined, unknown }
}

/** Returns the URL of the file or package of a plugin. */
function locate(source: string, folder: string, knownNames: Iterable<string>): string {
  if (source.startsWith('file:')) return source
  if (/^(?:\.{1,2}\/|\/|[A-Za-z]:[\\/])/.test(source)) return pathToFileURL(resolve(folder, source)).href
  if (isBuiltin(source)) throw errors.PLUGIN_UNKNOWN(source, '')
  try {
    return pathToFileURL(createRequire(join(folder, 'package.json')).resolve(source)).href
  } catch (cause) {
    // A name with backslashes is a Windows path.
    const path = source.replaceAll('\\', '/').replace(/^(?:\.\/)?/, './')
    const near = existsSync(join(folder, path)) ? path : suggest(source, knownNames)
    throw errors.PLUGIN_UNKNOWN(source, near, { cause })
  }
}

/** Returns the message for a missing file, with the path of a similar file. */
function noFile(url: string): string {
  const path = fileURLToPath(url)
  return `there is no file ${path}${nearFile(path)}`
}

async function importPlugin(
  source: string,
  folder: string,
  knownNames: Iterable<string> = [],
): Promise<{ definition: AnyPlugin; file: string }> {
  const url = locate(source, folder, knownNames)
  let exported: Readonly<Record<string, unknown>>
  try {
    exported = await importWithinSeconds(url)
  } catch (cause) {
    const missing = (cause as { url?: unknown } | null)?.url === url
    const reason = missing ? noFile(url) : loadFailure(cause, url)
    throw errors.PLUGIN_UNLOADABLE(source, reason, { cause })
  }
  const reason = exportsMistake(exported)
  if (reason !== null) throw errors.PLUGIN_NOT_A_PLUGIN(source, reason)
  return { definition: exported['default'] as AnyPlugin, file: url }
}
