import { valuesOf } from '../../resources/index.ts'
import type { RestRequest } from '../../../kernel/index.ts'
import type { SeenChange } from './seen-change.ts'

/** Which changes a client wants to be told of; empty lists leave nothing out. */
export interface ChangeFilter {
  readonly kinds: readonly string[]
  readonly types: readonly string[]
}

/** The filter that a request asks for. */
export function filterOf(request: RestRequest): ChangeFilter {
  const list = (name: string) => [...new Set(valuesOf<string>(request, name))].toSorted()
  return { kinds: list('kinds'), types: list('types') }
}

/** The changes that a client wants. What concerns everything is told to everybody. */
export function wanted(changes: readonly SeenChange[], filter: ChangeFilter): SeenChange[] {
  return changes.filter((change) => isWanted(change, filter))
}

/** Whether a change is among those that a client wants. */
export function isWanted({ kind, type }: Pick<SeenChange, 'kind' | 'type'>, { kinds, types }: ChangeFilter): boolean {
  if (kind === 'all') return true
  return (kinds.length === 0 || kinds.includes(kind)) && (types.length === 0 || types.includes(type))
}

/** A change as clients read it. */
export function shownChange(change: SeenChange) {
  return { ...change, time: new Date(change.time).toISOString() }
}
