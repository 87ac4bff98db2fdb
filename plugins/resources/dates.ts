/**
 * Dates of clients and tables (specification 2.4 and 8.1). An instant is a Unix timestamp in whole seconds; a stored
 * date is a string `Y-m-d H:i:s` in the site's local time or in UTC. Dates and times that do not exist (February 30,
 * 24:00) are invalid and never roll over.
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
/** The first seconds of the years 10000 and 0, in Unix seconds. Years between them have four digits. */
const YEAR_10000 = 253_402_300_800
const YEAR_0 = -62_167_219_200

/**
 * Converts a timestamp from a client into the stored pair (specification 8.1.3). Text without a zone is local time of
 * the zone, or UTC if `utc`; text with a zone denotes its instant. A local time that the zone skips (clocks set
 * forward) moves forward by the gap; a repeated one means its first occurrence.
 * @param options.utc treats text without a zone as UTC
 * @param options.forceUtc treats all text as UTC, ignoring its offset, as in revision 4.4
 * @returns null if the text is not a timestamp, or if one of the dates is outside of the years 0 to 9999
 * @throws RangeError if the zone is unknown; see `isTimeZone`
 */
export function datePair(
  value: unknown,
  zone: TimeZone,
  { utc = false, forceUtc = false }: { utc?: boolean; forceUtc?: boolean } = {},
): DatePair | null {
  const timestamp = readTimestamp(value, forceUtc)
  if (timestamp === null) return null
  const instant = timestamp.zoned || utc || forceUtc ? timestamp.seconds : instantOfLocal(timestamp.seconds, zone)
  const local = instant + zoneOffset(zone, instant)
  return isInRange(instant) && isInRange(local) ? [formatUtc(local), formatUtc(instant)] : null
}

/**
 * Formats an instant in seconds as `Y-m-d H:i:s` in UTC.
 * @throws RangeError outside of the years 0 to 9999
 */
export function formatUtc(seconds: number): string {
  if (!isInRange(seconds)) throw new RangeError(`The timestamp ${seconds} is outside of the years 0 to 9999.`)
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
}

/**
 * Formats the stored date `2025-01-05 10:00:00` for clients: `2025-01-05T10:00:00`; null if it is not a date (all
 * zeros).
 */
export function toIso(stored: string | null | undefined): string | null {
  if (typeof stored !== 'string' || !ISO_STORED.test(stored) || stored.startsWith('0000-00-00')) return null
  return `${stored.slice(0, 10)}T${stored.slice(11)}`
}

/** Like `toIso` with an explicit zone, for dates in UTC: `2025-01-05T10:00:00+00:00`. */
export function toIsoUtc(stored: string | null | undefined): string | null {
  const iso = toIso(stored)
  return iso === null ? null : `${iso}+00:00`
}

/**
 * Converts a stored UTC date to local time of the zone, `Y-m-d H:i:s`; null if it is not a date.
 * @throws RangeError if the zone is unknown
 */
export function localFromUtc(utc: string, zone: TimeZone): string | null {
  return datePair(utc, zone, { utc: true })?.[0] ?? null
}

/**
 * Converts a stored local date to UTC, `Y-m-d H:i:s`; null if it is not a date. Skipped and repeated times are handled
 * as in `datePair`.
 * @throws RangeError if the zone is unknown
 */
export function utcFromLocal(local: string, zone: TimeZone): string | null {
  return datePair(local, zone)?.[1] ?? null
}

/**
 * Returns the seconds by which the zone is ahead of UTC at an instant (in Unix seconds).
 * @throws RangeError if the zone is unknown
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
 * Returns the hours by which the zone is ahead of UTC at an instant (in Unix seconds), now by default: -5, 5.5.
 * @throws RangeError if the zone is unknown
 */
export function gmtOffset(zone: TimeZone, instant?: number): number {
  return zoneOffset(zone, instant) / 3600
}

/** How far ahead the next change of the offset is searched, and in which steps. */
const OFFSET_SEARCH_SECONDS = 400 * 86_400
const OFFSET_STEP_SECONDS = 7 * 86_400

/**
 * Returns when the offset of a zone changes next, such as at the end of daylight saving time; null if it does not
 * within about a year.
 * @param instant Unix seconds, now by default
 * @returns Unix seconds
 */
export function nextOffsetChange(zone: TimeZone, instant = Math.floor(Date.now() / 1000)): number | null {
  if (fixedOffset(zone) !== null) return null
  const cached = nextChanges.get(zone)
  if (cached !== undefined && cached.from <= instant && instant < cached.until) return cached.change
  const change = findOffsetChange(zone, instant)
  nextChanges.set(zone, { from: instant, until: change ?? instant + DAY_SECONDS, change })
  return change
}

/** Latest result for each zone, and the instants between which it is valid. */
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

/** Returns whether a value is a time zone that these functions accept. */
export function isTimeZone(zone: unknown): zone is TimeZone {
  if (typeof zone !== 'string' && typeof zone !== 'number') return false
  try {
    zoneOffset(zone, 0)
    return true
  } catch {
    return false
  }
}

/** Returns the instant at which clocks in the zone show `wall` (seconds, as if in UTC). */
function instantOfLocal(wall: number, zone: TimeZone): number {
  const before = zoneOffset(zone, wall - DAY_SECONDS)
  const after = zoneOffset(zone, wall + DAY_SECONDS)
  // The offset before a change is tried first, so that a repeated time means its first occurrence.
  for (const offset of [before, after]) {
    if (zoneOffset(zone, wall - offset) === offset) return wall - offset
  }
  return wall - before
}

const isInRange = (seconds: number) => seconds >= YEAR_0 && seconds < YEAR_10000

/** Returns the seconds of a fixed offset; null for a named zone. */
function fixedOffset(zone: TimeZone): number | null {
  if (zone === '' || zone === 'UTC') return 0
  if (typeof zone === 'number') {
    if (Math.abs(zone) < 24) return Math.round(zone * 3600)
    throw new RangeError(`${zone} is not a valid offset from UTC in hours.`)
  }
  const match = FIXED_OFFSET.exec(zone)
  if (match === null) return null
  const [, sign, hours, minutes = '0', fraction = '0'] = match
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Math.round(Number(fraction) * 3600)
  if (Number(minutes) > 59 || size >= DAY_SECONDS) throw new RangeError(`${zone} is not a valid offset from UTC.`)
  return sign === '-' ? -size : size
}

const zoneFormats = new Map<string, Intl.DateTimeFormat>()

// Intl rather than Temporal: every supported Node has it, and both take about 1 µs per lookup.
function zoneFormat(zone: string): Intl.DateTimeFormat {
  let format = zoneFormats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    zoneFormats.set(zone, format)
  }
  return format
}
