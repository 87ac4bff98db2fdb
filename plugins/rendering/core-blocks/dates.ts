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

/** Names of months and days in a language. */
interface Names {
  readonly months: readonly string[]
  readonly shortMonths: readonly string[]
  /** From Sunday. */
  readonly days: readonly string[]
  readonly shortDays: readonly string[]
  /** Whether days have English ordinals: `1st`. */
  readonly hasOrdinals: boolean
}

const short = (name: string) => name.slice(0, 3)
const ENGLISH: Names = {
  months: MONTHS,
  shortMonths: MONTHS.map(short),
  days: DAYS,
  shortDays: DAYS.map(short),
  hasOrdinals: true,
}
const NAMES = new Map<string, Names>()

function namesIn(language: string): Names {
  if (isEnglish(language)) return ENGLISH
  const cached = NAMES.get(language)
  if (cached !== undefined) return cached
  const named = (count: number, options: Intl.DateTimeFormatOptions, at: (index: number) => number) => {
    const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' })
    return Array.from({ length: count }, (_, index) => format.format(at(index)))
  }
  const month = (index: number) => Date.UTC(2023, index, 1)
  // January 1, 2023 is a Sunday.
  const day = (index: number) => Date.UTC(2023, 0, 1 + index)
  const names = {
    months: named(12, { month: 'long' }, month),
    shortMonths: named(12, { month: 'short' }, month),
    days: named(7, { weekday: 'long' }, day),
    shortDays: named(7, { weekday: 'short' }, day),
    hasOrdinals: false,
  }
  NAMES.set(language, names)
  return names
}

const isEnglish = (language: string) => language === 'en' || language.startsWith('en-')

/** Returns the names of days in a language, from Sunday. */
export const dayNames = (language: string): readonly string[] => namesIn(language).days

/** Formats the day of a date as the language does: `November 28, 2026`. */
export function longDate({ clock }: LocalTime, language: string): string {
  if (isEnglish(language)) return formatDate('F j, Y', { clock, offset: 0 })
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(clock)
}

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
  const midnight = Date.UTC(clock.getUTCFullYear(), clock.getUTCMonth(), clock.getUTCDate() + 1) / 1000
  const later = zoneOffset(zone, midnight - offset)
  return Math.max(midnight - Math.max(offset, later), instant + 1)
}

/** Example: `2025-01-05T05:00:00-05:00`. */
export function isoWithOffset(time: LocalTime): string {
  return `${time.clock.toISOString().slice(0, 19)}${offsetText(time.offset, ':')}`
}

/** Values of the PHP date format letters. */
const LETTERS: Readonly<Record<string, (time: LocalTime, names: Names) => string | number>> = {
  d: ({ clock }) => twoDigits(clock.getUTCDate()),
  j: ({ clock }) => clock.getUTCDate(),
  D: ({ clock }, { shortDays }) => shortDays[clock.getUTCDay()]!,
  l: ({ clock }, { days }) => days[clock.getUTCDay()]!,
  N: ({ clock }) => clock.getUTCDay() || 7,
  w: ({ clock }) => clock.getUTCDay(),
  S: ({ clock }, { hasOrdinals }) => (hasOrdinals ? ordinal(clock.getUTCDate()) : ''),
  F: ({ clock }, { months }) => months[clock.getUTCMonth()]!,
  M: ({ clock }, { shortMonths }) => shortMonths[clock.getUTCMonth()]!,
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
  c: (time) => isoWithOffset(time),
}

/** Formats a date in PHP notation such as `F j, Y`; `\` escapes the next letter. @param language of month and day names */
export function formatDate(format: string, time: LocalTime, language = 'en'): string {
  const names = namesIn(language)
  return format.replace(/\\(.)|[A-Za-z]/gs, (letter, escaped: string | undefined) =>
    escaped === undefined ? String(LETTERS[letter]?.(time, names) ?? letter) : escaped,
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

/** Formats how long ago, or how far ahead, an instant is: `3 days ago`. @param from, now seconds */
export function relativeTime(from: number, now: number, language: string): string {
  if (isEnglish(language)) return `${timeBetween(from, now)} ${from > now ? 'from now' : 'ago'}`
  const [unit, length] = unitOf(Math.abs(now - from))
  const count = Math.max(1, Math.round(Math.abs(now - from) / length))
  return new Intl.RelativeTimeFormat(language).format(from > now ? count : -count, unit)
}

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
