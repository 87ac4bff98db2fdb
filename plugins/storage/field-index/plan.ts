import { errors } from './errors.ts'
import { orderOfField, requestOrderOf, type FieldCondition, type FieldOrder, type IndexedField } from './field.ts'
import { columnOf, indexKey } from './index-key.ts'

/** A value as the index has it. */
export type Key = string | number

/** A comparison that a value of a field has to meet. */
export type Bound =
  | { readonly compare: 'eq' | 'gt' | 'gte' | 'lt' | 'lte'; readonly value: Key }
  | { readonly compare: 'in' | 'not_in'; readonly values: readonly Key[] }

/** What a list asks of one field. Plain data, by which what is made of a query is kept. */
export interface FieldTest {
  /** ID of the field. */
  readonly field: number
  readonly column: 'number' | 'text'
  /** Whether an object has one value of it at most. */
  readonly single: boolean
  /** Met by one of its values, all together; without any, a value there has to be. */
  readonly bounds: readonly Bound[]
  /** What none of several values is. */
  readonly none: readonly Key[]
  /** Whether there must be no value at all. */
  readonly missing: boolean
  /** Whether few objects have such a value, so that they are best found by it. */
  readonly few?: boolean
}

/** The field that gives the order. */
export type FieldSort = Pick<FieldTest, 'field' | 'column' | 'single'>

/** A field that gives the order. */
export interface FieldOrdering extends FieldSort {
  /** What cursors, which clients can read, call the order. */
  readonly name: FieldOrder
}

/** What lists go by of fields. */
export interface FieldPlan {
  readonly tests: readonly FieldTest[]
  /** The field that gives the order, by its first value: objects without any are not listed. */
  readonly sort: FieldOrdering | null
  /** What the fields are called in tags of lists. */
  readonly names: readonly string[]
}

/** A field, and its number in the database. */
export interface NumberedField {
  readonly field: IndexedField
  readonly id: number
}

/** The fields of the objects of a list, by what conditions and orders call them. */
export type FieldsByName = ReadonlyMap<string, NumberedField>

/** A condition on the only value that a list is ordered by: a range of the order. */
export function orderedTest({ tests, sort }: FieldPlan): FieldTest | null {
  return tests.find(({ field, missing, single }) => single && !missing && field === sort?.field) ?? null
}

/** What is met by whatever has a place in an order. */
export const anyValue = (sort: FieldSort): FieldTest => ({ ...sort, bounds: [], none: [], missing: false })

/** The test that is all a plan asks, of a field with one value at most: what meets it is counted by its values. */
export function onlyTest({ tests, sort }: FieldPlan): FieldTest | null {
  const [test = sort && anyValue(sort), ...others] = tests
  if (test === null || others.length > 0 || !test.single || test.missing) return null
  return sort === null || sort.field === test.field ? test : null
}

/** The conditions that a range of values leaves. @param test whose range it is; by default that of the order */
export function untestedBy(plan: FieldPlan, test: FieldTest | null = orderedTest(plan)): FieldTest[] {
  const others = plan.tests.filter((one) => one !== test)
  return test !== null && test.none.length > 0 ? [...others, { ...test, bounds: [] }] : others
}

/** What conditions and an order mean. @throws FIELD_COMPARE_UNKNOWN, FIELD_VALUE_INVALID */
export function planOf(used: FieldsByName, where: readonly FieldCondition[], orderby: string | undefined): FieldPlan {
  const byField = Map.groupBy(where, nameOf)
  const tests = Array.from(byField, ([name, conditions]) => testOf(used.get(name)!, conditions))
  const sorted = orderby === undefined ? undefined : used.get(orderby)
  const sort = sorted === undefined ? null : { ...partsOf(sorted), name: shownOrder(sorted) }
  return { tests, sort, names: [...used.values()].map(({ field }) => tagOf(field)) }
}

/** The name that clients know the order by, where they do. */
function shownOrder({ field }: NumberedField): FieldOrder {
  return field.shown === null ? orderOfField(field) : requestOrderOf(field)
}

/** What a condition calls its field: `meta.price`. @throws FIELD_CONDITION_INVALID */
export function nameOf(condition: FieldCondition): string {
  const { meta, field } = (condition ?? {}) as { meta?: unknown; field?: unknown }
  if ((typeof meta === 'string') === (typeof field === 'string')) throw errors.FIELD_CONDITION_INVALID()
  return 'meta' in condition ? `meta.${condition.meta}` : `field.${condition.field}`
}

/** Ends the tags of lists that go by a field. */
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
    const known = field.compares
    if (!known.includes(compare)) throw errors.FIELD_COMPARE_UNKNOWN(orderOfField(field), compare, known.join(', '))
    if (compare === 'exists') {
      if (typeof value !== 'boolean') throw errors.FIELD_VALUE_INVALID(orderOfField(field), 'say true or false.')
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
  if (key === null) throw errors.FIELD_VALUE_INVALID(orderOfField(field), `it is no ${field.type}.`)
  return key
}
