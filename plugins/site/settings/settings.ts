import { OwnedMap, type PropertySchema } from '../../../kernel/index.ts'

/** What a setting is registered with. */
export interface SettingSpec {
  type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object'
  /** One sentence for readers. */
  description?: string
  /** The value while none is stored; told in the schema. */
  default?: unknown
  /** The value of a new site, when it is no default that the schema tells. */
  initial?: unknown
  /** Whether the REST API shows it; under another name, or with further keywords of its schema. */
  show_in_rest?: boolean | { name?: string; schema?: PropertySchema }
  /** The value, where it is not stored but follows from something else. Such a setting cannot be set. */
  read?: () => unknown
  /**
   * What the value is the id of: a post of a type, or a term of a taxonomy. The REST API takes no id but 0 of what is not
   * there; who lets such a thing be deleted takes it out of the setting.
   */
  names?: { readonly type: string } | { readonly taxonomy: string }
  /** Makes a value that passed the schema ready to be stored. */
  sanitize_callback?: (value: unknown) => unknown
}

/** A setting: the option of this name, and what it was registered with. */
export interface Setting extends Readonly<SettingSpec> {
  readonly name: string
}

/** A setting as the REST API shows it. */
export interface ShownSetting {
  /** Its name there. */
  readonly name: string
  readonly setting: Setting
  /** With `default`: null where there is none. */
  readonly schema: PropertySchema
}

/** The settings of the site. A plugin's settings go with it. */
export interface Settings {
  /** Registers a setting, or replaces the one of the same name. */
  register(name: string, spec: SettingSpec): Setting
  /** The setting of a name; undefined where none is registered. */
  get(name: string): Setting | undefined
  /** In order of registration. */
  all(): Setting[]
  /** Those that the REST API shows. */
  shown(): ShownSetting[]
}

export function createSettings(): Settings {
  const settings = new OwnedMap<Setting>('setting')
  return {
    register(name, spec) {
      const setting: Setting = { ...spec, name }
      settings.set(name, setting)
      return setting
    },
    get: (name) => settings.get(name),
    all: () => settings.values(),
    shown: () => settings.values().flatMap((setting) => shown(setting) ?? []),
  }
}

function shown(setting: Setting): ShownSetting | undefined {
  const { name, type, description = '', default: preset = null, show_in_rest: shown = false } = setting
  if (shown === false) return undefined
  const { name: restName = name, schema = {} } = shown === true ? {} : shown
  return { name: restName, setting, schema: { type, description, default: preset, ...schema } }
}
