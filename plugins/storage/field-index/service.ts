import {
  forbidden,
  invalidParam,
  OwnedList,
  type Arguments,
  type Awaitable,
  type PluginContext,
  type RestRequest,
} from '../../../kernel/index.ts'
import { addDeprecatedMembers } from '../../library/deprecated-names/index.ts'
import { hint } from '../../library/suggestions/index.ts'
import { sql, type Store } from '../store/index.ts'
import { finds, objectsWith } from './conditions.ts'
import { errors } from './errors.ts'
import {
  orderOfField,
  requestOrderOf,
  type FieldCondition,
  type FieldOrder,
  type IndexedField,
  type ObjectKind,
} from './field.ts'
import { FieldIndexer, TABLES } from './indexer.ts'
import { fieldArguments, type RequestCondition } from './list-arguments.ts'
import { OwnCondition } from './own-condition.ts'
import type { FieldQuery } from './query.ts'
import { nameOf, planOf, type FieldPlan, type FieldsByName, type FieldTest } from './plan.ts'

/**
 * If at most this many objects match, SQL looks them up and sorts them; otherwise it reads the order and checks each
 * object.
 */
const MAX_SORTED_OBJECTS = 2000

/** The conditions and the order by fields of a request. */
export interface RequestFieldConditions {
  readonly where: readonly FieldCondition[]
  /** Order by a field, with the internal name of the field. */
  readonly orderby: FieldOrder | undefined
  /** Whether only users who can edit an object see a field used here. */
  readonly editing: boolean
}

/** The fields by which lists can be filtered and sorted. */
export class FieldIndex {
  /** @deprecated Use `conditionsOf`. */
  declare readonly askedBy: FieldIndex['conditionsOf']
  readonly #sources = new OwnedList<() => readonly IndexedField[]>('source of indexed fields')
  readonly #store: Store
  readonly #indexer: FieldIndexer
  #all: { of: readonly (readonly IndexedField[])[]; fields: readonly IndexedField[] } = { of: [], fields: [] }

  constructor(plugin: PluginContext) {
    this.#store = plugin.services.store
    this.#indexer = new FieldIndexer(plugin, () => this.all())
  }

  /** The indexer of their values. @internal */
  get keeper(): FieldIndexer {
    return this.#indexer
  }

  /** Adds fields. @param fields returns the fields; a new list whenever they change */
  addSource(fields: () => readonly IndexedField[]): void {
    this.#sources.add(fields)
  }

  /** Returns all fields; the same list while they are unchanged. */
  all(): readonly IndexedField[] {
    const lists = [...this.#sources].map((source) => source())
    const { of } = this.#all
    const isKnown = lists.length === of.length && lists.every((list, index) => list === of[index])
    if (!isKnown) this.#all = { of: lists, fields: lists.flat() }
    return this.#all.fields
  }

  /** Whether any field is registered for a kind of objects. */
  has(kind: ObjectKind): boolean {
    return this.all().some((field) => field.kind === kind)
  }

  /** Returns the fields of a subtype: those for all subtypes and its own, which take precedence. */
  fieldsOf(kind: ObjectKind, subtype: string): readonly IndexedField[] {
    const found = new Map<string, IndexedField>()
    for (const fieldSubtype of new Set(['', subtype]))
      for (const field of this.all())
        if (field.kind === kind && field.subtype === fieldSubtype) found.set(orderOfField(field), field)
    return [...found.values()]
  }

  /** Returns the arguments of a list, extended by filters and orders by fields. */
  listArguments(kind: ObjectKind, subtype: string, args: Arguments): Arguments {
    return fieldArguments(this.#shownOf(kind, subtype), args)
  }

  /**
   * Returns the conditions and the order by fields of a request.
   * @param subtype the subtype of the route
   * @param subtypes the subtypes that the request lists
   * @throws rest_forbidden_filter, rest_forbidden_orderby, rest_invalid_param for a field that a listed subtype does
   * not have
   */
  async conditionsOf(
    kind: ObjectKind,
    subtype: string,
    request: RestRequest,
    subtypes: readonly string[] = [subtype],
  ): Promise<RequestFieldConditions> {
    const requestConditions = ['meta', 'field'].flatMap((name) =>
      request.endpoint?.args[name] === undefined ? [] : ((request.get(name) as RequestCondition[] | undefined) ?? []),
    )
    const order = request.get('orderby')
    const sorted = isFieldOrder(order)
      ? this.#shownOf(kind, subtype).findLast((field) => requestOrderOf(field) === order)
      : undefined
    let editing = false
    const uses = requestConditions.map(({ field }) => [field, errors.rest_forbidden_filter] as const)
    if (sorted !== undefined) uses.push([sorted, errors.rest_forbidden_orderby])
    for (const [field, refusal] of uses) {
      const { contexts, query_callback: isAllowed } = field
      if (!subtypes.every((one) => this.fieldsOf(kind, one).some((other) => isSame(other, field))))
        throw invalidParam('type', `Lists of this type cannot use ${requestOrderOf(field)}: request ${subtype} alone.`)
      const open = contexts === null || contexts.includes('view')
      const isEditing = !open && contexts.includes('edit') && request.get('context') === 'edit'
      if ((!open && !isEditing) || (isAllowed !== undefined && !(await isAllowed(request))))
        throw forbidden(request, refusal, requestOrderOf(field))
      editing ||= isEditing
    }
    const where = requestConditions.map(({ field, compare, value }): FieldCondition =>
      field.key === '' ? { field: field.name, compare, value } : { meta: field.key, compare, value },
    )
    return { where, orderby: sorted && orderOfField(sorted), editing }
  }

  /**
   * Returns the plan of conditions and an order after the values are up to date; null if no field is used.
   * @param subtypes subtypes of the listed objects: all must have the same field
   * @throws FIELD_NOT_INDEXED, FIELD_COMPARE_UNKNOWN, FIELD_VALUE_INVALID
   */
  async #plan(
    kind: ObjectKind,
    subtypes: readonly string[],
    where: readonly FieldCondition[] = [],
    orderby?: string,
  ): Promise<FieldPlan | null> {
    const order = isFieldOrder(orderby) ? orderby : undefined
    if (where.length === 0 && order === undefined) return null
    const names = new Set([...where.map(nameOf), ...(order === undefined ? [] : [order])])
    const fields = [...names].map((name) => this.#named(kind, subtypes, name))
    const sorted = order === undefined ? undefined : this.#named(kind, subtypes, order)
    if (sorted?.sortable === false) throw errors.FIELD_NOT_INDEXED(order!, `${kind}s`, '')
    const numbered = await this.#indexer.ready(fields)
    const used: FieldsByName = new Map(numbered.map((one) => [orderOfField(one.field), one]))
    return planOf(used, where, order)
  }

  /**
   * Parses the conditions and orders of a query by fields and by SQL. Returns the same query if it has none.
   * @param subtypes subtypes of the listed objects
   * @throws FIELD_NOT_INDEXED, FIELD_COMPARE_UNKNOWN, FIELD_VALUE_INVALID
   */
  planned<Q extends FieldQuery<string>>(
    kind: ObjectKind,
    subtypes: readonly string[],
    fieldQuery: Q,
    orderby: string | undefined,
  ): Awaitable<Q> {
    const { where = [], conditions = [], sort } = fieldQuery
    if (!Array.isArray(where)) throw errors.FIELD_CONDITION_INVALID()
    if (!Array.isArray(conditions)) throw errors.FIELD_SQL_INVALID()
    const isByField = where.length > 0 || isFieldOrder(orderby)
    if (!isByField && conditions.length === 0 && sort === undefined) return fieldQuery
    const query: Q = { ...fieldQuery }
    for (const name of ['where', 'conditions', 'sort'] as const) delete query[name]
    const table = TABLES[kind]
    if (conditions.length > 0) query.own = conditions.map((build) => new OwnCondition(this.#store, table, build))
    if (sort !== undefined) query.ownSort = new OwnCondition(this.#store, table, sort)
    if (!isByField) return query
    // Lists of posts estimate the number of matches themselves.
    const plan =
      kind === 'post' ? this.#plan(kind, subtypes, where, orderby) : this.#sizedPlan(kind, subtypes, where, orderby)
    return plan.then((fields) => ({ ...query, fields }))
  }

  /** Returns a plan that records for each test whether few objects meet it. */
  async #sizedPlan(
    kind: ObjectKind,
    subtypes: readonly string[],
    where: readonly FieldCondition[],
    orderby: string | undefined,
  ): Promise<FieldPlan | null> {
    const plan = await this.#plan(kind, subtypes, where, orderby)
    return plan === null || plan.tests.length === 0 ? plan : { ...plan, tests: await this.#sized(plan.tests) }
  }

  async #sized(tests: readonly FieldTest[]): Promise<FieldTest[]> {
    const counts = tests.map(
      (test) =>
        sql`(select count(*) from (${objectsWith(this.#store, test)} limit ${MAX_SORTED_OBJECTS + 1}) as found)`,
    )
    const names = counts.map((count, index) => sql`${count} as ${sql.ref(`test_${index}`)}`)
    const row = await this.#store.first(sql<Record<string, number>>`select ${sql.join(names)}`, [])
    return tests.map((test, index) => ({ ...test, few: finds(test) && row![`test_${index}`]! <= MAX_SORTED_OBJECTS }))
  }

  /** Computes and indexes the values of a computed field again. @param ids object IDs; all objects by default */
  async reindex(field: IndexedField, ids?: readonly number[]): Promise<void> {
    await this.#indexer.reindex(field, ids)
  }

  /** @throws FIELD_NOT_INDEXED */
  #named(kind: ObjectKind, subtypes: readonly string[], name: string): IndexedField {
    const [first, ...others] = new Set(
      subtypes.map((subtype) => this.fieldsOf(kind, subtype).find((field) => orderOfField(field) === name)),
    )
    if (first !== undefined && others.length === 0) return first
    const knownNames = new Set(subtypes.flatMap((subtype) => this.fieldsOf(kind, subtype).map(orderOfField)))
    throw errors.FIELD_NOT_INDEXED(name, subtypes.join(', ') || `${kind}s`, hint(name, [...knownNames]))
  }

  /** Returns the fields that requests can use. */
  #shownOf(kind: ObjectKind, subtype: string): readonly IndexedField[] {
    return this.fieldsOf(kind, subtype).filter(({ shown, isShownFor }) => shown !== null && isShownFor(subtype))
  }
}

addDeprecatedMembers(FieldIndex.prototype, 'services.fieldIndex', { askedBy: 'conditionsOf' })

const isSame = (one: IndexedField, other: IndexedField) =>
  one.key === other.key && one.name === other.name && one.subtype === other.subtype

/** Whether an order is by a field. */
export function isFieldOrder(orderby: unknown): orderby is FieldOrder {
  return typeof orderby === 'string' && (orderby.startsWith('meta.') || orderby.startsWith('field.'))
}
