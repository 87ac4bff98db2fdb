import { errors } from './errors.ts'
import { orderOfField, type FieldCondition, type IndexedField } from './field.ts'
import { columnOf, indexKey } from './index-key.ts'

/** A value as the index has it. */
export type Key = string | number

/** A comparison that a value of a field has to meet. */
export type Bound =
  | { readonly compare: 'eq' | 'gt' | 'gte' | 'lt' | 'lte'; readonly value: Key }
  | { readonly compare: 'in'; readonly values: readonly Key[] }

/** What a list asks of one field. Plain data, by which what is made of a query is kept. */
export interface FieldTest {
  /** ID of the field. */
  readonly field: number
  readonly column: 'number' | 'text'
  /** Whether an object has one value of it at most. */
  readonly single: boolean
  /** Met by one of its values, all together; without any, a value there has to be. */
  readonly bounds: readonly Bound[]
  /** What none of its values is. */
  readonly none: readonly Key[]
  /** Whether there must be no value at all. */
  readonly missing: boolean
  /** Whether few objects have such a value, so that they are best found by it. */
  readonly few?: boolean
}

/** What lists go by of fields. */
export interface FieldPlan {
  readonly tests: readonly FieldTest[]
  /** The field that gives the order, by its first value: objects without any are not listed. */
  readonly sort: { readonly field: number; readonly column: 'number' | 'text' } | null
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
  const sort = sorted === undefined ? null : { field: sorted.id, column: columnOf(sorted.field.type) }
  return { tests, sort, names: [...used.values()].map(({ field }) => tagOf(field)) }
}

/** What a condition calls its field: `meta.price`. */
export function nameOf(condition: FieldCondition): string {
  return 'meta' in condition ? `meta.${condition.meta}` : `field.${condition.field}`
}

/** Ends the tags of lists that go by a field. */
export function tagOf({ key, name }: Pick<IndexedField, 'key' | 'name'>): string {
  return key === '' ? `field=${name}` : `meta=${key}`
}

function testOf({ field, id }: NumberedField, conditions: readonly FieldCondition[]): FieldTest {
  const bounds: Bound[] = []
  const none: Key[] = []
  let missing = false
  for (const { compare = 'eq', value } of conditions) {
    const known = field.compares
    if (!known.includes(compare)) throw errors.FIELD_COMPARE_UNKNOWN(orderOfField(field), compare, known.join(', '))
    if (compare === 'exists') missing ||= value === false
    else if (compare === 'ne') none.push(keyOf(field, value))
    else if (compare === 'in' || compare === 'not_in') {
      const values = [...new Set([value].flat().map((one) => keyOf(field, one)))]
      if (compare === 'in') bounds.push({ compare, values })
      else none.push(...values)
    } else bounds.push({ compare, value: keyOf(field, value) })
  }
  return { field: id, column: columnOf(field.type), single: field.single, bounds, none, missing }
}

/** @throws FIELD_VALUE_INVALID */
function keyOf(field: IndexedField, value: unknown): Key {
  const key = indexKey(value instanceof Date ? value.toISOString() : value, field.type)
  if (key === null) throw errors.FIELD_VALUE_INVALID(orderOfField(field), `it is no ${field.type}.`)
  return key
}
