import { checkRegistration, shapeMistake, type Shapes } from '../../library/advice/index.ts'
import { OwnedMap } from '../../../kernel/index.ts'
import { closedSchema, defaultMistake, schemaMistake } from '../../requests/arguments/index.ts'
import type { PropertySchema } from '../../resources/index.ts'
import { errors } from './errors.ts'

/** What a setting is registered with. */
export interface SettingSpec {
  type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object'
  /** A name for people, as a form has it beside the field. */
  label?: string
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
  /**
   * Whether responses to visitors depend on it. Its changes are reported to every client of the change feed, by name and
   * without the value. False by default: its changes are reported only to users who manage the site.
   */
  visible?: boolean
  /** Makes a value that passed the schema ready to be stored. */
  sanitize_callback?: (value: unknown) => unknown
  /** Whether it may take the place of another plugin's setting of this name; otherwise the log warns. */
  override?: boolean
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
  /** Registers a setting, or replaces the one of the same name. @throws SETTING_INVALID */
  register(name: string, spec: SettingSpec): Setting
  /** The setting of a name; undefined where none is registered. */
  get(name: string): Setting | undefined
  /** In order of registration. */
  all(): Setting[]
  /** Those that the REST API shows. */
  shown(): ShownSetting[]
}

/** @param labels whether schemas tell the labels */
export function createSettings(labels: boolean): Settings {
  const settings = new OwnedMap<Setting>('setting')
  // Checks are compiled for each schema, so each setting keeps its own.
  const known = new WeakMap<Setting, ShownSetting[]>()
  const shownOf = (setting: Setting) => {
    const made = known.get(setting) ?? [shown(setting, labels) ?? []].flat()
    known.set(setting, made)
    return made
  }
  return {
    register(name, spec) {
      checkRegistration(
        () => mistakeIn(name, spec),
        (plugin, why) => errors.SETTING_INVALID(plugin, name, why),
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

const SPEC: Shapes<SettingSpec> = {
  type: 'text',
  label: 'text',
  description: 'text',
  default: 'anything',
  initial: 'anything',
  show_in_rest: ['flag', 'object'],
  read: 'function',
  names: 'object',
  visible: 'flag',
  sanitize_callback: 'function',
  override: 'flag',
}
const SHOWN: Shapes<Exclude<SettingSpec['show_in_rest'], boolean | undefined>> = { name: 'text', schema: 'object' }
/** Words for them elsewhere. */
const MEANT = { schema: 'show_in_rest: { schema: … }' }

/** What is wrong with what a setting is registered with; null where nothing is. */
function mistakeIn(name: string, spec: SettingSpec): string | null {
  const wrong = shapeMistake(spec, SPEC, MEANT)
  if (wrong !== null) return `it ${wrong}`
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
  const title = labels && label !== undefined ? { title: label } : {}
  return { name: restName, setting, schema: closedSchema({ type, ...title, description, default: preset, ...schema }) }
}
