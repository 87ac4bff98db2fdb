/** Bytes of a file from `start` to `end`, both included. */
export interface ByteRange {
  start: number
  end: number
}

/** More parts than a player or a download manager asks for; who asks for more gets the whole file. */
const MOST_RANGES = 16

/**
 * Reads a `Range` header (RFC 9110, 14.2). Ranges that overlap or touch become one, so a response is never longer than
 * the file and a little per part.
 *
 * @param size of the file in bytes
 * @returns in ascending order; an empty list when none lies within the file; null when the header is to be ignored
 */
export function parseRanges(header: string, size: number): ByteRange[] | null {
  const listed = /^bytes *=(.*)$/i.exec(header.trim())?.[1]?.split(',', MOST_RANGES + 1)
  if (listed === undefined || listed.length > MOST_RANGES) return null
  const ranges: ByteRange[] = []
  for (const item of listed) {
    const range = /^\s*(\d*)-(\d*)\s*$/.exec(item)
    if (range === null) return null
    const [, first = '', last = ''] = range
    if (first === '' && last === '') return null
    const start = first === '' ? Math.max(size - Number(last), 0) : Number(first)
    const end = first === '' || last === '' ? size - 1 : Number(last)
    if (first !== '' && last !== '' && end < start) return null
    // The last 0 bytes, and bytes behind the end, are nowhere.
    if (start < size) ranges.push({ start, end: Math.min(end, size - 1) })
  }
  return merged(ranges)
}

function merged(ranges: readonly ByteRange[]): ByteRange[] {
  const apart: ByteRange[] = []
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const before = apart.at(-1)
    if (before !== undefined && start <= before.end + 1) before.end = Math.max(before.end, end)
    else apart.push({ start, end })
  }
  return apart
}
