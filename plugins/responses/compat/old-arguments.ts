import {
  definePlugin,
  errors,
  type AnyPlugin,
  type Arguments,
  type ArgumentSchema,
  type RestError,
} from '../../../kernel/index.ts'
import { sanitizeValue, validateValue } from '../../requests/arguments/index.ts'

/** Rules of specification 7.1 that a revision lacks. */
export interface MissingRules {
  /** Schemas: only `required` and the callbacks of an argument are checked. */
  schemas?: true
  /** Type lists, the type `null`, schemas of additional properties, and objects with `toJSON`. */
  types?: true
  /** The empty string as an empty object. */
  emptyObjects?: true
  /** The name of the argument, instead of its value, in the error for an invalid IP address. */
  ipNames?: true
}

/**
 * Creates a plugin that reads the arguments of routes as an earlier revision does. Routes of default plugins keep the
 * current rules, because their values reach the database.
 * @param except names of the plugins whose routes keep the current rules
 */
export function oldArguments(missing: MissingRules, except: ReadonlySet<string>): AnyPlugin {
  return definePlugin({
    name: 'old-arguments',
    apply({ hooks }) {
      hooks.rest_endpoints.tap({ name: 'old-arguments', stage: 1000 }, (routes) => {
        const read = [...routes].map(([pattern, route]) => {
          if (except.has(route.owner)) return [pattern, route] as const
          const endpoints = route.endpoints.map((endpoint) => ({ ...endpoint, args: readAll(endpoint.args, missing) }))
          return [pattern, { ...route, endpoints }] as const
        })
        return new Map(read)
      })
    },
  })
}

/** Adds callbacks that validate and sanitize with the old rules; existing callbacks stay. */
function readAll(args: Arguments, missing: MissingRules): Arguments {
  return Object.fromEntries(
    Object.entries(args).map(([name, schema]) => {
      if (missing.schemas) return [name, { validate_callback: null, sanitize_callback: null, ...schema }]
      const supported = missing.types ? withoutNewTypes(schema) : schema
      const callbacks: ArgumentSchema = {
        validate_callback: (value, _request, param) =>
          refusal(value, supported, param, missing) ?? validateValue(value, supported, param),
        sanitize_callback: (value, _request, param) => sanitizeValue(value, supported, param),
      }
      return [name, { ...callbacks, ...schema }]
    }),
  )
}

/** Returns a schema without type lists, `null` and schemas of additional properties. */
function withoutNewTypes(schema: ArgumentSchema): ArgumentSchema {
  const {
    type,
    properties,
    items,
    additionalProperties: others,
    validate_callback: _,
    sanitize_callback: __,
    ...rest
  } = schema
  const supported: ArgumentSchema = { ...rest }
  if (typeof type === 'string' && type !== 'null') supported.type = type
  if (items !== undefined) supported.items = withoutNewTypes(items)
  if (typeof others === 'boolean') supported.additionalProperties = others
  if (properties !== undefined) {
    supported.properties = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, withoutNewTypes(property)]),
    )
  }
  return supported
}

/** Returns the error for a value, or for a part of it, that is valid only by the current rules. */
function refusal(value: unknown, schema: ArgumentSchema, param: string, missing: MissingRules): RestError | null {
  if (schema.type === 'object') {
    const serializable = typeof (value as { toJSON?: unknown } | null | undefined)?.toJSON === 'function'
    if ((missing.emptyObjects && value === '') || (missing.types && serializable)) {
      return invalid(`${param} is not of type object.`, param)
    }
  }
  if (missing.ipNames && schema.format === 'ip' && typeof value === 'string') {
    return validateValue(value, schema, param) === true ? null : invalid(`${value} is not a valid IP address.`, param)
  }
  if (typeof value !== 'object' || value === null) return null
  for (const [name, inner] of Object.entries(value)) {
    const part = Array.isArray(value) ? schema.items : schema.properties?.[name]
    const refused = part === undefined ? null : refusal(inner, part, `${param}[${name}]`, missing)
    if (refused !== null) return refused
  }
  return null
}

const invalid = (message: string, param: string) => errors.rest_invalid_param(message, { data: { param } })
