import { valuesOf } from '../../resources/index.ts'
import type { RestRequest } from '../../../kernel/index.ts'
import type { SeenChange } from './seen-change.ts'

/** The changes a client wants; an empty list does not restrict them. */
export interface ChangeFilter {
  readonly kinds: readonly string[]
  readonly types: readonly string[]
}

/** Reads the filter from the arguments of a request. */
export function filterOf(request: RestRequest): ChangeFilter {
  const list = (name: string) => [...new Set(valuesOf<string>(request, name))].toSorted()
  return { kinds: list('kinds'), types: list('types') }
}

/** The changes that match the filter. Changes of the kind `all` always match. */
export function filterChanges(changes: readonly SeenChange[], filter: ChangeFilter): SeenChange[] {
  return changes.filter((change) => matchesFilter(change, filter))
}

/** Whether a change matches the filter. */
export function matchesFilter(
  { kind, type }: Pick<SeenChange, 'kind' | 'type'>,
  { kinds, types }: ChangeFilter,
): boolean {
  if (kind === 'all') return true
  return (kinds.length === 0 || kinds.includes(kind)) && (types.length === 0 || types.includes(type))
}

/** A change in the format that clients receive. */
export function shownChange(change: SeenChange) {
  return { ...change, time: new Date(change.time).toISOString() }
}
