import type { Expression, SqlBool } from 'kysely'
import type { Store } from '../store/index.ts'
import { hasPlace, meetsTest, type Limits } from './conditions.ts'
import type { FieldCondition, ObjectKind, IndexedField } from './field.ts'
import type { OwnCondition, OwnExpression } from './own-condition.ts'
import { orderedTest, tagOf, type FieldPlan } from './plan.ts'

/** The parts of a list query that use fields or a plugin's SQL. */
export interface FieldQuery<Columns extends string> {
  /** Conditions on registered meta and fields, which must be `filterable`. Objects must meet all of them. */
  where?: readonly FieldCondition[]
  /**
   * Further conditions, as SQL: `({ ref, sql }) => sql`${ref('id')} > 7``. The list depends on the tables that they
   * name. They are fast if they have an index, or if the other conditions leave few objects.
   */
  conditions?: readonly OwnExpression<Columns, SqlBool>[]
  /** Order of the list, as SQL, in place of any other order: matching objects are sorted by it. */
  sort?: OwnExpression<Columns, unknown>
  /** Plan for `where` and an order by a field. Set internally. */
  fields?: FieldPlan | null
  /** Built `conditions`. Set internally. */
  own?: readonly OwnCondition<SqlBool>[]
  /** Built `sort`. Set internally. */
  ownSort?: OwnCondition<unknown>
}

/** A query whose conditions and orders are already parsed. */
export type PlannedQuery = Pick<FieldQuery<never>, 'fields' | 'own' | 'ownSort'>

/** Whether fields or a plugin's SQL limit or sort a list. */
export function goesByFields({ fields, own = [], ownSort }: PlannedQuery): boolean {
  return (fields ?? null) !== null || own.length > 0 || ownSort !== undefined
}

/**
 * Returns the conditions of a list: SQL looks objects up by tests that few objects meet and checks the others for each
 * object.
 */
export function meetsFields(store: Store, query: PlannedQuery, id: string, limits: Limits): Expression<SqlBool>[] {
  const found = (query.own ?? []).map(({ expression }) => expression)
  const { fields } = query
  if (!fields) return found
  const ordered = orderedTest(fields)
  const tests = fields.tests.map((test) =>
    meetsTest(store, test, id, test.few === true && test !== ordered ? limits : undefined),
  )
  return [...tests, ...hasPlace(store, fields, id), ...found]
}

/** Returns the tags of lists that use a field computed from the whole object. */
export function tagsOfValues(field: Pick<IndexedField, 'kind' | 'key' | 'name'>): string[] {
  return [`${field.kind}s:${tagOf(field)}`]
}

/**
 * Returns the tags of a list for its fields and a plugin's SQL.
 * @param lists the tags of all lists of its objects: `posts`, `unpublished:posts`
 */
export function tagsOfFields(query: PlannedQuery, kind: ObjectKind, lists: readonly string[]): string[] {
  const { fields, own = [], ownSort } = query
  if (!goesByFields(query)) return []
  const named = (fields?.names ?? []).flatMap((name) => [`${kind}s:${name}`, ...lists.map((list) => `${list}:${name}`)])
  return [...named, ...own.flatMap(({ tags }) => tags), ...(ownSort?.tags ?? [])]
}
