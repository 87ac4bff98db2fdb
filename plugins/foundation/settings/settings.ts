import { checkRegistration, shapeMistake, type Shapes } from '../../library/advice/index.ts'
import { OwnedMap } from '../../../kernel/index.ts'
import { renameDeprecatedKeys } from '../../library/deprecated-names/index.ts'
import { closedSchema, defaultMistake, schemaMistake } from '../../requests/arguments/index.ts'
import type { PropertySchema } from '../../resources/index.ts'
import { errors } from './errors.ts'

/** The registration of a setting. */
export interface SettingSpec {
  /** Type of the value. */
  type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object'
  /** Label in forms. */
  label?: string
  /** Description in one sentence. */
  description?: string
  /** Value if none is stored; included in the schema. */
  default?: unknown
  /** Value if none is stored, without a default in the schema. */
  initial?: unknown
  /** Whether the REST API shows the setting, optionally under another name and with additional schema keywords. */
  show_in_rest?: boolean | { name?: string; schema?: PropertySchema }
  /** Computes the value instead of storing it. Such a setting cannot be set. */
  read?: () => unknown
  /**
   * Type of the post, or taxonomy of the term, whose ID the value is. The REST API accepts only 0 and IDs of existing
   * objects; the plugin that deletes the object must reset the setting.
   */
  refersTo?: { readonly type: string } | { readonly taxonomy: string }
  /** @deprecated Use `refersTo`. */
  names?: SettingSpec['refersTo']
  /**
   * Whether responses to visitors depend on it. Its changes are reported to every client of the change feed, by name and
   * without the value. False by default: its changes are reported only to users who manage the site.
   */
  visible?: boolean
  /** Returns the value to store for a value that matches the schema. */
  sanitize_callback?: (value: unknown) => unknown
  /**
   * Whether the registration may replace another plugin's setting with the same name; otherwise a warning is logged.
   */
  override?: boolean
}

/** A registered setting: the option of this name with its registration. */
export interface Setting extends Readonly<Omit<SettingSpec, 'names'>> {
  readonly name: string
}

/** A setting in the REST API. */
export interface ShownSetting {
  /** Name in the REST API. */
  readonly name: string
  readonly setting: Setting
  /** With `default`, which is null without a default value. */
  readonly schema: PropertySchema
}

/** The settings of the site. Settings of a plugin are removed with the plugin. */
export interface Settings {
  /**
   * Registers a setting, or replaces the setting with the same name.
   * @param name name of the option that stores the value
   * @param spec type, default value and place in the REST API
   * @returns the registered setting
   * @throws SETTING_INVALID if the registration has an unknown key, or its default does not match its schema
   */
  register(name: string, spec: SettingSpec): Setting
  /** Returns a registered setting, or undefined. @param name name of its option */
  get(name: string): Setting | undefined
  /** Returns the settings in order of registration. */
  all(): Setting[]
  /** Returns the settings that the REST API shows, with their names and schemas there. */
  shown(): ShownSetting[]
}

/** @param labels whether schemas contain the labels */
export function createSettings(labels: boolean): Settings {
  const settings = new OwnedMap<Setting>('setting')
  // Validators are compiled per schema object, so each setting reuses one schema.
  const cache = new WeakMap<Setting, ShownSetting[]>()
  const shownOf = (setting: Setting) => {
    const shownSettings = cache.get(setting) ?? [shown(setting, labels) ?? []].flat()
    cache.set(setting, shownSettings)
    return shownSettings
  }
  return {
    register(name, written) {
      const spec = renameDeprecatedKeys(written, 'SettingSpec', { names: 'refersTo' })
      checkRegistration(
        () => mistakeIn(name, spec),
        (plugin, reason) => errors.SETTING_INVALID(plugin, name, reason),
      )
      const setting: Setting = { ...spec, name }
      settings.set(name, setting, name, spec.override)
      return setting
    },
    get: (name) => settings.get(name),
    all: () => settings.values(),
    shown: () => settings.values().flatMap(shownOf),
  }
}

const SPEC: Shapes<Omit<SettingSpec, 'names'>> = {
  type: 'text',
  label: 'text',
  description: 'text',
  default: 'anything',
  initial: 'anything',
  show_in_rest: ['flag', 'object'],
  read: 'function',
  refersTo: 'object',
  visible: 'flag',
  sanitize_callback: 'function',
  override: 'flag',
}
const SHOWN: Shapes<Exclude<SettingSpec['show_in_rest'], boolean | undefined>> = { name: 'text', schema: 'object' }
/** Common wrong names, with the right ones. */
const CORRECTIONS = { schema: 'show_in_rest: { schema: … }' }

/** Returns the mistake in a registration, or null. */
function mistakeIn(name: string, spec: SettingSpec): string | null {
  const shapeFault = shapeMistake(spec, SPEC, CORRECTIONS)
  if (shapeFault !== null) return `it ${shapeFault}`
  const { type, default: preset, initial, show_in_rest: shows } = spec
  if (type === undefined) return 'it has no type'
  const inner = typeof shows === 'object' ? shapeMistake(shows, SHOWN) : null
  if (inner !== null) return `its show_in_rest ${inner}`
  const schema = shown({ ...spec, name, show_in_rest: typeof shows === 'object' ? shows : true }, true)!.schema
  const mistake = schemaMistake(schema)
  if (mistake !== null) return `its schema ${mistake}`
  const refused = defaultMistake({ ...schema, default: preset ?? schema.default ?? initial })
  return refused === null ? null : `it ${refused}`
}

function shown(setting: Setting, labels: boolean): ShownSetting | undefined {
  const { name, type, label, description = '', default: preset = null, show_in_rest: shown = false } = setting
  if (shown === false) return undefined
  const { name: restName = name, schema = {} } = shown === true ? {} : shown
  const title = labels ? { title: label ?? '' } : {}
  return { name: restName, setting, schema: closedSchema({ type, ...title, description, default: preset, ...schema }) }
}
