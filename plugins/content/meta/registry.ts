import { checkRegistration, refusePromise, shapeMistake, type Shapes } from '../../library/advice/index.ts'
import {
  currentOwner,
  derived,
  OwnedMap,
  RestError,
  type Awaitable,
  type DependsOn,
  type Registrant,
  type RestRequest,
} from '../../../kernel/index.ts'
import { hint } from '../../library/suggestions/index.ts'
import { emptyAsLists, type PropertySchema } from '../../resources/index.ts'
import { declared } from '../../library/caching/index.ts'
import {
  closedSchema,
  parseValue,
  schemaMistake,
  validateValue,
  withoutRefused,
} from '../../requests/arguments/index.ts'
import { COMPARES, type Queryable } from '../../storage/field-index/index.ts'
import { errors } from './errors.ts'

/** The kinds of objects that have meta: these, and those that plugins add. */
export type MetaObject = 'post' | 'term' | 'comment' | 'user' | (string & {})
export type MetaType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object'

/** Returns what is shown for a stored value; may be asynchronous. */
export type PrepareMeta = (value: unknown, request: RestRequest, field: MetaField) => Awaitable<unknown>

/**
 * A meta key as it is registered. Lists of posts, terms, comments and users may be limited to and ordered by texts, numbers
 * and booleans: `filterable`, `sortable`.
 */
export interface MetaSpec extends Queryable {
  /** The content type, taxonomy or comment type that has it; without one, every subtype has it. */
  subtype?: string
  /** The subtypes whose objects alone can have a value; others show the default, for which nothing is read. All unless given. */
  held_by?: readonly string[]
  /** Type of one value. */
  type: MetaType
  /** Name of the key in the schema, for people. */
  label?: string
  /** Description of the key in the schema. */
  description?: string
  /** Whether an object has one value instead of a list. False by default. */
  single?: boolean
  /** The value of an object without a stored one; with many values, the only item of the list. */
  default?: unknown
  /**
   * Whether the `meta` of objects shows it. `name` is its public name, `schema` says more about one value,
   * `prepare_callback` replaces the check against the schema, `dependsOn` names the tags of what else it reads, and with
   * `cache: false` responses that show it are not stored.
   */
  show_in_rest?:
    | boolean
    | {
        name?: string
        schema?: PropertySchema
        prepare_callback?: PrepareMeta
        dependsOn?: DependsOn<Parameters<PrepareMeta>>
        cache?: boolean
      }
  /** Decides who may write it; `allowed` is what the capabilities say. */
  auth_callback?: (allowed: boolean, key: string, id: number, request: RestRequest) => Awaitable<boolean>
  /** Returns the value to store for a given one, which has been checked. */
  sanitize_callback?: (
    value: unknown,
    key: string,
    objectType: MetaObject,
    subtype: string,
    request: RestRequest,
  ) => unknown
  /** Whether the revisions and autosaves of a post keep its value. */
  revisions_enabled?: boolean
  /** Whether it may take the place of another plugin's key of this name; otherwise the log warns. */
  override?: boolean
}

/** A registered meta key, with all defaults. */
export interface MetaField extends MetaSpec {
  readonly key: string
  readonly objectType: MetaObject
  /** '' for every subtype. */
  readonly subtype: string
  readonly single: boolean
  /** How `meta` shows it; null when it does not. */
  readonly shown: ShownMeta | null
}

/** How `meta` shows a key. */
export interface ShownMeta {
  readonly name: string
  /** The schema of what is shown: of the value, or of the list of values. */
  readonly schema: PropertySchema
  /** The schema of one value. */
  readonly valueSchema: PropertySchema
  readonly prepare: PrepareMeta
}

/** What an empty text stands for. */
export const EMPTY: Readonly<Record<MetaType, unknown>> = {
  string: '',
  integer: 0,
  number: 0,
  boolean: false,
  array: [],
  object: [],
}

/** The registered meta keys, each owned by the plugin that registered it. */
export class MetaRegistry {
  readonly #fields = new OwnedMap<MetaField>('meta key')
  readonly #known = derived(this.#fields, () => ({
    bySubtype: new Map<string, readonly MetaField[]>(),
    shown: new Map<string, readonly MetaField[]>(),
    keys: new Map<MetaObject, readonly string[]>(),
    queryable: this.#fields.values().filter(isQueryable),
  }))

  /**
   * Registers a key of an object type. A later registration of the same key and subtype replaces the earlier one. Keys
   * that start with `_` are protected: nobody may write them but those whom `auth_callback` allows to.
   * @throws META_KEY_TOO_LONG, META_TYPE_UNKNOWN, META_INVALID, META_ITEMS_MISSING, META_DEFAULT_INVALID, META_NOT_QUERYABLE,
   *   META_COMPARE_UNKNOWN, META_TYPES_DIFFER, META_QUERY_UNDECIDED
   */
  register(objectType: MetaObject, key: string, spec: MetaSpec): void {
    const field = makeField(objectType, key, spec)
    const subject = field.subtype === '' ? objectType : `${objectType} ${field.subtype}`
    this.#fields.set(`${objectType}/${field.subtype}/${key}`, field, `${key} of ${subject}`, spec.override)
  }

  /** The keys that objects of a subtype have: those of every subtype, and its own, which win. */
  fieldsOf(objectType: MetaObject, subtype: string): readonly MetaField[] {
    const name = `${objectType}/${subtype}`
    const { bySubtype } = this.#known()
    let fields = bySubtype.get(name)
    if (fields === undefined) {
      const found = new Map<string, MetaField>()
      for (const wanted of new Set(['', subtype])) {
        for (const field of this.#fields.values()) {
          if (field.objectType === objectType && field.subtype === wanted) found.set(field.key, field)
        }
      }
      fields = [...found.values()]
      bySubtype.set(name, fields)
    }
    return fields
  }

  /** Every key that is in force, and who registered it. */
  protected registered(): [field: MetaField, registrant: Registrant | undefined][] {
    return [...this.#fields].map(([name, field]) => [field, this.#fields.registrantOf(name)])
  }

  /** Those of them that `meta` shows. */
  protected shownFieldsOf(objectType: MetaObject, subtype: string): readonly MetaField[] {
    const name = `${objectType}/${subtype}`
    const { shown: known } = this.#known()
    let fields = known.get(name)
    if (fields === undefined) {
      fields = this.fieldsOf(objectType, subtype).filter(({ shown }) => shown !== null)
      known.set(name, fields)
    }
    return fields
  }

  /** The keys of posts of a type whose values are kept with their revisions. */
  revisedKeys(subtype: string): readonly string[] {
    return this.fieldsOf('post', subtype).flatMap(({ key, revisions_enabled: kept = false }) => (kept ? [key] : []))
  }

  /** The keys that any object of a type has, sorted. */
  keys(objectType: MetaObject): readonly string[] {
    const { keys: known } = this.#known()
    let keys = known.get(objectType)
    if (keys === undefined) {
      const fields = this.#fields.values().filter((field) => field.objectType === objectType)
      keys = [...new Set(fields.map((field) => field.key))].sort()
      known.set(objectType, keys)
    }
    return keys
  }

  /** Those that lists go by; the same list as long as none comes or goes. */
  protected queryableFields(): readonly MetaField[] {
    return this.#known().queryable
  }
}

/** The most characters of a key: keys are in indexes. */
const MAX_KEY_LENGTH = 255

/** @throws META_KEY_TOO_LONG */
export function checkKey(key: string): void {
  if (key.length > MAX_KEY_LENGTH) throw errors.META_KEY_TOO_LONG(key, MAX_KEY_LENGTH)
}

function makeField(objectType: MetaObject, key: string, spec: MetaSpec): MetaField {
  checkRegistration(
    () => metaMistake(key, spec),
    (plugin, why) => errors.META_INVALID(plugin, objectType, String(key), why),
  )
  checkKey(key)
  if (!Object.hasOwn(EMPTY, spec.type)) throw errors.META_TYPE_UNKNOWN(key, String(spec.type))
  const single = spec.single ?? false
  const field = { ...spec, key, objectType, subtype: spec.subtype ?? '', single }
  if (isQueryable(spec)) checkQueryable(objectType, key, spec)
  return { ...field, shown: makeShown(key, single, spec) }
}

/** Whether objects of a subtype can have a value of their own. */
export const isHeld = ({ held_by: holders }: MetaSpec, subtype: string) => holders?.includes(subtype) ?? true

/** Whether lists may be limited to or ordered by a field. */
export const isQueryable = ({ filterable = false, sortable = false }: Queryable) => filterable !== false || sortable

/** Kinds of objects whose lists go by meta, and types that are single values. */
const QUERYABLE: ReadonlySet<string> = new Set(['post', 'term', 'comment', 'user'])
const COMPARABLE: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean'])

/** @throws META_NOT_QUERYABLE, META_COMPARE_UNKNOWN, META_TYPES_DIFFER, META_QUERY_UNDECIDED */
function checkQueryable(objectType: MetaObject, key: string, spec: MetaSpec): void {
  const { type, filterable = false, show_in_rest: shows = false, query_callback } = spec
  if (!QUERYABLE.has(objectType) || !COMPARABLE.has(type)) throw errors.META_NOT_QUERYABLE(key, type, objectType)
  const unknown = typeof filterable === 'boolean' ? undefined : filterable.find((one) => !COMPARES.includes(one))
  if (unknown !== undefined) throw errors.META_COMPARE_UNKNOWN(key, unknown, hint(unknown, COMPARES))
  const schema = typeof shows === 'object' ? shows.schema : undefined
  const shown = [schema?.type ?? type].flat().filter((one) => one !== 'null')
  const kindOf = (one: string) => (one === 'integer' ? 'number' : one)
  if (shown.some((one) => kindOf(one) !== kindOf(type))) throw errors.META_TYPES_DIFFER(key, type, shown.join(' or '))
  // It may show a value to some alone: who could find by it would learn it.
  if (typeof shows === 'object' && shows.prepare_callback !== undefined && query_callback === undefined)
    throw errors.META_QUERY_UNDECIDED(key)
}

const SPEC: Shapes<MetaSpec> = {
  subtype: 'text',
  held_by: 'list',
  type: 'text',
  label: 'text',
  description: 'text',
  single: 'flag',
  default: 'anything',
  show_in_rest: ['flag', 'object'],
  auth_callback: 'function',
  sanitize_callback: 'function',
  revisions_enabled: 'flag',
  filterable: ['flag', 'list'],
  sortable: 'flag',
  query_callback: 'function',
  override: 'flag',
}

const SHOWN: Shapes<Exclude<MetaSpec['show_in_rest'], boolean | undefined>> = {
  name: 'text',
  schema: 'object',
  prepare_callback: 'function',
  dependsOn: ['text', 'list', 'function'],
  cache: 'flag',
}

/** Words for them elsewhere. */
const MEANT = { object_subtype: 'subtype', post_type: 'subtype', schema: 'show_in_rest: { schema: … }' }

/** What is wrong with what a meta key is registered with; null where nothing is. */
function metaMistake(key: unknown, spec: MetaSpec): string | null {
  if (typeof key !== 'string' || key === '') return 'its key must be a text: register(object, key, { type })'
  const wrong = shapeMistake(spec, SPEC, MEANT)
  if (wrong !== null) return `it ${wrong}`
  const { type, show_in_rest: shows } = spec
  // The type itself has an error of its own.
  if (!Object.hasOwn(EMPTY, type) || shows === undefined || shows === false) return null
  if (shows === true) return type === 'object' ? NO_PROPERTIES : null
  const inner = shapeMistake(shows, SHOWN)
  if (inner !== null) return `its show_in_rest ${inner}`
  const { schema = {} } = shows
  if (schema.type !== undefined && ![schema.type].flat().includes(type))
    return `its schema has the type ${[schema.type].flat().join(', ')}, and the key ${type}`
  const mistake = schemaMistake({ type, ...schema })
  if (mistake !== null) return `its schema ${mistake}`
  const says = ['properties', 'patternProperties', 'additionalProperties', 'anyOf', 'oneOf'].some(
    (word) => word in schema,
  )
  return type === 'object' && !says ? NO_PROPERTIES : null
}

const NO_PROPERTIES =
  'it is an object whose properties are not declared, so that it can have none: name them in show_in_rest.schema.properties'

function makeShown(key: string, single: boolean, spec: MetaSpec): ShownMeta | null {
  const { show_in_rest: shows = false } = spec
  if (shows === false) return null
  const { name = key, prepare_callback: own, dependsOn, cache } = shows === true ? {} : shows
  const { name: plugin } = currentOwner()
  const checked: PrepareMeta = async (...args) => refusePromise(await own!(...args), plugin, `the meta field ${key}`)
  const prepare = own === undefined ? prepareMeta : declared(checked, `the meta field ${key}`, { dependsOn, cache })
  const valueSchema = valueSchemaOf(spec)
  if (valueSchema.type === 'array' && valueSchema.items === undefined) throw errors.META_ITEMS_MISSING(key)
  const fits = spec.default === undefined || validateValue(spec.default, valueSchema, 'The value')
  if (fits instanceof RestError) throw errors.META_DEFAULT_INVALID(key, fits.message)
  if (single) return { name, schema: valueSchema, valueSchema, prepare }
  const { context, ...items } = valueSchema
  return { name, schema: { type: 'array', ...(context && { context }), items }, valueSchema, prepare }
}

/** The schema of one value. */
export function valueSchemaOf({
  type,
  description = '',
  default: value,
  show_in_rest: shows,
}: MetaSpec): PropertySchema {
  const { schema = {} } = typeof shows === 'object' ? shows : {}
  return closedSchema({ type, description, ...schema, default: value ?? schema.default ?? EMPTY[type] })
}

/**
 * What is shown for a stored value: cast to its type, without the properties that its schema does not know. A value that
 * does not match the schema is shown as null, an empty string of a number or a boolean as 0 or false.
 */
function prepareMeta(value: unknown, _request: RestRequest, { type, shown }: MetaField): unknown {
  const { valueSchema } = shown!
  if (value === '' && type !== 'string' && type !== 'array' && type !== 'object') return EMPTY[type]
  // In most lists, most fields have their default.
  const isDefault = value === valueSchema.default
  const known = isDefault ? shownDefaults.get(valueSchema) : undefined
  if (known !== undefined) return known
  const parsed = parseMeta(value, valueSchema)
  // A list or an object is parsed for each item, because a tap may change it.
  if (isDefault && (parsed === null || typeof parsed !== 'object')) shownDefaults.set(valueSchema, parsed)
  return parsed
}

/** The parsed default of each schema whose default is a plain value. */
const shownDefaults = new WeakMap<PropertySchema, unknown>()

function parseMeta(value: unknown, valueSchema: PropertySchema): unknown {
  try {
    return emptyAsLists(parseValue(withoutRefused(value, valueSchema), valueSchema, 'value'))
  } catch (error) {
    if (error instanceof RestError) return null
    throw error
  }
}
