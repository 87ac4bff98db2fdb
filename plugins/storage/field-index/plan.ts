import { errors } from './errors.ts'
import { orderOfField, requestOrderOf, type FieldCondition, type FieldOrder, type IndexedField } from './field.ts'
import { columnOf, indexKey } from './index-key.ts'

/** A value as the index stores it. */
export type Key = string | number

/** A comparison that a value must meet. */
export type Bound =
  | { readonly compare: 'eq' | 'gt' | 'gte' | 'lt' | 'lte'; readonly value: Key }
  | { readonly compare: 'in' | 'not_in'; readonly values: readonly Key[] }

/** The conditions of a list on one field. Plain data, so that it can be part of cache keys. */
export interface FieldTest {
  /** ID of the field. */
  readonly field: number
  readonly column: 'number' | 'text'
  /** Whether an object has at most one value. */
  readonly single: boolean
  /** Comparisons that one value must meet together; if empty, any value is enough. */
  readonly bounds: readonly Bound[]
  /** Values that the object must not have, for fields with several values. */
  readonly none: readonly Key[]
  /** Whether the object must have no value. */
  readonly missing: boolean
  /** Whether few objects match, so that SQL should look them up by this test. */
  readonly few?: boolean
}

/** The field that a list is sorted by. */
export type FieldSort = Pick<FieldTest, 'field' | 'column' | 'single'>

/** The field that a list is sorted by, with its name. */
export interface FieldOrdering extends FieldSort {
  /** Name of the order in cursors, which clients can read. */
  readonly name: FieldOrder
}

/** The conditions and the order of a list that use fields. */
export interface FieldPlan {
  readonly tests: readonly FieldTest[]
  /** The field that gives the order, by its first value: objects without a value are not listed. */
  readonly sort: FieldOrdering | null
  /** Names of the fields in tags of lists. */
  readonly names: readonly string[]
}

/** A field and its ID in the database. */
export interface NumberedField {
  readonly field: IndexedField
  readonly id: number
}

/** The fields of the objects of a list, by their names in conditions and orders. */
export type FieldsByName = ReadonlyMap<string, NumberedField>

/** Returns the test on the single-valued field that also gives the order: it selects a range of the order. */
export function orderedTest({ tests, sort }: FieldPlan): FieldTest | null {
  return tests.find(({ field, missing, single }) => single && !missing && field === sort?.field) ?? null
}

/** Returns a test that every object with a value of the sort field meets. */
export const anyValue = (sort: FieldSort): FieldTest => ({ ...sort, bounds: [], none: [], missing: false })

/**
 * Returns the test if it is all that a plan requires, on a field with a single value: SQL can then count index rows.
 */
export function onlyTest({ tests, sort }: FieldPlan): FieldTest | null {
  const [test = sort && anyValue(sort), ...others] = tests
  if (test === null || others.length > 0 || !test.single || test.missing) return null
  return sort === null || sort.field === test.field ? test : null
}

/**
 * Returns the tests that a scan of an index range does not cover. @param test test of the range; by default that of the
 * order
 */
export function untestedBy(plan: FieldPlan, test: FieldTest | null = orderedTest(plan)): FieldTest[] {
  const others = plan.tests.filter((one) => one !== test)
  return test !== null && test.none.length > 0 ? [...others, { ...test, bounds: [] }] : others
}

/** Builds the plan for conditions and an order. @throws FIELD_COMPARE_UNKNOWN, FIELD_VALUE_INVALID */
export function planOf(used: FieldsByName, where: readonly FieldCondition[], orderby: string | undefined): FieldPlan {
  const byField = Map.groupBy(where, nameOf)
  const tests = Array.from(byField, ([name, conditions]) => testOf(used.get(name)!, conditions))
  const sorted = orderby === undefined ? undefined : used.get(orderby)
  const sort = sorted === undefined ? null : { ...partsOf(sorted), name: shownOrder(sorted) }
  return { tests, sort, names: [...used.values()].map(({ field }) => tagOf(field)) }
}

/** Returns the name of the order in requests, or its internal name if requests cannot use it. */
function shownOrder({ field }: NumberedField): FieldOrder {
  return field.shown === null ? orderOfField(field) : requestOrderOf(field)
}

/** Returns the name of the field of a condition: `meta.price`. @throws FIELD_CONDITION_INVALID */
export function nameOf(condition: FieldCondition): string {
  const { meta, field } = (condition ?? {}) as { meta?: unknown; field?: unknown }
  if ((typeof meta === 'string') === (typeof field === 'string')) throw errors.FIELD_CONDITION_INVALID()
  return 'meta' in condition ? `meta.${condition.meta}` : `field.${condition.field}`
}

/** Returns the end of the tags of lists that use a field. */
export function tagOf({ key, name }: Pick<IndexedField, 'key' | 'name'>): string {
  return key === '' ? `field=${name}` : `meta=${key}`
}

const partsOf = ({ field, id }: NumberedField): FieldSort => ({
  field: id,
  column: columnOf(field.type),
  single: field.single,
})

function testOf(numbered: NumberedField, conditions: readonly FieldCondition[]): FieldTest {
  const { field } = numbered
  const bounds: Bound[] = []
  const none: Key[] = []
  let missing = false
  for (const { compare = 'eq', value } of conditions) {
    const allowed = field.compares
    if (!allowed.includes(compare)) throw errors.FIELD_COMPARE_UNKNOWN(orderOfField(field), compare, allowed.join(', '))
    if (compare === 'exists') {
      if (typeof value !== 'boolean') throw errors.FIELD_VALUE_INVALID(orderOfField(field), 'use true or false.')
      missing ||= !value
    } else if (compare === 'in' || compare === 'not_in' || compare === 'ne') {
      const values = [...new Set([value].flat().map((one) => keyOf(field, one)))]
      if (compare === 'in') bounds.push({ compare, values })
      else if (field.single) bounds.push({ compare: 'not_in', values })
      else none.push(...values)
    } else bounds.push({ compare, value: keyOf(field, value) })
  }
  return { ...partsOf(numbered), bounds, none, missing }
}

/** @throws FIELD_VALUE_INVALID */
function keyOf(field: IndexedField, value: unknown): Key {
  const isDate = value instanceof Date && !Number.isNaN(value.getTime())
  const key = indexKey(isDate ? value.toISOString() : value, field.type)
  if (key === null) throw errors.FIELD_VALUE_INVALID(orderOfField(field), `it must be of the type ${field.type}.`)
  return key
}
