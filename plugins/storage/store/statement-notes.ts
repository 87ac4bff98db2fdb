import { currentDependencies } from '../../library/caching/index.ts'
import { CAPTURED } from './changes/captured.ts'
import { tagsOfTables } from './sql-tables.ts'
import type { Scope } from './transaction-scope.ts'

/** Records what is read for those who keep what they make of it. */
export function noteRead(sql: string, scope: Scope | undefined, dependsOn: readonly string[] | undefined): void {
  const dependencies = currentDependencies()
  if (dependencies === undefined) return
  if (scope !== undefined) dependencies.refuse('it was read in a transaction')
  else dependencies.addAll(dependsOn ?? tagsOfTables(sql))
}

/** Records which tables a transaction writes; what is made of it meanwhile is not kept. */
export function noteWrite(tables: readonly string[], scope: Scope | undefined): void {
  if (scope !== undefined) for (const table of tables) (scope.shared.written ??= new Set()).add(table)
  currentDependencies()?.refuse('something was written')
}

/** Tables whose changes no trigger captures: those of plugins. */
export function uncaptured(tables: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...tables].filter((table) => !Object.hasOwn(CAPTURED, table)))
}
