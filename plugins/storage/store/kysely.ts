// Kysely as a CommonJS module. It has 260 files, and Node loads so many ES modules in half as much time again.
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
