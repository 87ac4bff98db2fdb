import { zoneOffset, type TimeZone } from '../../resources/index.ts'

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

/** An instant in the local time of a zone. */
export interface LocalTime {
  /** Local time, stored in the UTC fields of a `Date`. */
  readonly clock: Date
  /** Offset from UTC in seconds; positive east of Greenwich. */
  readonly offset: number
}

/** Converts an instant in seconds to the local time of a zone. */
export function localTime(instant: number, zone: TimeZone): LocalTime {
  const offset = zoneOffset(zone, instant)
  return { clock: new Date((instant + offset) * 1000), offset }
}

/** Returns the start of the next local day in seconds. It can be early by the size of an offset change at that time. */
export function nextDay(instant: number, zone: TimeZone): number {
  const { clock, offset } = localTime(instant, zone)
  const begins = Date.UTC(clock.getUTCFullYear(), clock.getUTCMonth(), clock.getUTCDate() + 1) / 1000
  const later = zoneOffset(zone, begins - offset)
  return Math.max(begins - Math.max(offset, later), instant + 1)
}

/** Example: `2025-01-05T05:00:00-05:00`. */
export function isoWithOffset(time: LocalTime): string {
  return `${time.clock.toISOString().slice(0, 19)}${offsetText(time.offset, ':')}`
}

/** Values of the PHP date format letters. */
const LETTERS: Readonly<Record<string, (time: LocalTime) => string | number>> = {
  d: ({ clock }) => twoDigits(clock.getUTCDate()),
  j: ({ clock }) => clock.getUTCDate(),
  D: ({ clock }) => DAYS[clock.getUTCDay()]!.slice(0, 3),
  l: ({ clock }) => DAYS[clock.getUTCDay()]!,
  N: ({ clock }) => clock.getUTCDay() || 7,
  w: ({ clock }) => clock.getUTCDay(),
  S: ({ clock }) => ordinal(clock.getUTCDate()),
  F: ({ clock }) => MONTHS[clock.getUTCMonth()]!,
  M: ({ clock }) => MONTHS[clock.getUTCMonth()]!.slice(0, 3),
  m: ({ clock }) => twoDigits(clock.getUTCMonth() + 1),
  n: ({ clock }) => clock.getUTCMonth() + 1,
  t: ({ clock }) => new Date(Date.UTC(clock.getUTCFullYear(), clock.getUTCMonth() + 1, 0)).getUTCDate(),
  L: ({ clock }) => Number(new Date(Date.UTC(clock.getUTCFullYear(), 1, 29)).getUTCMonth() === 1),
  Y: ({ clock }) => clock.getUTCFullYear(),
  y: ({ clock }) => twoDigits(clock.getUTCFullYear() % 100),
  z: ({ clock }) => Math.floor((clock.getTime() - Date.UTC(clock.getUTCFullYear(), 0, 1)) / 86_400_000),
  a: ({ clock }) => (clock.getUTCHours() < 12 ? 'am' : 'pm'),
  A: ({ clock }) => (clock.getUTCHours() < 12 ? 'AM' : 'PM'),
  g: ({ clock }) => clock.getUTCHours() % 12 || 12,
  G: ({ clock }) => clock.getUTCHours(),
  h: ({ clock }) => twoDigits(clock.getUTCHours() % 12 || 12),
  H: ({ clock }) => twoDigits(clock.getUTCHours()),
  i: ({ clock }) => twoDigits(clock.getUTCMinutes()),
  s: ({ clock }) => twoDigits(clock.getUTCSeconds()),
  O: ({ offset }) => offsetText(offset, ''),
  P: ({ offset }) => offsetText(offset, ':'),
  Z: ({ offset }) => offset,
  U: ({ clock, offset }) => Math.floor(clock.getTime() / 1000) - offset,
  c: isoWithOffset,
}

/** Formats a date in PHP notation such as `F j, Y`; `\` escapes the next letter. */
export function formatDate(format: string, time: LocalTime): string {
  return format.replace(/\\(.)|[A-Za-z]/gs, (letter, escaped: string | undefined) =>
    escaped === undefined ? String(LETTERS[letter]?.(time) ?? letter) : escaped,
  )
}

/** Returns the time between two instants in its largest unit: `3 days`. */
export function timeBetween(from: number, to: number): string {
  const seconds = Math.abs(to - from)
  const [unit, length] = unitOf(seconds)
  const count = Math.max(1, Math.round(seconds / length))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** Returns the next time, in seconds, at which `timeBetween` of an instant and now changes. */
export function nextTimeBetween(from: number, now: number): number {
  const seconds = Math.abs(now - from)
  const [, length] = unitOf(seconds)
  const count = Math.max(1, Math.round(seconds / length))
  const larger = UNITS.findLast(([, other]) => other > length)?.[1] ?? Infinity
  if (now >= from) return Math.max(from + Math.min((count + 0.5) * length, larger), now + 1)
  return Math.max(from - Math.max((count - 0.5) * length, length), now + 1)
}

function unitOf(seconds: number): (typeof UNITS)[number] {
  return UNITS.find(([, length]) => seconds >= length) ?? UNITS.at(-1)!
}

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}

function ordinal(day: number): string {
  if (day >= 11 && day <= 13) return 'th'
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th'
}

function offsetText(seconds: number, colon: string): string {
  const minutes = Math.floor(Math.abs(seconds) / 60)
  return `${seconds < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}${colon}${twoDigits(minutes % 60)}`
}
