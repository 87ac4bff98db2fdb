import {
  definePlugin,
  filterByContext,
  isThenable,
  LONG_TEXTS,
  validateValue,
  type ArgumentSchema,
  type Awaitable,
  type PropertySchema,
  type RestError,
  type RestRequest,
  type RequestCache,
  type Selection,
} from '../../../kernel/index.ts'
import type { CapabilityObject } from '../../people/roles/index.ts'
import { MetaRegistry, type MetaField, type MetaObject, type MetaSpec } from './fields.ts'
import { MetaModel, type MetaRow, type MetaStorage } from './model.ts'
import { writeMeta } from './write.ts'

export type { MetaField, MetaObject, MetaSpec, MetaType, PrepareMeta, ShownMeta } from './fields.ts'
export type { MetaRow, MetaStorage } from './model.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /** Registered meta, and the stored values. */
    meta: MetaFields
  }
}

/**
 * What `meta` shows: values by their shown name. Where there is nothing to show it is an empty list, as clients of such
 * servers expect.
 */
export type ShownValues = Record<string, unknown> | readonly never[]

/** Extra values of posts, terms, comments and users, by key. */
export interface MetaFields {
  /**
   * Registers a meta key. Keys that start with `_` are protected: they are written by those alone whom their
   * `auth_callback` lets.
   * @throws META_KEY_TOO_LONG, META_TYPE_UNKNOWN, META_ITEMS_MISSING, META_DEFAULT_INVALID
   */
  register(objectType: MetaObject, key: string, spec: MetaSpec): void
  /**
   * Gives meta to objects of another type, for as long as the plugin is there. Who may write a value is asked as
   * `edit_TYPE_meta`.
   */
  addObjectType(objectType: string, storage: MetaStorage): void
  /** The registered keys of a subtype (content type, taxonomy, comment type), those of every subtype included. */
  fieldsOf(objectType: MetaObject, subtype: string): readonly MetaField[]
  /** The `meta` property of an item schema; null for content types that do not support `custom-fields`. */
  schemaFor(objectType: MetaObject, subtype: string): PropertySchema | null
  /**
   * What `meta` shows of an object. Concurrent calls within one request are answered from one statement.
   * @param selection leaves out what the request does not get; its context is that of the values' own schemas
   */
  values(
    objectType: MetaObject,
    subtype: string,
    id: number,
    request: RestRequest,
    selection?: Selection,
  ): Promise<ShownValues>
  /** Every stored value of an object, registered or not, batched within a request. */
  rows(objectType: MetaObject, id: number, scope: RequestCache): Promise<MetaRow[]>
  /**
   * The first stored value under a key; undefined when there is none. Registered keys are read together with all others
   * that are registered for the object type; one that is not costs a statement of its own for a list.
   */
  single(objectType: MetaObject, id: number, key: string, scope: RequestCache): Promise<unknown>
  /**
   * Stores `values` in place of all that the object has under the key; an empty list removes it. Checks no more than
   * the length of the key.
   * @throws META_KEY_TOO_LONG
   */
  write(objectType: MetaObject, id: number, key: string, values: readonly unknown[], scope: RequestCache): Promise<void>
  /**
   * Takes over what a request gives for the argument `meta`, as far as the person may write it. Nothing is written when
   * any of it is refused.
   * @param object the row that has the meta, as `Capabilities.can` wants it
   * @param given values by shown name; names that nobody registered are ignored, null removes what is stored
   * @returns the refusal, `rest_invalid_param` or `rest_cannot_update`; null when all was taken over
   */
  update(
    objectType: MetaObject,
    subtype: string,
    object: CapabilityObject,
    given: unknown,
    request: RestRequest,
  ): Promise<RestError | null>
}

/** How the argument `meta` is checked: each value is when it is written, where null stands for its removal. */
const WRITTEN: ArgumentSchema = {
  size_limits: LONG_TEXTS,
  validate_callback: (value) => validateValue(value, { type: ['object', 'null'] }, 'meta'),
  sanitize_callback: null,
}

/** Registered meta, shown in the `meta` of posts, terms, comments and users. */
export default definePlugin({
  name: 'meta',
  needs: ['store'],
  after: ['content-types', 'roles'],
  apply({ hooks, services, provide, has }) {
    const registry = new MetaRegistry()
    const model = new MetaModel(services.store)

    provide('meta', {
      register: (objectType, key, spec) => registry.register(objectType, key, spec),
      addObjectType: (objectType, storage) => model.addObjectType(objectType, storage),
      fieldsOf: (objectType, subtype) => registry.of(objectType, subtype),

      schemaFor(objectType, subtype) {
        if (objectType === 'post' && !supportsMeta(subtype)) return null
        const shown = registry.of(objectType, subtype).flatMap((field) => field.shown ?? [])
        return {
          description: 'Registered extra values.',
          type: 'object',
          context: ['view', 'edit'],
          properties: Object.fromEntries(shown.map(({ name, schema }) => [name, schema])),
          arg_options: WRITTEN,
        }
      },

      async values(objectType, subtype, id, request, selection) {
        const fields = registry.of(objectType, subtype)
        const wanted = fields.filter(({ shown }) => shown !== null && (selection?.has(`meta.${shown.name}`) ?? true))
        if (wanted.length === 0) return []
        const stored = await model.loader(objectType, registry.keys(objectType), request.scope).load(id)
        const data: Record<string, unknown> = {}
        for (const field of wanted) {
          const { name, schema } = field.shown!
          let value: unknown = shownValue(field, stored.get(field.key) ?? [], request)
          if (isThenable(value)) value = await value
          data[name] = selection === undefined ? value : filterByContext(value, schema, selection.context)
        }
        return data
      },

      rows: (objectType, id, scope) => model.rows(objectType, scope).load(id),

      async single(objectType, id, key, scope) {
        const known = registry.keys(objectType)
        const loader = model.loader(objectType, known.includes(key) ? known : [key], scope)
        return (await loader.load(id)).get(key)?.[0]
      },

      async write(objectType, id, key, values, scope) {
        await model.write(objectType, id, key, values)
        scope.clear()
      },

      update,
    })
    hooks.rest_update_additional_fields.tapPromise('meta', async (_item, _objectType, request, subject) => {
      if (subject === null) return
      const { type, subtype, object } = subject
      const refused = await update(type, subtype, object, request.get('meta'), request)
      if (refused !== null) throw refused
    })

    async function update(
      objectType: MetaObject,
      subtype: string,
      object: CapabilityObject,
      given: unknown,
      request: RestRequest,
    ): Promise<RestError | null> {
      const parts = {
        fieldsOf: registry.of.bind(registry),
        write: model.write.bind(model),
        capabilities: () => (has('roles') ? services.capabilities : undefined),
      }
      const refused = await writeMeta(parts, objectType, subtype, object, given, request)
      request.scope.clear()
      return refused
    }

    /** Media files have meta whatever their type supports, as clients of such servers know it. */
    function supportsMeta(contentType: string): boolean {
      if (contentType === 'attachment' || !has('content-types')) return true
      return services.contentTypes.supports(contentType, 'custom-fields')
    }
  },
})

/** The value of a field, or the list of its values, as it is shown. */
function shownValue(field: MetaField, stored: readonly unknown[], request: RestRequest): Awaitable<unknown> {
  const { prepare, valueSchema } = field.shown!
  if (field.single) return prepare(stored.length > 0 ? stored[0] : valueSchema.default, request, field)
  const values = stored.length > 0 || field.default === undefined ? stored : [field.default]
  const prepared = values.map((value) => prepare(value, request, field))
  return prepared.some(isThenable) ? Promise.all(prepared) : prepared
}
