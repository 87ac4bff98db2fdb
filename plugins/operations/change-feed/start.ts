import type { HistoryBounds } from '../../storage/changes/index.ts'

/**
 * The ID after which a client continues. `fault` is set if it cannot continue where it was: the changes after that ID
 * have been deleted (`gone`) or do not exist yet (`unknown`).
 */
export type Start = { readonly last: number; readonly fault: 'gone' | 'unknown' | null }

/** @param since ID of the last change that the client has; null for a new client */
export function startOf(since: number | null, { first, last }: HistoryBounds): Start {
  if (since === null) return { last, fault: null }
  if (since > last) return { last, fault: 'unknown' }
  return since + 1 < first ? { last, fault: 'gone' } : { last: since, fault: null }
}
