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

/** Object types with meta: the built-in ones, and types that plugins add with `addObjectType`. */
export type MetaObject = 'post' | 'term' | 'comment' | 'user' | (string & {})
export type MetaType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object'

/** Returns the value that the REST API shows for a stored value. It can be asynchronous. */
export type PrepareMeta = (value: unknown, request: RestRequest, field: MetaField) => Awaitable<unknown>

/**
 * The registration of a meta key. Lists of posts, terms, comments and users can be filtered and sorted by strings,
 * numbers and booleans: `filterable`, `sortable`.
 */
export interface MetaSpec extends Queryable {
  /** Content type, taxonomy or comment type that has the key; by default every subtype. */
  subtype?: string
  /**
   * Subtypes whose objects can have a value, by default all. Objects of other subtypes show the default without a read.
   */
  held_by?: readonly string[]
  /** Type of one value. */
  type: MetaType
  /** Title of the value in the REST schema. */
  label?: string
  /** Description of the value in the REST schema. */
  description?: string
  /** Whether an object has a single value instead of a list. False by default. */
  single?: boolean
  /** Value of an object without a stored one; for a list of values, its only item. */
  default?: unknown
  /**
   * Whether and how the `meta` field shows the key. False by default; true shows it under its key with a schema of its
   * type.
   */
  show_in_rest?:
    | boolean
    | {
        /** Public name. The key by default. */
        name?: string
        /** Schema of one value, merged with `type`, `description` and `default`. */
        schema?: PropertySchema
        /** Returns the shown value, instead of parsing the stored value by the schema. */
        prepare_callback?: PrepareMeta
        /** Cache tags of other data that `prepare_callback` reads, or a function that returns them. */
        dependsOn?: DependsOn<Parameters<PrepareMeta>>
        /** Whether responses that show the value can be cached. True by default. */
        cache?: boolean
      }
  /**
   * Whether forms of the admin show the key among the custom fields. True by default; set it to false for a key that a
   * panel or an editor edits.
   */
  show_ui?: boolean
  /**
   * Decides whether a user may write the value. Without it, users who can edit the object may write keys that do not
   * start with `_`.
   * @param allowed whether the user could write the value without this callback
   * @param key the meta key
   * @param id ID of the object
   * @param request the request that writes the value; `request.user` is the user
   */
  auth_callback?: (allowed: boolean, key: string, id: number, request: RestRequest) => Awaitable<boolean>
  /**
   * Returns the value to store. For a list of values it is called once per item.
   * @param value the value from the request, parsed by the schema
   * @param key the meta key
   * @param objectType `post`, `term`, `comment`, `user`, or a type of a plugin
   * @param subtype content type, taxonomy or comment type of the object; '' for users
   * @param request the request that writes the value
   */
  sanitize_callback?: (
    value: unknown,
    key: string,
    objectType: MetaObject,
    subtype: string,
    request: RestRequest,
  ) => unknown
  /** Whether revisions and autosaves of a post store the value. False by default. */
  revisions_enabled?: boolean
  /** Whether the registration may replace another plugin's key with the same name; otherwise a warning is logged. */
  override?: boolean
}

/** A registered meta key with all defaults. */
export interface MetaField extends MetaSpec {
  readonly key: string
  readonly objectType: MetaObject
  /** '' for every subtype. */
  readonly subtype: string
  readonly single: boolean
  /** How the `meta` field shows the key; null if it does not. */
  readonly shown: ShownMeta | null
}

/** How the `meta` field shows a key. */
export interface ShownMeta {
  readonly name: string
  /** Schema of the shown value or list of values. */
  readonly schema: PropertySchema
  /** Schema of one value. */
  readonly valueSchema: PropertySchema
  readonly prepare: PrepareMeta
}

/** Shown values of stored empty strings, by type. */
export const EMPTY: Readonly<Record<MetaType, unknown>> = {
  string: '',
  integer: 0,
  number: 0,
  boolean: false,
  array: [],
  object: [],
}

/** Registers meta keys, each owned by the plugin that registered it. */
export class MetaRegistry {
  readonly #fields = new OwnedMap<MetaField>('meta key')
  readonly #derived = derived(this.#fields, () => ({
    bySubtype: new Map<string, readonly MetaField[]>(),
    shown: new Map<string, readonly MetaField[]>(),
    keys: new Map<MetaObject, readonly string[]>(),
    queryable: this.#fields.values().filter(isQueryable),
  }))

  /**
   * Registers a key of an object type. A later registration of the same key and subtype replaces the earlier one. Keys
   * that start with `_` are protected: only users whom `auth_callback` allows may write them.
   * @throws META_KEY_TOO_LONG, META_TYPE_UNKNOWN, META_INVALID, META_ITEMS_MISSING, META_DEFAULT_INVALID,
   * META_NOT_QUERYABLE, META_COMPARE_UNKNOWN, META_TYPES_DIFFER, META_QUERY_UNDECIDED
   */
  register(objectType: MetaObject, key: string, spec: MetaSpec): void {
    const field = makeField(objectType, key, spec)
    const subject = field.subtype === '' ? objectType : `${objectType} ${field.subtype}`
    this.#fields.set(`${objectType}/${field.subtype}/${key}`, field, `${key} of ${subject}`, spec.override)
  }

  /**
   * Returns the keys that objects of a subtype have: keys of every subtype, and its specific keys, which take
   * precedence.
   */
  fieldsOf(objectType: MetaObject, subtype: string): readonly MetaField[] {
    const name = `${objectType}/${subtype}`
    const { bySubtype } = this.#derived()
    let fields = bySubtype.get(name)
    if (fields === undefined) {
      const byKey = new Map<string, MetaField>()
      for (const subtypeName of new Set(['', subtype])) {
        for (const field of this.#fields.values()) {
          if (field.objectType === objectType && field.subtype === subtypeName) byKey.set(field.key, field)
        }
      }
      fields = [...byKey.values()]
      bySubtype.set(name, fields)
    }
    return fields
  }

  /** Returns all active keys with the plugin that registered each. */
  protected registered(): [field: MetaField, registrant: Registrant | undefined][] {
    return [...this.#fields].map(([name, field]) => [field, this.#fields.registrantOf(name)])
  }

  /** Returns the keys of a subtype that the `meta` field shows. */
  protected shownFieldsOf(objectType: MetaObject, subtype: string): readonly MetaField[] {
    const name = `${objectType}/${subtype}`
    const { shown: cached } = this.#derived()
    let fields = cached.get(name)
    if (fields === undefined) {
      fields = this.fieldsOf(objectType, subtype).filter(({ shown }) => shown !== null)
      cached.set(name, fields)
    }
    return fields
  }

  /** Returns the keys whose values are stored with revisions of a content type. */
  revisedKeys(subtype: string): readonly string[] {
    return this.fieldsOf('post', subtype).flatMap(({ key, revisions_enabled: isRevisioned = false }) =>
      isRevisioned ? [key] : [],
    )
  }

  /** Returns all keys of an object type, sorted. */
  keys(objectType: MetaObject): readonly string[] {
    const { keys: cached } = this.#derived()
    let keys = cached.get(objectType)
    if (keys === undefined) {
      const fields = this.#fields.values().filter((field) => field.objectType === objectType)
      keys = [...new Set(fields.map((field) => field.key))].sort()
      cached.set(objectType, keys)
    }
    return keys
  }

  /** Returns the filterable and sortable keys; the list is the same object until a key is added or removed. */
  protected queryableFields(): readonly MetaField[] {
    return this.#derived().queryable
  }
}

/** Maximum characters of a key, because keys are indexed. */
const MAX_KEY_LENGTH = 255

/** @throws META_KEY_TOO_LONG */
export function checkKey(key: string): void {
  if (key.length > MAX_KEY_LENGTH) throw errors.META_KEY_TOO_LONG(key, MAX_KEY_LENGTH)
}

function makeField(objectType: MetaObject, key: string, spec: MetaSpec): MetaField {
  checkRegistration(
    () => findMetaMistake(key, spec),
    (plugin, reason) => errors.META_INVALID(plugin, objectType, String(key), reason),
  )
  checkKey(key)
  if (!Object.hasOwn(EMPTY, spec.type)) throw errors.META_TYPE_UNKNOWN(key, String(spec.type))
  const single = spec.single ?? false
  const field = { ...spec, key, objectType, subtype: spec.subtype ?? '', single }
  if (isQueryable(spec)) checkQueryable(objectType, key, spec)
  return { ...field, shown: makeShown(key, single, spec) }
}

/** Checks whether objects of a subtype can have a value. */
export const isHeld = ({ held_by: holders }: MetaSpec, subtype: string) => holders?.includes(subtype) ?? true

/** Checks whether lists can be filtered or sorted by a field. */
export const isQueryable = ({ filterable = false, sortable = false }: Queryable) => filterable !== false || sortable

/** Object types and value types that lists can be filtered and sorted by. */
const QUERYABLE: ReadonlySet<string> = new Set(['post', 'term', 'comment', 'user'])
const COMPARABLE: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean'])

/** @throws META_NOT_QUERYABLE, META_COMPARE_UNKNOWN, META_TYPES_DIFFER, META_QUERY_UNDECIDED */
function checkQueryable(objectType: MetaObject, key: string, spec: MetaSpec): void {
  const { type, filterable = false, show_in_rest: shows = false, query_callback } = spec
  if (!QUERYABLE.has(objectType) || !COMPARABLE.has(type)) throw errors.META_NOT_QUERYABLE(key, type, objectType)
  const unknown = typeof filterable === 'boolean' ? undefined : filterable.find((one) => !COMPARES.includes(one))
  if (unknown !== undefined) throw errors.META_COMPARE_UNKNOWN(key, unknown, hint(unknown, COMPARES))
  const schema = typeof shows === 'object' ? shows.schema : undefined
  const shown = [schema?.type ?? type].flat().filter((shownType) => shownType !== 'null')
  const kindOf = (name: string) => (name === 'integer' ? 'number' : name)
  if (shown.some((shownType) => kindOf(shownType) !== kindOf(type)))
    throw errors.META_TYPES_DIFFER(key, type, shown.join(' or '))
  // The callback can hide a value from some users, who could learn it by filtering.
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
  show_ui: 'flag',
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

/** Common wrong names, with the right ones. */
const CORRECT_NAMES = { object_subtype: 'subtype', post_type: 'subtype', schema: 'show_in_rest: { schema: … }' }

/** Returns the mistake in a registration, or null. */
function findMetaMistake(key: unknown, spec: MetaSpec): string | null {
  if (typeof key !== 'string' || key === '') return 'its key must be a string: register(object, key, { type })'
  const wrong = shapeMistake(spec, SPEC, CORRECT_NAMES)
  if (wrong !== null) return `it ${wrong}`
  const { type, show_in_rest: shows } = spec
  // An unknown type has a separate error.
  if (!Object.hasOwn(EMPTY, type) || shows === undefined || shows === false) return null
  if (shows === true) return type === 'object' ? NO_PROPERTIES : null
  const inner = shapeMistake(shows, SHOWN)
  if (inner !== null) return `its show_in_rest ${inner}`
  const { schema = {} } = shows
  if (schema.type !== undefined && ![schema.type].flat().includes(type))
    return `its schema has the type ${[schema.type].flat().join(', ')}, but the key has ${type}`
  const mistake = schemaMistake({ type, ...schema })
  if (mistake !== null) return `its schema ${mistake}`
  const declaresProperties = ['properties', 'patternProperties', 'additionalProperties', 'anyOf', 'oneOf'].some(
    (word) => word in schema,
  )
  return type === 'object' && !declaresProperties ? NO_PROPERTIES : null
}

const NO_PROPERTIES = 'it is an object without declared properties: define them in show_in_rest.schema.properties'

function makeShown(key: string, single: boolean, spec: MetaSpec): ShownMeta | null {
  const { show_in_rest: shows = false } = spec
  if (shows === false) return null
  const { name = key, prepare_callback: custom, dependsOn, cache } = shows === true ? {} : shows
  const { name: plugin } = currentOwner()
  const checked: PrepareMeta = async (...args) => refusePromise(await custom!(...args), plugin, `the meta field ${key}`)
  const prepare = custom === undefined ? prepareMeta : declared(checked, `the meta field ${key}`, { dependsOn, cache })
  const valueSchema = valueSchemaOf(spec)
  if (valueSchema.type === 'array' && valueSchema.items === undefined) throw errors.META_ITEMS_MISSING(key)
  const fits = spec.default === undefined || validateValue(spec.default, valueSchema, 'The value')
  if (fits instanceof RestError) throw errors.META_DEFAULT_INVALID(key, fits.message)
  if (single) return { name, schema: valueSchema, valueSchema, prepare }
  const { context, ...items } = valueSchema
  return { name, schema: { type: 'array', ...(context && { context }), items }, valueSchema, prepare }
}

/** Returns the schema of one value. */
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
 * Returns the shown value of a stored value: cast to its type, without properties that its schema does not declare. A
 * value that does not match the schema becomes null; the empty string of a number or boolean becomes 0 or false.
 */
function prepareMeta(value: unknown, _request: RestRequest, { type, shown }: MetaField): unknown {
  const { valueSchema } = shown!
  if (value === '' && type !== 'string' && type !== 'array' && type !== 'object') return EMPTY[type]
  // In most lists, most fields have their default value.
  const isDefault = value === valueSchema.default
  const cached = isDefault ? shownDefaults.get(valueSchema) : undefined
  if (cached !== undefined) return cached
  const parsed = parseMeta(value, valueSchema)
  // Lists and objects are parsed for each item, because a tap can change them.
  if (isDefault && (parsed === null || typeof parsed !== 'object')) shownDefaults.set(valueSchema, parsed)
  return parsed
}

/** The parsed default of each schema whose default is a scalar. */
const shownDefaults = new WeakMap<PropertySchema, unknown>()

function parseMeta(value: unknown, valueSchema: PropertySchema): unknown {
  try {
    return emptyAsLists(parseValue(withoutRefused(value, valueSchema), valueSchema, 'value'))
  } catch (error) {
    if (error instanceof RestError) return null
    throw error
  }
}
