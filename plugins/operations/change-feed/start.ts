import type { HistoryBounds } from '../../storage/changes/index.ts'

/** Where a client goes on: behind a change, or not, because those behind it are not kept, or are not there yet. */
export type Start = { readonly last: number; readonly fault: 'gone' | 'unknown' | null }

/** @param since number of the last change that a client knows; null for one that begins */
export function startOf(since: number | null, { first, last }: HistoryBounds): Start {
  if (since === null) return { last, fault: null }
  if (since > last) return { last, fault: 'unknown' }
  return since + 1 < first ? { last, fault: 'gone' } : { last: since, fault: null }
}
