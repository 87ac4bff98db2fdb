import { trace, tracing } from '../../../kernel/index.ts'
import type { Value } from './parameters.ts'
import type { Store } from './store.ts'
import './tracing.ts'

/**
 * Executes a statement and publishes it on the tracing channel `svc-rest:sql`.
 * @param act executes the statement; calls its argument when the statement is sent to the database
 */
export async function traceStatement<R>(
  dialect: Store['dialect'],
  sql: string,
  values: readonly Value[],
  act: (sent: () => void) => Promise<R>,
): Promise<R> {
  const startedAt = performance.now()
  const facts = { dialect, sql, parameters: values.length, waited: 0, rows: null }
  return trace(tracing.sql, facts, async (span) => {
    const result = await act(() => (span.waited = performance.now() - startedAt))
    span.rows = rowsIn(result)
    return result
  })
}

/** Returns the number of rows that a statement has read or changed. */
function rowsIn(result: unknown): number {
  if (Array.isArray(result)) return result.length
  return typeof result === 'number' ? result : Number(result !== undefined)
}
