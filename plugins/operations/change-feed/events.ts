import { shownChange } from './filter.ts'
import type { SeenChange } from './seen-change.ts'

/** Characters after which a chunk of events is sent. */
const MAX_CHUNK_LENGTH = 65_536

/** A chunk of events. */
export interface Events {
  readonly text: string
  /** ID of the last change that the chunk covers. */
  readonly last: number
}

/**
 * Formats changes as server-sent events, in chunks.
 * @param last ID of the last change that was examined, sent or not
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
