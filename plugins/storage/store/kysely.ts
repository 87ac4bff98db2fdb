// Loads Kysely as a CommonJS module: Node takes 1.5 times as long to load its 260 files as ES modules.
import { createRequire } from 'node:module'
import type * as KyselyModule from 'kysely'

const require = createRequire(import.meta.url)

export const {
  CompiledQuery,
  DummyDriver,
  expressionBuilder,
  isExpression,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} = require('kysely') as typeof KyselyModule
