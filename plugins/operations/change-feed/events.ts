import { shownChange } from './filter.ts'
import type { SeenChange } from './seen-change.ts'

/** Characters up to which events are sent together. */
const MAX_CHUNK_LENGTH = 65_536

/** Events that are sent together. */
export interface Events {
  readonly text: string
  /** Number of the last change that they are about. */
  readonly last: number
}

/**
 * Changes as events, in parts that are sent one after the other.
 * @param last number of the last change that was looked at, told or not
 */
export function eventsOf(changes: readonly SeenChange[], last: number): Events[] {
  const parts: Events[] = []
  let text = ''
  for (const change of changes) {
    text += `id: ${change.id}\ndata: ${JSON.stringify(shownChange(change))}\n\n`
    if (text.length < MAX_CHUNK_LENGTH) continue
    parts.push({ text, last: change.id })
    text = ''
  }
  return [...parts, { text, last }]
}
