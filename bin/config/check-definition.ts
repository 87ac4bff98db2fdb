import { shown, type PluginDefinition } from '../../kernel/index.ts'
import { hint } from '../../plugins/library/suggestions/index.ts'
import { secretKeys } from './config-keys.ts'
import { schemasMistake } from '../../plugins/requests/arguments/check-schema.ts'
import { isObject } from '../../kernel/is-object.ts'
import { unknownKey } from '../../plugins/library/advice/shapes.ts'

/** The keys of a plugin definition. The type requires all of them. */
const KEYS: Readonly<Record<keyof Required<PluginDefinition>, true>> = {
  name: true,
  description: true,
  formerNames: true,
  formerServices: true,
  formerOptions: true,
  since: true,
  needs: true,
  after: true,
  uses: true,
  options: true,
  secrets: true,
  deadline: true,
  provides: true,
  hooks: true,
  migrations: true,
  startsIf: true,
  apply: true,
}

/** Names that other plugin systems use for these keys, for suggestions. */
const KEY_SYNONYMS: Readonly<Record<string, string>> = {
  dependencies: 'needs',
  requires: 'needs',
  schema: 'options',
  settings: 'options',
  config: 'options',
  setup: 'apply',
  register: 'apply',
  init: 'apply',
  start: 'apply',
  timeout: 'deadline',
}

/** Returns why the exports of a module are not a plugin, as a clause that follows its name; null if they are one. */
export function exportsMistake(exports: Readonly<Record<string, unknown>>): string | null {
  const plugin = exports['default']
  if (plugin === undefined) {
    const names = Object.keys(exports).filter((name) => name !== 'module.exports')
    return names.length === 0 ? 'exports nothing' : `has no default export, but exports ${names.join(', ')}`
  }
  if (typeof plugin === 'function') return `exports a ${/^class\b/.test(String(plugin)) ? 'class' : 'function'}`
  if (plugin instanceof Promise) return 'exports a promise: await it'
  if (!isObject(plugin)) return `exports ${shown(plugin)}`
  const { name, apply } = plugin as Partial<PluginDefinition>
  if (typeof name !== 'string' || name === '') {
    // The default export of a CommonJS module is all of module.exports.
    return `exports an object without a name${'default' in plugin ? ': leave default out, module.exports = { name, apply }' : ''}`
  }
  if (typeof apply === 'function') return null
  return `exports a plugin without the function apply: it ${unknownKey(plugin, KEYS, KEY_SYNONYMS) ?? 'must have one'}`
}

/** Returns the first mistake in a plugin definition, as a clause that follows its name; null if it is valid. */
export function definitionMistake(definition: PluginDefinition<Record<string, unknown>>): string | null {
  const unknown = unknownKey(definition, KEYS, KEY_SYNONYMS)
  if (unknown !== null) return unknown
  for (const list of ['needs', 'after', 'uses', 'secrets', 'provides', 'formerNames'] as const) {
    const names: unknown = definition[list] ?? []
    if (Array.isArray(names) && names.every((name) => typeof name === 'string')) continue
    return `has ${list}: ${shown(names)}: it must be a list of names`
  }
  const unknownSecret = definition.secrets?.find((key) => !(secretKeys as readonly string[]).includes(key))
  if (unknownSecret !== undefined)
    return `names the secret "${unknownSecret}", which no config has${hint(unknownSecret, secretKeys)}`
  const { options = {}, deadline = 1, hooks = {}, migrations = [] } = definition
  // The store checks each migration.
  if (!Array.isArray(migrations)) return `has migrations: ${shown(migrations)}: it must be a list`
  if (!(deadline > 0)) return `has deadline: ${shown(deadline)}: it must be a number of seconds`
  if (!isObject(options)) return `has options: ${shown(options)}: it must be an object of schemas by name`
  const notDeclared = Object.entries(hooks).find(([, spec]) => !isObject(spec) || !Array.isArray(spec['args']))
  if (notDeclared !== undefined) {
    const [name] = notDeclared
    return `is declared wrongly: hooks.${name} must declare a new hook, such as filter('value'); to tap an existing hook, call hooks.${name}.tap(…) in apply`
  }
  const bare = Object.keys(options).find((name) => !Object.hasOwn(options[name]!, 'default'))
  if (bare !== undefined) return `is declared wrongly: the option "${bare}" has no default: give it one`
  const mistake = schemasMistake(options, 'option', 'option')
  return mistake === null ? null : `is declared wrongly: ${mistake}`
}
