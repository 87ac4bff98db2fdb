import type { Expression } from 'kysely'
import { describeQuery, isExpression, sql, type Store } from '../store/index.ts'
import { errors } from './errors.ts'

/** What a plugin makes SQL of. */
export interface OwnRow<Columns extends string> {
  /** A column of the object. */
  readonly ref: (column: Columns) => Expression<unknown>
  /** Builds SQL, in which values are bound: Kysely's. */
  readonly sql: typeof sql
}

/** A condition, or an order, that a plugin makes of the columns of an object: `({ ref, sql }) => sql`${ref('id')} > 7``. */
export type OwnExpression<Columns extends string, T> = (row: OwnRow<Columns>) => Expression<T>

/** What a plugin has made of it. What is kept of queries knows it by its text, as JSON has it. */
export class OwnCondition<T> {
  readonly expression: Expression<T>
  /** What lists depend on by it: the tables that it names. */
  readonly tags: readonly string[]
  readonly #key: string

  /** @param table whose rows it is about @throws FIELD_SQL_INVALID */
  constructor(store: Store, table: string, build: OwnExpression<string, T>) {
    const built = typeof build === 'function' ? build({ ref: (column) => sql.ref(`${table}.${column}`), sql }) : build
    if (!isExpression(built)) throw errors.FIELD_SQL_INVALID()
    // An `or` of its own must not open the other conditions.
    this.expression = sql<T>`(${built})`
    const { key, tags } = describeQuery(store, sql`select 1 where ${this.expression}`)
    this.#key = key
    this.tags = tags
  }

  toJSON(): string {
    return this.#key
  }
}
