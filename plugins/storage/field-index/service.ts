import {
  forbidden,
  invalidParam,
  OwnedList,
  type Arguments,
  type Awaitable,
  type PluginContext,
  type RestRequest,
} from '../../../kernel/index.ts'
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
import { IndexKeeper, TABLES } from './keeper.ts'
import { fieldArguments, type GivenCondition } from './list-arguments.ts'
import { OwnCondition } from './own-condition.ts'
import type { FieldQuery } from './query.ts'
import { nameOf, planOf, type FieldPlan, type FieldsByName, type FieldTest } from './plan.ts'

/** Objects that are found and sorted, where more are met in the order of the list and tested. */
const MAX_SORTED_OBJECTS = 2000

/** What a request asks of the fields of a list. */
export interface AskedOfFields {
  readonly where: readonly FieldCondition[]
  /** The order, if a field gives it, by the key of the meta. */
  readonly orderby: FieldOrder | undefined
  /** Whether only who may edit an object sees what was asked about. */
  readonly editing: boolean
}

/** The fields of objects that lists are limited to and ordered by. */
export class FieldIndex {
  readonly #sources = new OwnedList<() => readonly IndexedField[]>('source of indexed fields')
  readonly #store: Store
  readonly #keeper: IndexKeeper
  #all: { of: readonly (readonly IndexedField[])[]; fields: readonly IndexedField[] } = { of: [], fields: [] }

  constructor(plugin: PluginContext) {
    this.#store = plugin.services.store
    this.#keeper = new IndexKeeper(plugin, () => this.all())
  }

  /** The keeper of their values. @internal */
  get keeper(): IndexKeeper {
    return this.#keeper
  }

  /** Adds fields. @param fields another list whenever one has come or gone */
  addSource(fields: () => readonly IndexedField[]): void {
    this.#sources.add(fields)
  }

  /** Every field; the same list as long as none comes or goes. */
  all(): readonly IndexedField[] {
    const lists = [...this.#sources].map((source) => source())
    const { of } = this.#all
    const isKnown = lists.length === of.length && lists.every((list, index) => list === of[index])
    if (!isKnown) this.#all = { of: lists, fields: lists.flat() }
    return this.#all.fields
  }

  /** Whether lists of a kind of objects go by any field. */
  has(kind: ObjectKind): boolean {
    return this.all().some((field) => field.kind === kind)
  }

  /** The fields of objects of a subtype: those of every subtype, and its own, which win. */
  fieldsOf(kind: ObjectKind, subtype: string): readonly IndexedField[] {
    const found = new Map<string, IndexedField>()
    for (const wanted of new Set(['', subtype]))
      for (const field of this.all())
        if (field.kind === kind && field.subtype === wanted) found.set(orderOfField(field), field)
    return [...found.values()]
  }

  /** The arguments of a list, with those by which requests limit it to fields and order it by them. */
  listArguments(kind: ObjectKind, subtype: string, args: Arguments): Arguments {
    return fieldArguments(this.#shownOf(kind, subtype), args)
  }

  /**
   * What a request asks of the fields of a list.
   * @param subtype whose route it is
   * @param subtypes of the objects that it asks for
   * @throws rest_forbidden_filter, rest_forbidden_orderby, rest_invalid_param for a field that not all of them have
   */
  async askedBy(
    kind: ObjectKind,
    subtype: string,
    request: RestRequest,
    subtypes: readonly string[] = [subtype],
  ): Promise<AskedOfFields> {
    const given = ['meta', 'field'].flatMap((name) =>
      request.endpoint?.args[name] === undefined ? [] : ((request.get(name) as GivenCondition[] | undefined) ?? []),
    )
    const order = request.get('orderby')
    const sorted = isFieldOrder(order)
      ? this.#shownOf(kind, subtype).findLast((field) => requestOrderOf(field) === order)
      : undefined
    let editing = false
    const uses = given.map(({ field }) => [field, errors.rest_forbidden_filter] as const)
    if (sorted !== undefined) uses.push([sorted, errors.rest_forbidden_orderby])
    for (const [field, refusal] of uses) {
      const { contexts, query_callback: ask } = field
      if (!subtypes.every((one) => this.fieldsOf(kind, one).some((other) => isSame(other, field))))
        throw invalidParam(
          'type',
          `Lists of this type do not go by ${requestOrderOf(field)}: ask for ${subtype} alone.`,
        )
      const open = contexts === null || contexts.includes('view')
      const isEditing = !open && contexts.includes('edit') && request.get('context') === 'edit'
      if ((!open && !isEditing) || (ask !== undefined && !(await ask(request))))
        throw forbidden(request, refusal, requestOrderOf(field))
      editing ||= isEditing
    }
    const where = given.map(({ field, compare, value }): FieldCondition =>
      field.key === '' ? { field: field.name, compare, value } : { meta: field.key, compare, value },
    )
    return { where, orderby: sorted && orderOfField(sorted), editing }
  }

  /**
   * What conditions and an order mean, once what lists find by them is as it is stored. Null where there are none.
   * @param subtypes of the objects of the list: each has to have the same field
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
    const numbered = await this.#keeper.ready(fields)
    const used: FieldsByName = new Map(numbered.map((one) => [orderOfField(one.field), one]))
    return planOf(used, where, order)
  }

  /**
   * A query with what it says of fields and of SQL of its own, read. As it is where it says nothing.
   * @param subtypes of the objects of the list
   * @throws FIELD_NOT_INDEXED, FIELD_COMPARE_UNKNOWN, FIELD_VALUE_INVALID
   */
  planned<Q extends FieldQuery<string>>(
    kind: ObjectKind,
    subtypes: readonly string[],
    asked: Q,
    orderby: string | undefined,
  ): Awaitable<Q> {
    const { where = [], conditions = [], sort } = asked
    if (!Array.isArray(where)) throw errors.FIELD_CONDITION_INVALID()
    if (!Array.isArray(conditions)) throw errors.FIELD_SQL_INVALID()
    const isByField = where.length > 0 || isFieldOrder(orderby)
    if (!isByField && conditions.length === 0 && sort === undefined) return asked
    const query: Q = { ...asked }
    for (const name of ['where', 'conditions', 'sort'] as const) delete query[name]
    const table = TABLES[kind]
    if (conditions.length > 0) query.own = conditions.map((build) => new OwnCondition(this.#store, table, build))
    if (sort !== undefined) query.ownSort = new OwnCondition(this.#store, table, sort)
    if (!isByField) return query
    // Posts find out themselves how many meet a condition.
    const plan =
      kind === 'post' ? this.#plan(kind, subtypes, where, orderby) : this.#sizedPlan(kind, subtypes, where, orderby)
    return plan.then((fields) => ({ ...query, fields }))
  }

  /** A plan in which it is known of each condition whether few objects meet it. */
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

  /** Has the values of a field of whole objects made anew. @param ids of the objects; all where it is left out */
  async reindex(field: IndexedField, ids?: readonly number[]): Promise<void> {
    await this.#keeper.reindex(field, ids)
  }

  /** @throws FIELD_NOT_INDEXED */
  #named(kind: ObjectKind, subtypes: readonly string[], name: string): IndexedField {
    const [first, ...others] = new Set(
      subtypes.map((subtype) => this.fieldsOf(kind, subtype).find((field) => orderOfField(field) === name)),
    )
    if (first !== undefined && others.length === 0) return first
    const known = new Set(subtypes.flatMap((subtype) => this.fieldsOf(kind, subtype).map(orderOfField)))
    throw errors.FIELD_NOT_INDEXED(name, subtypes.join(', ') || `${kind}s`, hint(name, [...known]))
  }

  /** Those that requests know. */
  #shownOf(kind: ObjectKind, subtype: string): readonly IndexedField[] {
    return this.fieldsOf(kind, subtype).filter(({ shown, isShownFor }) => shown !== null && isShownFor(subtype))
  }
}

const isSame = (one: IndexedField, other: IndexedField) =>
  one.key === other.key && one.name === other.name && one.subtype === other.subtype

/** Whether an order is that of a field. */
export function isFieldOrder(orderby: unknown): orderby is FieldOrder {
  return typeof orderby === 'string' && (orderby.startsWith('meta.') || orderby.startsWith('field.'))
}
