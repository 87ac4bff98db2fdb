/**
 * Dates as clients and tables write them (specification 2.4 and 8.1). An instant is a Unix timestamp in whole seconds;
 * a stored date is a string `Y-m-d H:i:s`, either of the site's local time or of UTC. Calendar and clock values that do
 * not exist (February 30, 24:00) are invalid, never rolled over.
 */

import { readTimestamp } from '../requests/arguments/index.ts'

/**
 * A time zone: an IANA name (`Europe/Berlin`), a fixed offset (`+05:30`, `UTC-3`), or hours east of UTC (5.5). The
 * empty string is UTC.
 */
export type TimeZone = string | number

/** A stored date: [local, utc], both `Y-m-d H:i:s`. */
export type DatePair = [local: string, utc: string]

const ISO_STORED = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
const FIXED_OFFSET = /^(?:UTC)?([+-])(\d{1,2})(?::?(\d\d)|(\.\d{1,4}))?$/i
const NAMED_OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/
const DAY_SECONDS = 86_400
/** The first second that a four-digit year cannot name, and the first that it can. */
const YEAR_10000 = 253_402_300_800
const YEAR_0 = -62_167_219_200

/**
 * Turns what a client sent into the pair that is stored (specification 8.1.3). Text without a zone is the zone's local
 * time, unless `utc` says that it is UTC; text with a zone names its instant. A local time that the zone skips (clocks
 * set forward) moves forward by the gap; one that it has twice means the first.
 * @param options.utc text without a zone is of UTC
 * @param options.forceUtc all text is of UTC, whatever offset it names: the form of the earliest revision
 * @returns null when the text is not a timestamp or a side falls outside the years 0 to 9999
 * @throws RangeError when the zone is unknown; see `isTimeZone`
 */
export function datePair(
  value: unknown,
  zone: TimeZone,
  { utc = false, forceUtc = false }: { utc?: boolean; forceUtc?: boolean } = {},
): DatePair | null {
  const read = readTimestamp(value, forceUtc)
  if (read === null) return null
  const instant = read.zoned || utc || forceUtc ? read.seconds : instantOfLocal(read.seconds, zone)
  const local = instant + zoneOffset(zone, instant)
  return nameable(instant) && nameable(local) ? [formatUtc(local), formatUtc(instant)] : null
}

/**
 * Writes an instant, in seconds, as `Y-m-d H:i:s` of UTC.
 * @throws RangeError outside the years 0 to 9999
 */
export function formatUtc(seconds: number): string {
  if (!nameable(seconds)) throw new RangeError(`${seconds} seconds is no instant of the years 0 to 9999.`)
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
}

/** The stored date `2025-01-05 10:00:00` as clients read it, `2025-01-05T10:00:00`; null when it is none (all zeros). */
export function toIso(stored: string | null | undefined): string | null {
  if (typeof stored !== 'string' || !ISO_STORED.test(stored) || stored.startsWith('0000-00-00')) return null
  return `${stored.slice(0, 10)}T${stored.slice(11)}`
}

/** Like `toIso`, with the zone written out: `2025-01-05T10:00:00+00:00`, for dates that are known to be UTC. */
export function toIsoUtc(stored: string | null | undefined): string | null {
  const iso = toIso(stored)
  return iso === null ? null : `${iso}+00:00`
}

/**
 * The zone's local `Y-m-d H:i:s` at a stored UTC date; null when that is no date.
 * @throws RangeError when the zone is unknown
 */
export function localFromUtc(utc: string, zone: TimeZone): string | null {
  return datePair(utc, zone, { utc: true })?.[0] ?? null
}

/**
 * The UTC `Y-m-d H:i:s` of a stored local date; null when that is no date. Skipped and repeated times as in `datePair`.
 * @throws RangeError when the zone is unknown
 */
export function utcFromLocal(local: string, zone: TimeZone): string | null {
  return datePair(local, zone)?.[1] ?? null
}

/**
 * Seconds that the zone's clocks are ahead of UTC at an instant (in seconds).
 * @throws RangeError when the zone is unknown
 */
export function zoneOffset(zone: TimeZone, instant: number = Date.now() / 1000): number {
  const fixed = fixedOffset(zone)
  if (fixed !== null) return fixed
  const match = NAMED_OFFSET.exec(zoneFormat(zone as string).format(instant * 1000))
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match ?? []
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return sign === '-' ? -size : size
}

/**
 * Hours that the zone's clocks are ahead of UTC at an instant (in seconds), now by default: -5, 5.5.
 * @throws RangeError when the zone is unknown
 */
export function gmtOffset(zone: TimeZone, instant?: number): number {
  return zoneOffset(zone, instant) / 3600
}

/** How far ahead a change of the offset is looked for, and in which steps, in seconds. */
const OFFSET_SEARCH_SECONDS = 400 * 86_400
const OFFSET_STEP_SECONDS = 7 * 86_400

/**
 * When the offset of a zone changes next, as at the end of summer time; null where it does not within a year.
 * @param instant seconds since 1970, by default now
 * @returns seconds since 1970
 */
export function nextOffsetChange(zone: TimeZone, instant = Math.floor(Date.now() / 1000)): number | null {
  if (fixedOffset(zone) !== null) return null
  const known = nextChanges.get(zone)
  if (known !== undefined && known.from <= instant && instant < known.until) return known.change
  const change = findOffsetChange(zone, instant)
  nextChanges.set(zone, { from: instant, until: change ?? instant + DAY_SECONDS, change })
  return change
}

/** The latest result for each zone, and the instants between which it holds. */
const nextChanges = new Map<TimeZone, { from: number; until: number; change: number | null }>()

function findOffsetChange(zone: TimeZone, instant: number): number | null {
  const offset = zoneOffset(zone, instant)
  let after = instant
  while (zoneOffset(zone, after) === offset) {
    after += OFFSET_STEP_SECONDS
    if (after > instant + OFFSET_SEARCH_SECONDS) return null
  }
  let before = after - OFFSET_STEP_SECONDS
  while (after - before > 1) {
    const between = Math.floor((before + after) / 2)
    if (zoneOffset(zone, between) === offset) before = between
    else after = between
  }
  return after
}

/** Whether the zone can be used with the functions here. */
export function isTimeZone(zone: unknown): zone is TimeZone {
  if (typeof zone !== 'string' && typeof zone !== 'number') return false
  try {
    zoneOffset(zone, 0)
    return true
  } catch {
    return false
  }
}

/** The instant at which the zone's clocks show `wall` (seconds, counted as if they were UTC). */
function instantOfLocal(wall: number, zone: TimeZone): number {
  const before = zoneOffset(zone, wall - DAY_SECONDS)
  const after = zoneOffset(zone, wall + DAY_SECONDS)
  // The offset that held before a change comes first: a repeated time then means its first occurrence.
  for (const offset of [before, after]) {
    if (zoneOffset(zone, wall - offset) === offset) return wall - offset
  }
  return wall - before
}

const nameable = (seconds: number) => seconds >= YEAR_0 && seconds < YEAR_10000

/** Seconds of a zone that is a fixed offset; null for a named one. */
function fixedOffset(zone: TimeZone): number | null {
  if (zone === '' || zone === 'UTC') return 0
  if (typeof zone === 'number') {
    if (Math.abs(zone) < 24) return Math.round(zone * 3600)
    throw new RangeError(`${zone} is no offset from UTC in hours.`)
  }
  const match = FIXED_OFFSET.exec(zone)
  if (match === null) return null
  const [, sign, hours, minutes = '0', fraction = '0'] = match
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Math.round(Number(fraction) * 3600)
  if (Number(minutes) > 59 || size >= DAY_SECONDS) throw new RangeError(`${zone} is no offset from UTC.`)
  return sign === '-' ? -size : size
}

const zoneFormats = new Map<string, Intl.DateTimeFormat>()

// Intl rather than Temporal: it is there on every supported Node, and a look-up costs the same microsecond.
function zoneFormat(zone: string): Intl.DateTimeFormat {
  let format = zoneFormats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    zoneFormats.set(zone, format)
  }
  return format
}
