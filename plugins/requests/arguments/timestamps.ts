const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(Z|[+-]\d\d(?::\d\d)?)?$/

/**
 * Parses a timestamp (specification 8.1.1): `YYYY-MM-DD`, then `T`, `t` or a space, then `HH:MM:SS`, an optional
 * fraction, and optionally `Z` or an offset `+HH` or `+HH:MM`. Without a zone, the time is UTC. The fraction is
 * dropped.
 * @param options.forceUtc treats a numeric offset as `+00:00` (specification 8.1.2)
 * @returns the Unix timestamp in seconds, or false if the text is invalid
 */
export function parseTimestamp(text: unknown, { forceUtc = false }: { forceUtc?: boolean } = {}): number | false {
  return readTimestamp(text, forceUtc)?.seconds ?? false
}

/**
 * Returns the Unix timestamp in seconds, read as UTC if it has no zone, and whether it has a zone; null if the text is
 * invalid.
 */
export function readTimestamp(text: unknown, forceUtc: boolean): { seconds: number; zoned: boolean } | null {
  const match = typeof text === 'string' ? TIMESTAMP.exec(text) : null
  if (match === null) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number)
  if (hour > 23 || minute > 59 || second > 59) return null
  const date = new Date(0)
  // Not `Date.UTC`, which maps the years 0 to 99 to 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null
  const zone = match[7]
  const offset = zone === undefined || zone === 'Z' || forceUtc ? 0 : numericOffset(zone)
  if (offset === null) return null
  return { seconds: date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset, zoned: zone !== undefined }
}

function numericOffset(text: string): number | null {
  const hours = Number(text.slice(1, 3))
  const minutes = Number(text.slice(4) || 0)
  if (hours > 23 || minutes > 59) return null
  return (text.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60)
}
