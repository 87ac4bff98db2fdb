import type { Expression, SqlBool } from 'kysely'
import type { Store } from '../store/index.ts'
import { hasPlace, meetsTest, type Limits } from './conditions.ts'
import type { FieldCondition, ObjectKind, IndexedField } from './field.ts'
import type { OwnCondition, OwnExpression } from './own-condition.ts'
import { orderedTest, tagOf, type FieldPlan } from './plan.ts'

/** What the query of a list says of fields, and of SQL of a plugin's own. */
export interface FieldQuery<Columns extends string> {
  /** Conditions on registered meta and fields, which have to be `filterable`; all of them are met. */
  where?: readonly FieldCondition[]
  /**
   * Further conditions, as SQL: `({ ref, sql }) => sql`${ref('id')} > 7``. The list depends on the tables that they name; an
   * index of them, or few objects that the other conditions leave, is what makes it fast.
   */
  conditions?: readonly OwnExpression<Columns, SqlBool>[]
  /** An order of the list, as SQL, in place of any other: what is found is sorted by it. */
  sort?: OwnExpression<Columns, unknown>
  /** What `where` and an order by a field have become; made of them. */
  fields?: FieldPlan | null
  /** What `conditions` have become. */
  own?: readonly OwnCondition<SqlBool>[]
  /** What `sort` has become. */
  ownSort?: OwnCondition<unknown>
}

/** A query that fields and SQL are read of already. */
export type PlannedQuery = Pick<FieldQuery<never>, 'fields' | 'own' | 'ownSort'>

/** Whether fields or SQL limit a list, or give its order. */
export function goesByFields({ fields, own = [], ownSort }: PlannedQuery): boolean {
  return (fields ?? null) !== null || own.length > 0 || ownSort !== undefined
}

/**
 * The conditions of a list by its fields: by what few objects have they are found, by the rest they are told from others;
 * and those of a plugin's own.
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

/** What lists that go by a field of whole objects depend on. */
export function tagsOfValues(field: Pick<IndexedField, 'kind' | 'key' | 'name'>): string[] {
  return [`${field.kind}s:${tagOf(field)}`]
}

/**
 * What a list depends on by its fields, and by a plugin's SQL.
 * @param lists the tags of all lists of its objects: `posts`, `unpublished:posts`
 */
export function tagsOfFields(query: PlannedQuery, kind: ObjectKind, lists: readonly string[]): string[] {
  const { fields, own = [], ownSort } = query
  if (!goesByFields(query)) return []
  const named = (fields?.names ?? []).flatMap((name) => [`${kind}s:${name}`, ...lists.map((list) => `${list}:${name}`)])
  return [...named, ...own.flatMap(({ tags }) => tags), ...(ownSort?.tags ?? [])]
}
