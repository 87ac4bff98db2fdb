import {
  derivedOfAll,
  isThenable,
  OwnedMap,
  RestError,
  type Awaitable,
  type PluginContext,
  type RestRequest,
} from '../../../kernel/index.ts'
import { hint } from '../../library/suggestions/index.ts'
import { omitFailedPart, declared } from '../../library/caching/index.ts'
import { checkRegistration, refusePromise, type RegistrationCheck } from '../../library/advice/index.ts'
import { filterByContext, type Selection } from '../../resources/index.ts'
import { COMPARES, type IndexedField, type Queryable } from '../../storage/field-index/index.ts'
import { errors } from './errors.ts'
import { findMistake, type FieldArgs } from './field-args.ts'
import { indexedField, ownerOf } from './indexed-fields.ts'

/** An indexed field with its registration. */
type OwnIndexedField = IndexedField & { readonly args: FieldArgs; readonly objectType: string }

/** Fields that plugins add to objects of other plugins. */
export class ExtraFields {
  readonly #hooks: PluginContext['hooks']
  readonly #byType = new Map<string, OwnedMap<FieldArgs>>()
  readonly #plugin: PluginContext
  /** The last list of indexed fields; fields with an unchanged registration are reused. */
  #lastIndexed: readonly OwnIndexedField[] = []
  readonly #indexed = derivedOfAll(() => (this.#lastIndexed = this.#makeIndexed()))

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
    this.#hooks = plugin.hooks
  }

  /**
   * Registers a field for one or more object types: a content type, `category`, `tag` or another taxonomy, `comment`,
   * `user` … A later registration of the same field replaces the earlier one.
   * @throws FIELD_INVALID, FIELD_INDEX_MISSING, FIELD_INDEX_INVALID
   */
  register(objectTypes: string | readonly string[], attribute: string, registration: FieldArgs): void {
    checkRegistration(
      () => findMistake(registration),
      (plugin, reason) => errors.FIELD_INVALID(plugin, attribute, [objectTypes].flat().join(', '), reason),
    )
    const { get_callback: get } = registration
    checkIndex(attribute, registration)
    const shown = typeof get === 'function' ? declared(get, `the field ${attribute}`, registration) : null
    const args = { ...registration, get_callback: shown }
    for (const objectType of new Set([objectTypes].flat())) {
      let fields = this.#byType.get(objectType)
      if (fields === undefined) this.#byType.set(objectType, (fields = new OwnedMap('field')))
      fields.set(attribute, args, `${attribute} of ${objectType}`, registration.override)
      const { schema: property } = args
      if (!property) continue
      this.#hooks.rest_item_schema.for(objectType).tap('extra-fields', (schema) => {
        // A later registration has a separate tap.
        if (fields.get(attribute) !== args) return schema
        return { ...schema, properties: { ...schema.properties, [attribute]: property } }
      })
    }
  }

  /** Returns the filterable and sortable fields; the list is the same object until a field is added or removed. */
  indexed(): readonly IndexedField[] {
    return this.#indexed()
  }

  /** Computed lazily, because taxonomies and content types can be registered after their fields. */
  #makeIndexed(): readonly OwnIndexedField[] {
    const before = this.#lastIndexed
    const indexedFields = [...this.#byType].flatMap(([objectType, fields]) =>
      [...fields].flatMap(([attribute, args]) => {
        if (!isQueryable(args)) return []
        const owner = ownerOf(this.#plugin, objectType)
        const reusable = before.find((one) => one.args === args && one.objectType === objectType)
        if (reusable?.kind === owner.kind) return [reusable]
        const field = indexedField(this.#plugin.services.store, owner, attribute, args, fields.ownerOf(attribute)!)
        return [{ ...field, args, objectType }]
      }),
    )
    const isSame =
      indexedFields.length === before.length && indexedFields.every((field, place) => field === before[place])
    return isSame ? before : indexedFields
  }

  /**
   * Computes the indexed values of a field again, for lists that filter or sort by it. Call it when data outside the
   * objects that the values depend on has changed.
   * @param ids IDs of the objects; by default all objects of the type
   * @throws FIELD_INDEX_MISSING
   */
  async reindex(objectType: string, attribute: string, ids?: readonly number[]): Promise<void> {
    const { kind, subtype } = ownerOf(this.#plugin, objectType)
    const field = this.indexed().find((one) => one.kind === kind && one.subtype === subtype && one.name === attribute)
    if (field === undefined) throw errors.FIELD_INDEX_MISSING(attribute)
    await this.#plugin.services.fieldIndex.reindex(field, ids)
  }

  /** Reports fields of object types without REST routes, and fields that replace existing properties. */
  check(check: RegistrationCheck): void {
    for (const [objectType, fields] of this.#byType) {
      for (const [attribute, { override = false }] of fields) {
        const registrant = fields.registrantOf(attribute)
        if (override || registrant?.trusted !== false || !check.propertiesOf(objectType).includes(attribute)) continue
        const effect = `replaces an existing ${attribute}`
        check.warn(
          registrant,
          `registers the field ${attribute} of ${objectType}, which ${effect}: choose another name, or set override: true`,
        )
      }
      if (check.objectTypes.has(objectType)) continue
      for (const attribute of fields.keys()) {
        const description = check.isKnown(objectType)
          ? `${objectType}, which the REST API does not serve: show_in_rest`
          : check.unknownType(objectType, check.objectTypes)
        check.warn(
          fields.registrantOf(attribute),
          `registers the field ${attribute} for objects of the type ${description}`,
        )
      }
    }
  }

  /**
   * Passes the values of a request to the fields' `update_callback`, in order of registration.
   * @param object the row that is written
   * @returns the first error; null if every field stored its value
   */
  async update(objectType: string, object: unknown, request: RestRequest): Promise<RestError | null> {
    const fields = this.#byType.get(objectType) ?? []
    for (const [attribute, { update_callback: update }] of fields) {
      if (typeof update !== 'function' || !request.hasParam(attribute)) continue
      const result = await this.#call(objectType, attribute, () =>
        update(request.get(attribute), object, attribute, request, objectType),
      )
      if (result instanceof RestError) return result
    }
    return null
  }

  /** Adds the selected fields to the data of an object. */
  async addTo(
    data: Record<string, unknown>,
    objectType: string,
    request: RestRequest,
    selection: Selection,
  ): Promise<Record<string, unknown>> {
    const fields = this.#byType.get(objectType)
    if (fields === undefined) return data
    const added: Record<string, unknown> = {}
    const waiting: Promise<void>[] = []
    for (const [attribute, { get_callback: get, schema }] of fields) {
      const shown = schema ? selection.has(attribute) : request.wants(attribute)
      if (!shown || typeof get !== 'function') continue
      const add = (value: unknown) => {
        added[attribute] = schema && value !== undefined ? filterByContext(value, schema, selection.context) : value
      }
      const registrant = fields.registrantOf(attribute)
      const read = async () => {
        try {
          const value = await this.#call(objectType, attribute, () => get(data, attribute, request, objectType))
          if (registrant?.trusted === false)
            refusePromise(value, registrant.plugin, `the field ${attribute} of ${objectType}`)
          add(value)
        } catch (error) {
          if (!request.isForList) throw error
          add(this.#omitFailedField(error, request))
        }
      }
      // Keeps the fields in order of registration, regardless of how long their values take.
      added[attribute] = undefined
      waiting.push(read())
    }
    await Promise.all(waiting)
    return { ...data, ...added }
  }

  /** Logs the error of a failed field, which the list omits. */
  #omitFailedField(error: unknown, { id, matchedRoute: route }: RestRequest): undefined {
    omitFailedPart(this.#plugin.log, error, { request: id, route }, 'a list shows an item without a field')
  }

  /** Calls a callback. Errors reject the promise and name the plugin that registered the field. */
  #call<T>(objectType: string, attribute: string, callback: () => Awaitable<T>): Awaitable<T> {
    const fail = (cause: unknown): Promise<never> => {
      if (cause instanceof RestError) return Promise.reject(cause)
      const plugin = this.#byType.get(objectType)?.ownerOf(attribute) ?? ''
      return Promise.reject(errors.FIELD_FAILED(plugin, attribute, objectType, { cause }))
    }
    try {
      const result = callback()
      return isThenable(result) ? Promise.resolve(result).catch(fail) : result
    } catch (cause) {
      return fail(cause)
    }
  }
}

const isQueryable = ({ filterable = false, sortable = false }: Queryable) => filterable !== false || sortable

const TYPES: readonly string[] = ['text', 'number', 'date', 'boolean']

/** @throws FIELD_INDEX_MISSING, FIELD_INDEX_INVALID */
function checkIndex(attribute: string, { filterable = false, sortable, index }: FieldArgs): void {
  if (!isQueryable({ filterable, ...(sortable !== undefined && { sortable }) })) return
  if (typeof index?.value !== 'function') throw errors.FIELD_INDEX_MISSING(attribute)
  if (!TYPES.includes(index.type))
    throw errors.FIELD_INDEX_INVALID(attribute, `its type is ${index.type}: use ${TYPES.join(', ')}.`)
  const unknown = typeof filterable === 'boolean' ? undefined : filterable.find((one) => !COMPARES.includes(one))
  if (unknown !== undefined)
    throw errors.FIELD_INDEX_INVALID(attribute, `${unknown} is not a comparison${hint(unknown, COMPARES)}`)
}
