import {
  checkRegistration,
  declared,
  filterByContext,
  isThenable,
  OwnedMap,
  RestError,
  schemaMistake,
  shapeMistake,
  type Awaitable,
  type DependsOn,
  type PluginContext,
  type PropertySchema,
  type RegistrationCheck,
  type RestRequest,
  type Selection,
  type Shapes,
} from '../../../kernel/index.ts'
import { errors } from './errors.ts'

/** A registered field (specification 2.2). */
export interface FieldArgs {
  /** Returns the value for the prepared data of an object, which has the fields that the request gets. Null: not shown. */
  get_callback?:
    | ((
        data: Record<string, unknown>,
        attribute: string,
        request: RestRequest,
        objectType: string,
      ) => Awaitable<unknown>)
    | null
  /** What the value is made of beside the data and what services read: `'nothing'`, tags, or what makes them. */
  dependsOn?: DependsOn<[data: Record<string, unknown>, attribute: string, request: RestRequest, objectType: string]>
  /** Stores a given value; an error, returned or thrown, refuses the request. Null: the field cannot be written. */
  update_callback?:
    | ((
        value: unknown,
        // oxlint-disable-next-line typescript/no-explicit-any -- a field knows the rows of its own object types
        object: any,
        attribute: string,
        request: RestRequest,
        objectType: string,
      ) => Awaitable<void | boolean | RestError>)
    | null
  /** The schema, with the contexts that show the field. Null: OPTIONS does not list it, and every context shows it. */
  schema?: PropertySchema | null
  /** Whether it may take the place of another plugin's field of this name; otherwise the log warns. */
  override?: boolean
}

const ARGS: Shapes<FieldArgs> = {
  get_callback: ['function', 'null'],
  update_callback: ['function', 'null'],
  schema: ['object', 'null'],
  dependsOn: ['text', 'list', 'function'],
  override: 'flag',
}
/** Words for them elsewhere. */
const MEANT = { get: 'get_callback', resolve: 'get_callback', update: 'update_callback', set: 'update_callback' }

/** What is wrong with what a field is registered with; null where nothing is. */
function mistakeIn(given: FieldArgs): string | null {
  const wrong = shapeMistake(given, ARGS, MEANT)
  if (wrong !== null) return `it ${wrong}`
  const mistake = given.schema ? schemaMistake(given.schema) : null
  return mistake === null ? null : `its schema ${mistake}`
}

/** Fields that plugins add to objects of other plugins. */
export class ExtraFields {
  readonly #hooks: PluginContext['hooks']
  readonly #byType = new Map<string, OwnedMap<FieldArgs>>()

  constructor({ hooks }: Pick<PluginContext, 'hooks'>) {
    this.#hooks = hooks
  }

  /**
   * Registers a field on one or more object types: a content type, `category`, `tag` or another taxonomy's name,
   * `comment`, `user` … A later registration of the same pair replaces the earlier one.
   * @throws FIELD_INVALID
   */
  register(objectTypes: string | readonly string[], attribute: string, given: FieldArgs): void {
    checkRegistration(
      () => mistakeIn(given),
      (plugin, why) => errors.FIELD_INVALID(plugin, attribute, [objectTypes].flat().join(', '), why),
    )
    const { get_callback: get, dependsOn } = given
    const shown = typeof get === 'function' ? declared(get, `the field ${attribute}`, dependsOn) : null
    const args = { ...given, get_callback: shown }
    for (const objectType of new Set([objectTypes].flat())) {
      let fields = this.#byType.get(objectType)
      if (fields === undefined) this.#byType.set(objectType, (fields = new OwnedMap('field')))
      fields.set(attribute, args, `${attribute} of ${objectType}`, given.override)
      const { schema: property } = args
      if (!property) continue
      this.#hooks.rest_item_schema.for(objectType).tap('extra-fields', (schema) => {
        // A later registration has a tap of its own.
        if (fields.get(attribute) !== args) return schema
        return { ...schema, properties: { ...schema.properties, [attribute]: property } }
      })
    }
  }

  /** Tells of fields of objects that nobody serves. */
  check(check: RegistrationCheck): void {
    for (const [objectType, fields] of this.#byType) {
      if (check.objectTypes.has(objectType)) continue
      for (const attribute of fields.keys()) {
        const why = check.isKnown(objectType)
          ? `${objectType}, which the REST API does not serve: show_in_rest`
          : check.unknownType(objectType, check.objectTypes)
        check.tell(fields.registrantOf(attribute), `registers the field ${attribute} for objects of the type ${why}`)
      }
    }
  }

  /**
   * Hands the values that a request gives to the fields' `update_callback`, in order of registration.
   * @param object the row that is written
   * @returns the first refusal; null when every field stored its value
   */
  async update(objectType: string, object: unknown, request: RestRequest): Promise<RestError | null> {
    const fields = this.#byType.get(objectType) ?? []
    for (const [attribute, { update_callback: update }] of fields) {
      if (typeof update !== 'function' || !request.given(attribute)) continue
      const result = await this.#call(objectType, attribute, () =>
        update(request.get(attribute), object, attribute, request, objectType),
      )
      if (result instanceof RestError) return result
    }
    return null
  }

  /** The data of an object with the fields that `selection` has. */
  addTo(
    data: Record<string, unknown>,
    objectType: string,
    request: RestRequest,
    selection: Selection,
  ): Awaitable<Record<string, unknown>> {
    const fields = this.#byType.get(objectType)
    if (fields === undefined) return data
    const added: Record<string, unknown> = {}
    const waiting: Promise<void>[] = []
    for (const [attribute, { get_callback: get, schema }] of fields) {
      const shown = schema ? selection.has(attribute) : request.wants(attribute)
      if (!shown || typeof get !== 'function') continue
      const add = (value: unknown) => {
        added[attribute] = schema ? filterByContext(value, schema, selection.context) : value
      }
      const value = this.#call(objectType, attribute, () => get(data, attribute, request, objectType))
      // Fields have the order of their registration, however long their values take.
      added[attribute] = undefined
      if (isThenable(value)) waiting.push(Promise.resolve(value).then(add))
      else add(value)
    }
    const whole = () => ({ ...data, ...added })
    return waiting.length === 0 ? whole() : Promise.all(waiting).then(whole)
  }

  /** Calls a callback. What it throws rejects, and names the plugin that registered the field. */
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
