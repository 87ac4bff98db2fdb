import { isDeepStrictEqual } from 'node:util'
import {
  isThenable,
  type Awaitable,
  type PluginContext,
  type RequestCache,
  type RestError,
  type RestRequest,
} from '../../../kernel/index.ts'
import { hint } from '../../library/suggestions/index.ts'
import { leaveOut } from '../../library/caching/index.ts'
import type { RegistrationCheck } from '../../library/advice/index.ts'
import { namedByRule } from '../../requests/arguments/index.ts'
import { filterByContext, type PropertySchema, type Selection } from '../../resources/index.ts'
import type { CapabilityObject } from '../../people/roles/index.ts'
import { writeMeta } from './input.ts'
import type { Loader } from '../../storage/store/index.ts'
import type { IndexedField } from '../../storage/field-index/index.ts'
import { indexedField } from './indexed-fields.ts'
import { MetaReader, type MetaRow, type MetaValues } from './reader.ts'
import { isHeld, isQueryable, MetaRegistry, type MetaField, type MetaObject } from './registry.ts'
import { metaSchema } from './schema.ts'
import { MetaTables, type MetaStorage } from './storage.ts'
import { MetaWriter } from './writer.ts'

/** What `meta` shows: values by their public name. Without any it is an empty list, as clients expect. */
export type ShownValues = Record<string, unknown> | readonly never[]

const NOTHING: MetaValues = new Map()

/** Meta of posts, terms, comments and users: values by key. */
export class MetaService extends MetaRegistry {
  readonly #plugin: PluginContext
  readonly #tables = new MetaTables()
  readonly #reader: MetaReader
  readonly #writer: MetaWriter
  #indexed: { of: readonly MetaField[]; fields: readonly IndexedField[] } = { of: [], fields: [] }

  constructor(plugin: PluginContext) {
    super()
    this.#plugin = plugin
    this.#reader = new MetaReader(plugin.services.store, this.#tables)
    this.#writer = new MetaWriter(plugin, this.#tables)
  }

  /**
   * Gives meta to objects of another type, until the plugin is removed. Who may write a value is asked as
   * `edit_TYPE_meta`.
   */
  addObjectType(objectType: string, storage: MetaStorage): void {
    this.#tables.add(objectType, storage)
  }

  /** The keys that lists go by; the same list as long as none comes or goes. */
  indexed(): readonly IndexedField[] {
    const of = this.queryableFields()
    if (this.#indexed.of !== of) {
      const isShownFor = (field: MetaField) => (subtype: string) =>
        field.objectType !== 'post' || this.#supportsMeta(subtype)
      this.#indexed = { of, fields: of.map((field) => indexedField(this.#reader, field, isShownFor(field))) }
    }
    return this.#indexed.fields
  }

  /** Tells of keys of objects that have no meta, of types that are not there, or of types that do not show meta. */
  check(check: RegistrationCheck): void {
    const tables = this.#tables.types
    for (const [{ key, objectType, subtype, shown }, registrant] of this.registered()) {
      const tell = (why: string) => check.tell(registrant, `registers the meta key ${key} ${why}`)
      if (!tables.includes(objectType)) {
        const isType = check.isKnown(objectType)
        const advice = isType
          ? `: register it for post or term with subtype: '${objectType}'`
          : hint(objectType, tables)
        tell(`of ${objectType}, which has no meta${advice}`)
      } else if (subtype !== '' && (objectType === 'post' || objectType === 'term') && !check.isKnown(subtype)) {
        tell(`for the ${objectType} type ${check.unknownType(subtype)}`)
      } else if (subtype !== '' && objectType === 'post' && shown !== null && !this.#supportsMeta(subtype)) {
        tell(`for ${subtype}, which does not show meta: add 'custom-fields' to its supports`)
      }
    }
  }

  /** The `meta` property of an item schema; null for content types that do not support `custom-fields`. */
  schemaFor(objectType: MetaObject, subtype: string): PropertySchema | null {
    return objectType === 'post' && !this.#supportsMeta(subtype) ? null : this.schemaOfAll(objectType, subtype)
  }

  /** The same whatever content types support: revisions and autosaves tell meta that their posts do not show. */
  schemaOfAll(objectType: MetaObject, subtype: string): PropertySchema {
    return metaSchema(this.fieldsOf(objectType, subtype), this.#plugin.since('6.7'))
  }

  /**
   * What `meta` shows of an object. Concurrent calls within one request share a statement.
   * @param selection leaves out what the request does not get; its context is that of the values' own schemas
   */
  values(
    objectType: MetaObject,
    subtype: string,
    id: number,
    request: RestRequest,
    selection?: Selection,
  ): Awaitable<ShownValues> {
    const wanted = this.#wanted(objectType, subtype, selection)
    if (wanted.length === 0) return []
    const isStored = wanted.some((field) => isHeld(field, subtype))
    const stored = isStored ? this.#loader(objectType, request.scope).load(id) : NOTHING
    return isThenable(stored)
      ? stored.then((late) => this.#shown(wanted, late, request, selection))
      : this.#shown(wanted, stored, request, selection)
  }

  /** Whether everybody who reads an object may know of a key that it has: `meta` shows it, or lists go by it. */
  isPublic(objectType: MetaObject, subtype: string, key: string): boolean {
    const field = this.fieldsOf(objectType, subtype).find((one) => one.key === key)
    if (field === undefined) return false
    const { context } = field.shown?.schema ?? { context: [] }
    const isShown = field.shown !== null && (context === undefined || context.includes('view'))
    return isShown || (isQueryable(field) && field.query_callback === undefined)
  }

  /** Whether `meta` shows anything that is stored of objects for which a request gets these fields. */
  shows(objectType: MetaObject, subtype: string, selection: Selection): boolean {
    return selection.has('meta') && this.#wanted(objectType, subtype, selection).some((one) => isHeld(one, subtype))
  }

  /** Has the registered values of several objects read; undefined where that has been done. */
  loadAll(objectType: MetaObject, ids: readonly number[], scope: RequestCache): Promise<unknown> | undefined {
    return this.#loader(objectType, scope).loadAll(ids)
  }

  /** Every stored value of an object, registered or not, batched within a request. */
  rows(objectType: MetaObject, id: number, scope: RequestCache): Awaitable<MetaRow[]> {
    return this.#reader.rows(objectType, scope).load(id)
  }

  /**
   * IDs of the objects that have a text under a key, the one that got it last first. What is kept does not depend on it.
   * @param limit the most of them
   */
  ownersOf(objectType: MetaObject, key: string, value: string, limit: number): Promise<number[]> {
    return this.#reader.ownersOf(objectType, key, value, limit)
  }

  /** The stored values of an object under all keys that are registered for its type, batched within a request. */
  registeredValues(objectType: MetaObject, id: number, scope: RequestCache): Awaitable<MetaValues> {
    return this.#loader(objectType, scope).load(id)
  }

  /**
   * The first stored value under a key; undefined when there is none. Registered keys are read together with all others
   * that are registered for the object type; one that is not costs a statement of its own for a list.
   */
  async single(objectType: MetaObject, id: number, key: string, scope: RequestCache): Promise<unknown> {
    const keys = this.keys(objectType)
    const loader = keys.includes(key)
      ? this.#reader.loader(objectType, keys, keys, scope)
      : this.#reader.loader(objectType, [key], `meta ${objectType} ${key}`, scope)
    return (await loader.load(id)).get(key)?.[0]
  }

  /**
   * Stores `values` in place of all that the object has under the key; an empty list removes it. Checks only the length of
   * the key.
   * @throws META_KEY_TOO_LONG
   */
  async write(
    objectType: MetaObject,
    id: number,
    key: string,
    values: readonly unknown[],
    scope: RequestCache,
  ): Promise<void> {
    await this.writeAll(objectType, id, { [key]: values }, scope)
  }

  /**
   * As `write`, for several keys at once.
   * @param values by key
   * @throws META_KEY_TOO_LONG
   */
  async writeAll(
    objectType: MetaObject,
    id: number,
    values: Readonly<Record<string, readonly unknown[]>>,
    scope: RequestCache,
  ): Promise<void> {
    await this.#writer.write(objectType, id, new Map(Object.entries(values)))
    scope.clear()
  }

  /**
   * Stores what a request gives for the argument `meta`, as far as the user may write it. Nothing is written when any of it
   * is refused.
   * @param object the row that has the meta, as `Capabilities.can` wants it
   * @param given values by public name; unregistered names are ignored, null removes what is stored
   * @returns the refusal: `rest_cannot_update`, or that of the schema, named by its rule from revision 5.9 on; null when
   * all was stored
   */
  async update(
    objectType: MetaObject,
    subtype: string,
    object: CapabilityObject,
    given: unknown,
    request: RestRequest,
  ): Promise<RestError | null> {
    const { has, services, since } = this.#plugin
    const fields = this.fieldsOf(objectType, subtype)
    const capabilities = has('roles') ? services.capabilities : undefined
    const refused = await writeMeta(this.#writer, { fields, capabilities }, { subtype, object, given }, request)
    request.scope.clear()
    return refused !== null && since('5.5') ? namedByRule(refused) : refused
  }

  /** Gives a post the values that another one has under some keys, in place of its own. */
  async copy(from: number, to: number, keys: readonly string[], scope: RequestCache): Promise<void> {
    await this.#writer.copy(from, to, keys)
    scope.clear()
  }

  /** Whether two posts have the same values under some keys, as they are stored now. */
  async isSame(one: number, other: number, keys: readonly string[]): Promise<boolean> {
    for (const key of keys) {
      const values = await this.#reader.valuesOf('post', key, [one, other])
      if (!isDeepStrictEqual(values.get(one) ?? [], values.get(other) ?? [])) return false
    }
    return true
  }

  #wanted(objectType: MetaObject, subtype: string, selection: Selection | undefined): readonly MetaField[] {
    const fields = this.shownFieldsOf(objectType, subtype)
    return selection === undefined ? fields : fields.filter(({ shown }) => selection.has(`meta.${shown!.name}`))
  }

  /** Loads the values of all registered keys. */
  #loader(objectType: MetaObject, scope: RequestCache): Loader<MetaValues> {
    const keys = this.keys(objectType)
    // The list of keys is another one for each type, and after each registration.
    return this.#reader.loader(objectType, keys, keys, scope)
  }

  /** What fields show of the stored values. */
  async #shown(
    fields: readonly MetaField[],
    stored: MetaValues,
    request: RestRequest,
    selection: Selection | undefined,
  ): Promise<ShownValues> {
    const data: Record<string, unknown> = {}
    for (const field of fields) {
      const { name, schema } = field.shown!
      let value: unknown
      try {
        const shown = shownValue(field, stored.get(field.key) ?? [], request)
        value = isThenable(shown) ? await shown : shown
      } catch (error) {
        if (!request.isForList) throw error
        value = this.#leaveOut(field, error, request)
      }
      data[name] = selection === undefined ? value : filterByContext(value, schema, selection.context)
    }
    return data
  }

  /** Logs why a field of an item fails, which the list shows as null. */
  #leaveOut({ key }: MetaField, error: unknown, { id, matchedRoute: route }: RestRequest): null {
    leaveOut(this.#plugin.log, error, { request: id, route, key }, 'a list shows an item without a meta field')
    return null
  }

  /** Media and menu items have meta whatever their content type supports, as clients expect. */
  #supportsMeta(contentType: string): boolean {
    const { has, services } = this.#plugin
    if (contentType === 'attachment' || contentType === 'nav_menu_item' || !has('content-types')) return true
    return services.contentTypes.supports(contentType, 'custom-fields')
  }
}

/** The value of a field, or the list of its values, as it is shown. */
function shownValue(field: MetaField, stored: readonly unknown[], request: RestRequest): Awaitable<unknown> {
  const { prepare, valueSchema } = field.shown!
  if (field.single) return prepare(stored.length > 0 ? stored[0] : valueSchema.default, request, field)
  const values = stored.length > 0 || field.default === undefined ? stored : [field.default]
  const prepared = values.map((value) => prepare(value, request, field))
  return prepared.some(isThenable) ? Promise.all(prepared) : prepared
}
