import {
  errors,
  sanitizeValue,
  validateValue,
  type PluginContext,
  type RequestCache,
  type RestError,
  type RestRequest,
} from '../../public.ts'
import type { FieldValues } from './fields.ts'
import { isOn, isSet, listSetting, type Field } from './model.ts'
import { schemasOf, strictSchema, type ShownSchema } from './schemas.ts'
import { valueFields } from './shape.ts'
import type { TargetType } from './targets.ts'
import { reworded } from './wording.ts'

/** The fields that a route accepts. */
interface RouteFields {
  readonly fields: readonly Field[]
  readonly schemas: Record<string, ShownSchema>
}

/** Describes and checks the argument `acf`. */
export class FieldArguments {
  readonly #plugin: PluginContext
  readonly #values: FieldValues

  constructor(plugin: PluginContext, values: FieldValues) {
    this.#plugin = plugin
    this.#values = values
  }

  /**
   * Returns the fields of a route: the fields that apply to its object, or the fields of all groups that name the type.
   * @param id ID of the object in the path; null for a list
   */
  async fieldsOf(type: TargetType, id: number | null, request: RestRequest): Promise<RouteFields> {
    const fields =
      id === null
        ? this.#fieldsOfType(type)
        : ((await this.#values.target(type.objectType, id, { scope: request.scope }))?.fields ?? [])
    return { fields, schemas: schemasOf(fields) }
  }

  /**
   * Returns the fields that a list describes. Rules about more than the type are not tested, and as clients know it,
   * switched-off groups count, too.
   */
  #fieldsOfType({ kind, subtype, objectType }: TargetType): Field[] {
    const groups = kind === 'post' ? this.#values.groups : this.#values.groupsOf(objectType)
    const named = groups.filter(({ showsInRest, location }) => {
      if (!showsInRest) return false
      if (kind !== 'post') return true
      return location.some((rules) =>
        rules.some(
          ({ param, isNegated, value }) => param === 'post_type' && (isNegated || value === subtype || value === 'all'),
        ),
      )
    })
    return named.flatMap(({ fields }) => valueFields(fields))
  }

  /** Checks the values of a request. */
  async validate(value: unknown, type: TargetType, request: RestRequest): Promise<true | RestError> {
    // Autosaves ignore the values.
    if (value === null || request.route.includes('/autosaves')) return true
    // A list is an object with numbers as names.
    const isObject = Array.isArray(value) || validateValue(value, { type: 'object' }, NAME)
    if (isObject !== true) return reworded(isObject)
    const { fields } = await this.fieldsOf(type, idOf(request), request)
    return this.validateValues(valuesOf(value), fields, request.scope)
  }

  /** Checks values by names or keys of fields. */
  async validateValues(
    values: Readonly<Record<string, unknown>>,
    fields: readonly Field[],
    scope: RequestCache,
  ): Promise<true | RestError> {
    const schemas = schemasOf(fields)
    const properties = Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, strictSchema(schema)] as const),
    )
    const fits = validateValue(byName(values, fields), { type: 'object', properties }, NAME)
    if (fits !== true) return reworded(fits)
    for (const field of fields) {
      const own = values[field.name] ?? values[field.key]
      if (own === undefined || own === null) continue
      const refused = await this.#refusal(field, sanitizeValue(own, properties[field.name]!), scope)
      if (refused !== null) return refused
    }
    return true
  }

  /** Returns the values of a request in the types of their schemas. */
  async sanitize(value: unknown, type: TargetType, request: RestRequest): Promise<unknown> {
    if (typeof value !== 'object' || value === null) return null
    const { fields } = await this.fieldsOf(type, idOf(request), request)
    return this.sanitizeValues(valuesOf(value), fields)
  }

  /** Returns values by names or keys of fields in the types of their schemas. */
  sanitizeValues(values: Readonly<Record<string, unknown>>, fields: readonly Field[]): Record<string, unknown> {
    const schemas = schemasOf(fields)
    const entries = Object.entries(values).map(([name, own]) => {
      const field = fields.find((one) => one.name === name || one.key === name)
      const isKept = field === undefined || own === null || own === undefined
      return [name, isKept ? own : sanitizeValue(own, strictSchema(schemas[field.name]!))] as const
    })
    return Object.fromEntries(entries)
  }

  /** Returns why a field refuses a value that its schema accepts, or null. */
  async #refusal(field: Field, value: unknown, scope: RequestCache): Promise<RestError | null> {
    const { posts, users } = this.#plugin.services
    const refuse = (reason: string, shown: unknown = value) => refusal(field.name, reason, shown)
    if (field.type === 'image' || field.type === 'file') {
      const post = await posts.get(Number(value), scope)
      return post?.type === 'attachment' ? null : refuse('requires a valid attachment ID.')
    }
    if (field.type === 'select') {
      const isFree = isSet(field, 'create_options') || isSet(field, 'save_options')
      const known = field.choices.map(([choice]) => choice)
      const isKnown = [value].flat().every((one) => known.includes(String(one)))
      return isFree || isKnown ? null : refuse(`is not one of ${known.join(', ')}`)
    }
    const ids = [value].flat().map(Number)
    if (field.type === 'post_object' || field.type === 'relationship') {
      const types = listSetting(field, 'post_type')
      for (const id of ids) {
        const post = await posts.get(id, scope)
        if (post === undefined || post.type === 'revision') return refuse('must have a valid post ID.', ids)
        if (types.length > 0 && !types.includes(post.type))
          return refuse(`must be of post type ${types.join(', ')}.`, ids)
      }
      return null
    }
    if (field.type !== 'user') return null
    const roles = listSetting(field, 'role').filter(isOn)
    for (const id of ids) {
      const user = await users.current(id)
      if (user === undefined) return refuse('must have a valid user ID.', ids)
      if (roles.length > 0 && !roles.some((role) => user.roles?.includes(role)))
        return refuse(`must have one of the roles ${roles.join(', ')}.`, ids)
    }
    return null
  }
}

/** Name of the field and of its argument. */
export const NAME = 'acf'

/** Returns the ID of the object in the path of a request; null for a list. */
export function idOf(request: RestRequest): number | null {
  if (request.route.endsWith('/users/me')) return request.user.id
  const id = Number(request.captures['parent'] ?? request.captures['id'])
  return Number.isSafeInteger(id) && id > 0 ? id : null
}

function valuesOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

/** Returns the values by names of fields. Values of other names are left out. */
function byName(values: Readonly<Record<string, unknown>>, fields: readonly Field[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ key, name }) => {
      const value = Object.hasOwn(values, name) ? values[name] : values[key]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}

function refusal(name: string, reason: string, value: unknown): RestError {
  const param = `${NAME}[${name}]`
  const message = `${param} ${reason}`
  const error = errors.rest_invalid_param(message, { data: { param } })
  error.rule = { code: 'rest_invalid_param', message, data: { param, value } as never }
  return error
}
