/**
 * Pads a list to a power of two by repeating its last value, so that statements with lists have few different texts.
 */
export function padded<T>(values: readonly T[]): T[] {
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, values.length)))
  return Array.from({ length: size }, (_, index) => values[Math.min(index, values.length - 1)] as T)
}

/** IDs per query. */
const IDS_PER_QUERY = 512

/** Splits a list into parts of limited size. */
export function* inBatches<T>(list: readonly T[], size = IDS_PER_QUERY): Generator<T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size)
}
