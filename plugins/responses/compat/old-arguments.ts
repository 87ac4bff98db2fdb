import {
  definePlugin,
  errors,
  type AnyPlugin,
  type Arguments,
  type ArgumentSchema,
  type RestError,
} from '../../../kernel/index.ts'
import { sanitizeValue, validateValue } from '../../requests/arguments/index.ts'

/** What a revision does not know of the rules of specification 7.1. */
export interface Unknown {
  /** Schemas altogether: an argument must be there where it is required, and pass its own callbacks. */
  schemas?: true
  /** Type lists, the type `null`, schemas of further properties, and objects that say themselves what they are in JSON. */
  types?: true
  /** That an empty text is an empty object. */
  emptyObjects?: true
  /** That the error for a bad IP address names the argument, and not its value. */
  ipNames?: true
}

/**
 * Makes the plugin that reads the arguments of routes as an earlier revision does. The routes of the defaults keep the
 * current rules: what they are given reaches a database.
 * @param except names of the plugins whose routes keep the current rules
 */
export function oldArguments(unknown: Unknown, except: ReadonlySet<string>): AnyPlugin {
  return definePlugin({
    name: 'old-arguments',
    apply({ hooks }) {
      hooks.rest_endpoints.tap({ name: 'old-arguments', stage: 1000 }, (routes) => {
        const read = [...routes].map(([pattern, route]) => {
          if (except.has(route.owner)) return [pattern, route] as const
          const endpoints = route.endpoints.map((endpoint) => ({ ...endpoint, args: readAll(endpoint.args, unknown) }))
          return [pattern, { ...route, endpoints }] as const
        })
        return new Map(read)
      })
    },
  })
}

/** Arguments with callbacks that do what the schema would have done; those of their own stay. */
function readAll(args: Arguments, unknown: Unknown): Arguments {
  return Object.fromEntries(
    Object.entries(args).map(([name, schema]) => {
      if (unknown.schemas) return [name, { validate_callback: null, sanitize_callback: null, ...schema }]
      const known = unknown.types ? withoutNewTypes(schema) : schema
      const callbacks: ArgumentSchema = {
        validate_callback: (value, _request, param) =>
          refusal(value, known, param, unknown) ?? validateValue(value, known, param),
        sanitize_callback: (value, _request, param) => sanitizeValue(value, known, param),
      }
      return [name, { ...callbacks, ...schema }]
    }),
  )
}

/** A schema as it is read where type lists, `null` and schemas of further properties mean nothing. */
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
  const known: ArgumentSchema = { ...rest }
  if (typeof type === 'string' && type !== 'null') known.type = type
  if (items !== undefined) known.items = withoutNewTypes(items)
  if (typeof others === 'boolean') known.additionalProperties = others
  if (properties !== undefined) {
    known.properties = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, withoutNewTypes(property)]),
    )
  }
  return known
}

/** The error for what current rules would take otherwise, wherever it is in the value. */
function refusal(value: unknown, schema: ArgumentSchema, param: string, unknown: Unknown): RestError | null {
  if (schema.type === 'object') {
    const serializable = typeof (value as { toJSON?: unknown } | null | undefined)?.toJSON === 'function'
    if ((unknown.emptyObjects && value === '') || (unknown.types && serializable)) {
      return invalid(`${param} is not of type object.`, param)
    }
  }
  if (unknown.ipNames && schema.format === 'ip' && typeof value === 'string') {
    return validateValue(value, schema, param) === true ? null : invalid(`${value} is not a valid IP address.`, param)
  }
  if (typeof value !== 'object' || value === null) return null
  for (const [name, inner] of Object.entries(value)) {
    const part = Array.isArray(value) ? schema.items : schema.properties?.[name]
    const refused = part === undefined ? null : refusal(inner, part, `${param}[${name}]`, unknown)
    if (refused !== null) return refused
  }
  return null
}

const invalid = (message: string, param: string) => errors.rest_invalid_param(message, { data: { param } })
