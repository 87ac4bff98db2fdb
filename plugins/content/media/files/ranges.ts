/** Bytes of a file from `start` to `end`, both inclusive. */
export interface ByteRange {
  start: number
  end: number
}

/** More ranges than players and download managers request; requests with more get the whole file. */
const MAX_RANGES = 16

/**
 * Parses a `Range` header (RFC 9110, 14.2). Overlapping and adjacent ranges are merged, so that a response is hardly
 * longer than the file.
 * @param size of the file in bytes
 * @returns ranges in ascending order; an empty list if none is satisfiable; null if the header must be ignored
 */
export function parseRanges(header: string, size: number): ByteRange[] | null {
  const listed = /^bytes *=(.*)$/i.exec(header.trim())?.[1]?.split(',', MAX_RANGES + 1)
  if (listed === undefined || listed.length > MAX_RANGES) return null
  const ranges: ByteRange[] = []
  for (const item of listed) {
    const range = /^\s*(\d*)-(\d*)\s*$/.exec(item)
    if (range === null) return null
    const [, first = '', last = ''] = range
    if (first === '' && last === '') return null
    const start = first === '' ? Math.max(size - Number(last), 0) : Number(first)
    const end = first === '' || last === '' ? size - 1 : Number(last)
    if (first !== '' && last !== '' && end < start) return null
    // Skips ranges beyond the end, and `-0`.
    if (start < size) ranges.push({ start, end: Math.min(end, size - 1) })
  }
  return merged(ranges)
}

function merged(ranges: readonly ByteRange[]): ByteRange[] {
  const result: ByteRange[] = []
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const before = result.at(-1)
    if (before !== undefined && start <= before.end + 1) before.end = Math.max(before.end, end)
    else result.push({ start, end })
  }
  return result
}
