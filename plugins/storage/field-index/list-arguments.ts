import {
  isObject,
  errors as kernelErrors,
  sentence,
  type ArgumentSchema,
  type Arguments,
  type RestError,
} from '../../../kernel/index.ts'
import { hint } from '../../library/suggestions/index.ts'
import type { Compare, IndexedField } from './field.ts'
import { operand } from './operand.ts'

/** A parsed condition of a request. */
export interface RequestCondition {
  readonly field: IndexedField
  readonly compare: Compare
  readonly value: unknown
}

const DESCRIPTIONS: Readonly<Record<Compare, string>> = {
  eq: 'Objects with this value.',
  ne: 'Objects with other values.',
  gt: 'Objects with a greater value.',
  gte: 'Objects with this value or a greater one.',
  lt: 'Objects with a smaller value.',
  lte: 'Objects with this value or a smaller one.',
  in: 'Objects with one of these values.',
  not_in: 'Objects with none of these values.',
  exists: 'Whether there is a value.',
}

/** Adds `meta`, `field` and the orders by fields to the arguments of a list, if there are such fields. */
export function fieldArguments(fields: readonly IndexedField[], args: Arguments): Arguments {
  const found = { ...args }
  const ofMeta = fields.filter(({ key, compares }) => key !== '' && compares.length > 0)
  const others = fields.filter(({ key, compares }) => key === '' && compares.length > 0)
  if (ofMeta.length > 0) found['meta'] = conditions('Limits the list by registered meta', ofMeta)
  if (others.length > 0) found['field'] = conditions('Limits the list by registered fields', others)
  const orders = fields.flatMap(({ key, shown, sortable }) =>
    sortable ? `${key === '' ? 'field' : 'meta'}.${shown}` : [],
  )
  const orderby = found['orderby']
  if (orders.length > 0 && orderby !== undefined)
    found['orderby'] = { ...orderby, enum: [...(orderby.enum ?? []), ...orders] }
  return found
}

function conditions(description: string, fields: readonly IndexedField[]): ArgumentSchema {
  const byName = new Map(fields.map((field) => [field.shown!, field]))
  const read = (value: unknown, _request: unknown, name: string) => conditionsOf(byName, value, name)
  return {
    description: `${description}: a value, or comparisons with values.`,
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.shown!, property(field)])),
    additionalProperties: false,
    // Parses in both callbacks, so both report the same error. The generated schema cannot check a bare value.
    validate_callback: (value, request, name) => {
      read(value, request, name)
      return true
    },
    sanitize_callback: read,
  }
}

/** Returns the schema of a condition on a field. */
function property({ schema, compares }: IndexedField): ArgumentSchema {
  const { type, format } = schema
  const types = [type ?? []].flat().filter((one) => one !== 'null')
  const value: ArgumentSchema = {
    type: types.length === 1 ? types[0]! : types,
    ...(format !== undefined && { format }),
  }
  const isPlain = compares.includes('eq')
  const isList = compares.includes('in')
  const operandOf = (compare: Compare): ArgumentSchema =>
    compare === 'exists' ? { type: 'boolean' } : compare.endsWith('in') ? { type: 'array', items: value } : value
  return {
    description: schema.description ?? '',
    // A bare value means `eq`, a bare list `in`.
    type: ['object', ...(isPlain ? types : []), ...(isList ? (['array'] as const) : [])],
    ...(isPlain && format !== undefined && { format }),
    ...(isList && { items: value }),
    properties: Object.fromEntries(
      compares.map((compare) => [compare, { description: DESCRIPTIONS[compare], ...operandOf(compare) }]),
    ),
    additionalProperties: false,
  }
}

/** @throws rest_invalid_param for an unknown field or an invalid condition */
function conditionsOf(fields: ReadonlyMap<string, IndexedField>, value: unknown, param: string): RequestCondition[] {
  if (!isObject(value)) throw invalid(param, `${param} must name a field: ${param}[${[...fields.keys()][0]!}]=…`)
  return Object.entries(value).flatMap(([name, condition]) => {
    const field = fields.get(name)
    const path = `${param}[${name}]`
    if (field === undefined)
      throw invalid(
        path,
        sentence(`${path} is not a field that this list can be filtered by${hint(name, [...fields.keys()])}`),
      )
    if (!isObject(condition)) return conditionOf(field, Array.isArray(condition) ? 'in' : 'eq', condition, path)
    return Object.entries(condition).map(([compare, one]) =>
      conditionOf(field, compare as Compare, one, `${path}[${compare}]`),
    )
  })
}

function conditionOf(field: IndexedField, compare: Compare, value: unknown, path: string): RequestCondition {
  const { compares } = field
  if (!compares.includes(compare))
    throw invalid(path, `${path} is not an allowed comparison: use ${compares.join(', ')}.`)
  return { field, compare, value: operand(field, compare, value, path) }
}

function invalid(param: string, message: string): RestError {
  return kernelErrors.rest_invalid_param(message, { data: { param } })
}
