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
import { omitFailedPart } from '../../library/caching/index.ts'
import { rejecting } from '../../library/long-work/index.ts'
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

/** The shown values by public name. Without values it is an empty list, as clients expect. */
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
   * Adds meta to objects of another type until the plugin is removed. Writing a value requires the capability
   * `edit_TYPE_meta`.
   */
  addObjectType(objectType: string, storage: MetaStorage): void {
    this.#tables.add(objectType, storage)
  }

  /** Returns the filterable and sortable keys; the list is the same object until a key is added or removed. */
  indexed(): readonly IndexedField[] {
    const of = this.queryableFields()
    if (this.#indexed.of !== of) {
      const isShownFor = (field: MetaField) => (subtype: string) =>
        field.objectType !== 'post' || this.#supportsMeta(subtype)
      this.#indexed = { of, fields: of.map((field) => indexedField(this.#reader, field, isShownFor(field))) }
    }
    return this.#indexed.fields
  }

  /** Reports keys of object types without meta, of unknown subtypes, and of content types that do not show meta. */
  check(check: RegistrationCheck): void {
    const tables = this.#tables.types
    for (const [{ key, objectType, subtype, shown }, registrant] of this.registered()) {
      const report = (detail: string) => check.warn(registrant, `registers the meta key ${key} ${detail}`)
      if (!tables.includes(objectType)) {
        const isType = check.isKnown(objectType)
        const advice = isType
          ? `: register it for post or term with subtype: '${objectType}'`
          : hint(objectType, tables)
        report(`of ${objectType}, which has no meta${advice}`)
      } else if (subtype !== '' && (objectType === 'post' || objectType === 'term') && !check.isKnown(subtype)) {
        report(`for the ${objectType} type ${check.unknownType(subtype)}`)
      } else if (subtype !== '' && objectType === 'post' && shown !== null && !this.#supportsMeta(subtype)) {
        report(`for ${subtype}, which does not show meta: add 'custom-fields' to its supports`)
      }
    }
  }

  /** Returns the `meta` property of an item schema; null for content types that do not support `custom-fields`. */
  schemaFor(objectType: MetaObject, subtype: string): PropertySchema | null {
    return objectType === 'post' && !this.#supportsMeta(subtype) ? null : this.schemaOfAll(objectType, subtype)
  }

  /**
   * Returns the `meta` property regardless of `custom-fields`: revisions and autosaves show meta that their posts do
   * not show.
   */
  schemaOfAll(objectType: MetaObject, subtype: string): PropertySchema {
    return metaSchema(this.fieldsOf(objectType, subtype), this.#plugin.since('6.7'))
  }

  /**
   * Returns the shown meta of an object. Concurrent calls within a request share one statement.
   * @param selection omits values that the request does not select; its context also applies inside the values
   */
  values(
    objectType: MetaObject,
    subtype: string,
    id: number,
    request: RestRequest,
    selection?: Selection,
  ): Awaitable<ShownValues> {
    const fields = this.#shownFields(objectType, subtype, selection)
    if (fields.length === 0) return []
    const isStored = fields.some((field) => isHeld(field, subtype))
    const stored = isStored ? this.#loader(objectType, request.scope).load(id) : NOTHING
    return isThenable(stored)
      ? stored.then((late) => this.#shown(fields, late, request, selection))
      : this.#shown(fields, stored, request, selection)
  }

  /**
   * Checks whether every reader of an object may know a key: the `meta` field shows it, or lists can be filtered or
   * sorted by it.
   */
  isPublic(objectType: MetaObject, subtype: string, key: string): boolean {
    const field = this.fieldsOf(objectType, subtype).find((one) => one.key === key)
    if (field === undefined) return false
    const { context } = field.shown?.schema ?? { context: [] }
    const isShown = field.shown !== null && (context === undefined || context.includes('view'))
    return isShown || (isQueryable(field) && field.query_callback === undefined)
  }

  /** Checks whether the `meta` field shows stored values for a selection of fields. */
  shows(objectType: MetaObject, subtype: string, selection: Selection): boolean {
    return (
      selection.has('meta') && this.#shownFields(objectType, subtype, selection).some((one) => isHeld(one, subtype))
    )
  }

  /** Loads the registered values of several objects; returns undefined if they are already loaded. */
  loadAll(objectType: MetaObject, ids: readonly number[], scope: RequestCache): Promise<unknown> | undefined {
    return this.#loader(objectType, scope).loadAll(ids)
  }

  /** Returns every stored value of an object, registered or not. Calls within a request share one statement. */
  rows(objectType: MetaObject, id: number, scope: RequestCache): Awaitable<MetaRow[]> {
    return this.#reader.rows(objectType, scope).load(id)
  }

  /**
   * Returns the IDs of objects with a string value under a key, most recently added first. Adds no cache dependencies.
   * @param limit maximum number of IDs
   */
  ownersOf(objectType: MetaObject, key: string, value: string, limit: number): Promise<number[]> {
    return this.#reader.ownersOf(objectType, key, value, limit)
  }

  /** Returns the stored values of an object under all registered keys. Calls within a request share one statement. */
  registeredValues(objectType: MetaObject, id: number, scope: RequestCache): Awaitable<MetaValues> {
    return this.#loader(objectType, scope).load(id)
  }

  /**
   * Returns the first stored value under a key, or undefined. Registered keys are read together with all other
   * registered keys of the object type; an unregistered key needs a separate statement for each list.
   */
  async single(objectType: MetaObject, id: number, key: string, scope: RequestCache): Promise<unknown> {
    const keys = this.keys(objectType)
    const loader = keys.includes(key)
      ? this.#reader.loader(objectType, keys, keys, scope)
      : this.#reader.loader(objectType, [key], `meta ${objectType} ${key}`, scope)
    return (await loader.load(id)).get(key)?.[0]
  }

  /**
   * Replaces all values of an object under a key with `values`; an empty list removes the key. Checks only the length
   * of the key.
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
   * Replaces the values under several keys, like `write`.
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
   * Stores the argument `meta` of a request, as far as the user may write it. If a value is rejected, nothing is
   * written.
   * @param object the row of the object, as `Capabilities.can` expects it
   * @param input values by public name; unregistered names are ignored, null removes the stored value
   * @returns `rest_cannot_update`, `rest_cannot_delete` or the error of the schema, whose code names the violated rule
   * since WordPress 5.5; null if all values were stored
   */
  async update(
    objectType: MetaObject,
    subtype: string,
    object: CapabilityObject,
    input: unknown,
    request: RestRequest,
  ): Promise<RestError | null> {
    const { has, services, since } = this.#plugin
    const fields = this.fieldsOf(objectType, subtype)
    const capabilities = has('roles') ? services.capabilities : undefined
    const refused = await writeMeta(this.#writer, { fields, capabilities }, { subtype, object, values: input }, request)
    request.scope.clear()
    return refused !== null && since('5.5') ? namedByRule(refused) : refused
  }

  /** Replaces the values of a post under some keys with the values of another post. */
  async copy(from: number, to: number, keys: readonly string[], scope: RequestCache): Promise<void> {
    await this.#writer.copy(from, to, keys)
    scope.clear()
  }

  /** Checks whether two posts currently have the same values under some keys. */
  async isSame(first: number, second: number, keys: readonly string[]): Promise<boolean> {
    for (const key of keys) {
      const values = await this.#reader.valuesOf('post', key, [first, second])
      if (!isDeepStrictEqual(values.get(first) ?? [], values.get(second) ?? [])) return false
    }
    return true
  }

  #shownFields(objectType: MetaObject, subtype: string, selection: Selection | undefined): readonly MetaField[] {
    const fields = this.shownFieldsOf(objectType, subtype)
    return selection === undefined ? fields : fields.filter(({ shown }) => selection.has(`meta.${shown!.name}`))
  }

  /** Returns the loader for the values of all registered keys. */
  #loader(objectType: MetaObject, scope: RequestCache): Loader<MetaValues> {
    const keys = this.keys(objectType)
    // The list object is different for each type and after each registration, so it identifies the loader.
    return this.#reader.loader(objectType, keys, keys, scope)
  }

  /** Returns the shown values of fields. */
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
        value = this.#omitFailedField(field, error, request)
      }
      data[name] = selection === undefined ? value : filterByContext(value, schema, selection.context)
    }
    return data
  }

  /** Logs the error of a failed field, which the list shows as null. */
  #omitFailedField({ key }: MetaField, error: unknown, { id, matchedRoute: route }: RestRequest): null {
    omitFailedPart(this.#plugin.log, error, { request: id, route, key }, 'a list shows an item without a meta field')
    return null
  }

  /** Media and menu items always have meta, as clients expect. */
  #supportsMeta(contentType: string): boolean {
    const { has, services } = this.#plugin
    if (contentType === 'attachment' || contentType === 'nav_menu_item' || !has('content-types')) return true
    return services.contentTypes.supports(contentType, 'custom-fields')
  }
}

/** Returns the shown value of a field, or the list of its shown values. */
function shownValue(field: MetaField, stored: readonly unknown[], request: RestRequest): Awaitable<unknown> {
  const { prepare, valueSchema } = field.shown!
  if (field.single) return prepare(stored.length > 0 ? stored[0] : valueSchema.default, request, field)
  const values = stored.length > 0 || field.default === undefined ? stored : [field.default]
  const prepared = values.map((value) => rejecting(() => prepare(value, request, field)))
  return prepared.some(isThenable) ? Promise.all(prepared) : prepared
}
