import { currentDependencies } from '../../library/caching/index.ts'
import { CAPTURED } from './changes/captured.ts'
import { tagsOfTables } from './sql-tables.ts'
import type { Scope } from './transaction-scope.ts'

/** Adds the tags of a read to the dependencies of the value being computed. */
export function noteRead(sql: string, scope: Scope | undefined, dependsOn: readonly string[] | undefined): void {
  const dependencies = currentDependencies()
  if (dependencies === undefined) return
  if (scope !== undefined) dependencies.refuse('it was read in a transaction')
  else dependencies.addAll(dependsOn ?? tagsOfTables(sql))
}

/** Records the tables that a transaction writes. A value computed during a write is not cached. */
export function noteWrite(tables: readonly string[], scope: Scope | undefined): void {
  if (scope !== undefined) for (const table of tables) (scope.shared.written ??= new Set()).add(table)
  currentDependencies()?.refuse('something was written')
}

/** Returns the tables whose changes no trigger captures: tables of plugins. */
export function uncaptured(tables: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...tables].filter((table) => !Object.hasOwn(CAPTURED, table)))
}
