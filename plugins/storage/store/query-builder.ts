import type { CompiledQuery, Dialect, Kysely } from 'kysely'
import { DummyDriver, Kysely as QueryBuilder } from './kysely.ts'
import type { Database } from './schema.ts'
import type { SqlQuery } from './store.ts'

/** Creates a Kysely instance that builds queries for a dialect and refuses to execute them. */
export function createBuilder(dialect: Omit<Dialect, 'createDriver'>): Kysely<Database> {
  return new QueryBuilder({ dialect: { ...dialect, createDriver: () => new BuildingDriver() } })
}

class BuildingDriver extends DummyDriver {
  override acquireConnection(): Promise<never> {
    return Promise.reject(
      new Error('store.db only builds queries: execute them with store.all, store.first or store.run.'),
    )
  }
}

export function compile(query: SqlQuery, db: Kysely<Database>): CompiledQuery {
  // Builders know their compiler; raw templates need one.
  return 'compile' in query ? query.compile(db) : query
}

/** Whether a query only reads. */
export function isRead({ query, sql }: CompiledQuery): boolean {
  return query.kind === 'SelectQueryNode' || (query.kind === 'RawNode' && /^\s*select\b/i.test(sql))
}
