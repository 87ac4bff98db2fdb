import type { Expression } from 'kysely'
import { describeQuery, isExpression, sql, type Store } from '../store/index.ts'
import { errors } from './errors.ts'

/** The tools with which a plugin builds SQL. */
export interface OwnRow<Columns extends string> {
  /** Returns a reference to a column of the object. */
  readonly ref: (column: Columns) => Expression<unknown>
  /** Kysely's `sql` tag, which binds values. */
  readonly sql: typeof sql
}

/**
 * A condition, or an order, that a plugin builds from the columns of an object: `({ ref, sql }) => sql`${ref('id')} >
 * 7``.
 */
export type OwnExpression<Columns extends string, T> = (row: OwnRow<Columns>) => Expression<T>

/** A built condition or order. Its JSON form is its SQL text with parameters, which serves as a cache key. */
export class OwnCondition<T> {
  readonly expression: Expression<T>
  /** Tags that lists with this condition depend on: the tables in its SQL. */
  readonly tags: readonly string[]
  readonly #key: string

  /** @param table table of the objects @throws FIELD_SQL_INVALID */
  constructor(store: Store, table: string, build: OwnExpression<string, T>) {
    const built = typeof build === 'function' ? build({ ref: (column) => sql.ref(`${table}.${column}`), sql }) : build
    if (!isExpression(built)) throw errors.FIELD_SQL_INVALID()
    // In parentheses, so that an `or` in it does not bypass the other conditions.
    this.expression = sql<T>`(${built})`
    const { key, tags } = describeQuery(store, sql`select 1 where ${this.expression}`)
    this.#key = key
    this.tags = tags
  }

  toJSON(): string {
    return this.#key
  }
}
