import {
  definePlugin,
  filterByContext,
  isThenable,
  OwnedMap,
  RestError,
  type Awaitable,
  type Hooks,
  type PropertySchema,
  type RestRequest,
  type Selection,
} from '../../../kernel/index.ts'
import { errors } from './errors.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /** Fields that plugins add to objects of other plugins. */
    fields: ExtraFields
  }
}

/** What a registered field does (specification 2.2). */
export interface FieldArgs {
  /** Makes the value of the prepared data of an object, which is what the request gets of it. Null: it is not shown. */
  get_callback?:
    | ((
        data: Record<string, unknown>,
        attribute: string,
        request: RestRequest,
        objectType: string,
      ) => Awaitable<unknown>)
    | null
  /**
   * Takes a given value over into the stored object; an error, returned or thrown, refuses the request. Null: the value
   * cannot be set.
   */
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
  /** The schema, with the contexts that show the field. Null: OPTIONS does not tell of it, and every context shows it. */
  schema?: PropertySchema | null
}

/** Fields that plugins add to objects of other plugins. */
export interface ExtraFields {
  /**
   * Registers a field on one or more object types: a content type, `category`, `tag` or another taxonomy's name,
   * `comment`, `user` … A later registration of the same pair replaces the earlier one.
   */
  register(objectTypes: string | readonly string[], attribute: string, args: FieldArgs): void
  /**
   * Hands the values that a request gives to the fields' `update_callback`, in order of registration.
   * @param object the row that is written
   * @returns the first refusal; null when every field took its value
   */
  update(objectType: string, object: unknown, request: RestRequest): Promise<RestError | null>
}

/** Lets plugins add fields to any object, by data (`get_callback`), writing (`update_callback`) and schema. */
export default definePlugin({
  name: 'extra-fields',
  apply({ hooks, provide }) {
    const byType = new Map<string, OwnedMap<FieldArgs>>()

    provide('fields', {
      register(objectTypes, attribute, args) {
        for (const objectType of new Set([objectTypes].flat())) {
          let fields = byType.get(objectType)
          if (fields === undefined) byType.set(objectType, (fields = new OwnedMap()))
          fields.set(attribute, args)
          const inForce = () => fields.get(attribute) === args
          if (args.schema) showInSchema(hooks, objectType, attribute, args.schema, inForce)
        }
      },

      update,
    })

    hooks.rest_additional_fields.tapPromise('extra-fields', addFields)
    hooks.rest_update_additional_fields.tapPromise('extra-fields', async (item, objectType, request) => {
      const refused = await update(objectType, item, request)
      if (refused !== null) throw refused
    })

    async function update(objectType: string, object: unknown, request: RestRequest): Promise<RestError | null> {
      const fields = byType.get(objectType) ?? []
      for (const [attribute, { update_callback: callback }] of fields) {
        if (typeof callback !== 'function' || !request.given(attribute)) continue
        const result = await guarded(objectType, attribute, () =>
          callback(request.get(attribute), object, attribute, request, objectType),
        )
        if (result instanceof RestError) return result
      }
      return null
    }

    function addFields(
      data: Record<string, unknown>,
      objectType: string,
      request: RestRequest,
      selection: Selection,
    ): Awaitable<Record<string, unknown>> {
      const fields = byType.get(objectType)
      if (fields === undefined) return data
      const added: Record<string, unknown> = {}
      const waiting: Promise<void>[] = []
      for (const [attribute, { get_callback: get, schema }] of fields) {
        const shown = schema ? selection.has(attribute) : request.wants(attribute)
        if (!shown || typeof get !== 'function') continue
        const take = (value: unknown) => {
          added[attribute] = schema ? filterByContext(value, schema, selection.context) : value
        }
        const value = guarded(objectType, attribute, () => get(data, attribute, request, objectType))
        // The place in the data is that of the registration, however long the value takes.
        added[attribute] = undefined
        if (isThenable(value)) waiting.push(Promise.resolve(value).then(take))
        else take(value)
      }
      const whole = () => ({ ...data, ...added })
      return waiting.length === 0 ? whole() : Promise.all(waiting).then(whole)
    }

    /** Calls a callback. What it throws rejects, and names the plugin that registered the field. */
    function guarded<T>(objectType: string, attribute: string, call: () => Awaitable<T>): Awaitable<T> {
      const fail = (cause: unknown): Promise<never> => {
        if (cause instanceof RestError) return Promise.reject(cause)
        const plugin = byType.get(objectType)?.ownerOf(attribute) ?? ''
        return Promise.reject(errors.FIELD_FAILED(plugin, attribute, objectType, { cause }))
      }
      try {
        const result = call()
        return isThenable(result) ? Promise.resolve(result).catch(fail) : result
      } catch (cause) {
        return fail(cause)
      }
    }
  },
})

/** Adds the field to the schema of the object for as long as its registration is the one in force. */
function showInSchema(
  hooks: Hooks,
  objectType: string,
  attribute: string,
  property: PropertySchema,
  inForce: () => boolean,
): void {
  const hook = hooks.rest_item_schema.for(objectType)
  hook.tap('extra-fields', (schema) =>
    inForce() ? { ...schema, properties: { ...schema.properties, [attribute]: property } } : schema,
  )
}
