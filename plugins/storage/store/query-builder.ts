import type { CompiledQuery, Dialect, Kysely } from 'kysely'
import { DummyDriver, Kysely as QueryBuilder } from './kysely.ts'
import { NameTransformer } from './name-columns.ts'
import type { Database } from './schema.ts'
import type { SqlQuery } from './store.ts'
import type { StoredNames } from './stored-names.ts'

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

/** Compiles a query, with the stored form of the names that are bound to columns of names. */
export function compile(query: SqlQuery, db: Kysely<Database>, names: StoredNames): CompiledQuery {
  if (!('compile' in query)) return query
  // Builders know their compiler; raw templates need one.
  const compiled = query.compile(db)
  if (!compiled.parameters.some((value) => names.differs(value))) return compiled
  const { query: node, queryId } = compiled
  return db.getExecutor().compileQuery(new NameTransformer(names).transformNode(node), queryId)
}

/** Whether a query only reads. */
export function isRead({ query, sql }: CompiledQuery): boolean {
  return query.kind === 'SelectQueryNode' || (query.kind === 'RawNode' && /^\s*select\b/i.test(sql))
}
