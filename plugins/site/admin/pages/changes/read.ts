import type { AdminView } from '../../frame/view.ts'
import type { Change } from '../dashboard/changes.ts'

/** The changes to list; `''` and null do not limit them. */
export interface ChangeQuery {
  readonly kind: string
  /** Content type of posts. */
  readonly type: string
  readonly change: string
  /** First and last day, as Unix milliseconds of their start in UTC. */
  readonly after: number | null
  readonly before: number | null
  /** Number of the change to continue before. */
  readonly cursor: number | null
  readonly limit: number
}

/** A page of changes. */
export interface FoundChanges {
  /** Newest first. */
  readonly changes: readonly Change[]
  /** Number of the change to continue before; null if there are no older ones. */
  readonly before: number | null
}

/** Maximum number of changes that one request reads. */
const MAX_EXAMINED = 500
/** Maximum number of requests per page; the next page continues. */
const MAX_REQUESTS = 10
const DAY_MS = 86_400_000
/** Kinds of changes that are listed. */
const KINDS = ['post', 'term', 'comment', 'user', 'option']

/** Returns the changes that match a query and that the user can read. */
export async function readChanges(view: AdminView, query: ChangeQuery): Promise<FoundChanges> {
  const { changeHistory } = view.plugin.services
  const { first, last } = await changeHistory.bounds()
  if (last === 0) return { changes: [], before: null }
  const start = query.after === null ? first : await numberAt(view, query.after, { first, last })
  const dayEnd = query.before === null ? last + 1 : await numberAt(view, query.before + DAY_MS, { first, last })
  const kinds = KINDS.includes(query.kind) ? query.kind : KINDS.join(',')
  const types = query.type === '' ? undefined : query.type
  const found: Change[] = []
  let end = Math.min(dayEnd, query.cursor ?? Number.POSITIVE_INFINITY)
  for (let read = 0; read < MAX_REQUESTS && end > start; read += 1) {
    const from = Math.max(start, end - MAX_EXAMINED)
    const question = { query: { since: from - 1, per_page: end - from, kinds, types } }
    const page = await view.find<{ changes: readonly Change[] }>('changes', question)
    for (const change of page?.changes.toReversed() ?? []) {
      if (change.id >= end || !isListed(change, query)) continue
      found.push(change)
      if (found.length === query.limit) return { changes: found, before: change.id > start ? change.id : null }
    }
    end = from
  }
  return { changes: found, before: end > start ? end : null }
}

/** Revisions are part of the change of their post; changes of the whole database have no object. */
function isListed({ kind, type, change }: Change, query: ChangeQuery): boolean {
  return kind !== 'all' && type !== 'revision' && (query.change === '' || change === query.change)
}

/** Returns the number of the first change at or after a time; or the number after the last change. */
async function numberAt(view: AdminView, time: number, { first, last }: { first: number; last: number }) {
  const { changeHistory } = view.plugin.services
  let [low, high] = [first, last + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [change] = await changeHistory.after(middle - 1, 1)
    if (change === undefined || change.time >= time) high = middle
    else low = change.id + 1
  }
  return low
}
