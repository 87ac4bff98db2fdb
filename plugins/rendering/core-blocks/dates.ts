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

/** An instant as the clocks of a zone show it. */
export interface LocalTime {
  /** Its fields in UTC are those that the clocks show. */
  readonly clock: Date
  /** Seconds that the clocks are ahead of UTC. */
  readonly offset: number
}

/** An instant, in seconds, as the clocks of a zone show it. */
export function localTime(instant: number, zone: TimeZone): LocalTime {
  const offset = zoneOffset(zone, instant)
  return { clock: new Date((instant + offset) * 1000), offset }
}

/** When the next day of a zone begins, or shortly before, where its clocks change at midnight. @returns seconds */
export function nextDay(instant: number, zone: TimeZone): number {
  const { clock, offset } = localTime(instant, zone)
  const begins = Date.UTC(clock.getUTCFullYear(), clock.getUTCMonth(), clock.getUTCDate() + 1) / 1000
  const later = zoneOffset(zone, begins - offset)
  return Math.max(begins - Math.max(offset, later), instant + 1)
}

/** `2025-01-05T05:00:00-05:00` */
export function isoWithOffset(time: LocalTime): string {
  return `${time.clock.toISOString().slice(0, 19)}${offsetText(time.offset, ':')}`
}

/** What each letter of a date format stands for. */
const LETTERS: Readonly<Record<string, (time: LocalTime) => string | number>> = {
  d: ({ clock }) => two(clock.getUTCDate()),
  j: ({ clock }) => clock.getUTCDate(),
  D: ({ clock }) => DAYS[clock.getUTCDay()]!.slice(0, 3),
  l: ({ clock }) => DAYS[clock.getUTCDay()]!,
  N: ({ clock }) => clock.getUTCDay() || 7,
  w: ({ clock }) => clock.getUTCDay(),
  S: ({ clock }) => ordinal(clock.getUTCDate()),
  F: ({ clock }) => MONTHS[clock.getUTCMonth()]!,
  M: ({ clock }) => MONTHS[clock.getUTCMonth()]!.slice(0, 3),
  m: ({ clock }) => two(clock.getUTCMonth() + 1),
  n: ({ clock }) => clock.getUTCMonth() + 1,
  t: ({ clock }) => new Date(Date.UTC(clock.getUTCFullYear(), clock.getUTCMonth() + 1, 0)).getUTCDate(),
  L: ({ clock }) => Number(new Date(Date.UTC(clock.getUTCFullYear(), 1, 29)).getUTCMonth() === 1),
  Y: ({ clock }) => clock.getUTCFullYear(),
  y: ({ clock }) => two(clock.getUTCFullYear() % 100),
  z: ({ clock }) => Math.floor((clock.getTime() - Date.UTC(clock.getUTCFullYear(), 0, 1)) / 86_400_000),
  a: ({ clock }) => (clock.getUTCHours() < 12 ? 'am' : 'pm'),
  A: ({ clock }) => (clock.getUTCHours() < 12 ? 'AM' : 'PM'),
  g: ({ clock }) => clock.getUTCHours() % 12 || 12,
  G: ({ clock }) => clock.getUTCHours(),
  h: ({ clock }) => two(clock.getUTCHours() % 12 || 12),
  H: ({ clock }) => two(clock.getUTCHours()),
  i: ({ clock }) => two(clock.getUTCMinutes()),
  s: ({ clock }) => two(clock.getUTCSeconds()),
  O: ({ offset }) => offsetText(offset, ''),
  P: ({ offset }) => offsetText(offset, ':'),
  Z: ({ offset }) => offset,
  U: ({ clock, offset }) => Math.floor(clock.getTime() / 1000) - offset,
  c: isoWithOffset,
}

/** A date in a format such as `F j, Y`: letters stand for its parts, `\` keeps the next one as it is. */
export function formatDate(format: string, time: LocalTime): string {
  return format.replace(/\\(.)|[A-Za-z]/gs, (letter, kept: string | undefined) =>
    kept === undefined ? String(LETTERS[letter]?.(time) ?? letter) : kept,
  )
}

/** How long ago, in its largest unit: `3 days`. */
export function timeBetween(from: number, to: number): string {
  const seconds = Math.abs(to - from)
  const [unit, length] = unitOf(seconds)
  const count = Math.max(1, Math.round(seconds / length))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** When the text of `timeBetween` from an instant to now changes next, after now; both in seconds. */
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

function two(number: number): string {
  return String(number).padStart(2, '0')
}

function ordinal(day: number): string {
  if (day >= 11 && day <= 13) return 'th'
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th'
}

function offsetText(seconds: number, colon: string): string {
  const minutes = Math.floor(Math.abs(seconds) / 60)
  return `${seconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${colon}${two(minutes % 60)}`
}
