/** A date as it is written, without a time zone. */
export type WrittenDate = Date

const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const DAY_MS = 86_400_000

/** Parses `Ymd`, `Y-m-d`, `Y-m-d H:i:s` and `H:i:s`. Returns null for other texts. */
export function parseDate(text: string): WrittenDate | null {
  const match = /^(?:(\d{4})-?(\d{2})-?(\d{2}))?[ T]?(?:(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(text.slice(0, 40)) ?? null
  if (match === null || text === '' || (match[1] === undefined && match[4] === undefined)) return null
  const [, year = '1970', month = '1', day = '1', hour = '0', minute = '0', second = '0'] = match
  const date = new Date(Date.UTC(+year, +month - 1, +day, +hour, +minute, +second))
  return Number.isNaN(date.getTime()) ? null : date
}

/** Formats a date by a format of PHP's function `date`. */
export function formatDate(date: WrittenDate, format: string): string {
  let result = ''
  for (let at = 0; at < format.length; at += 1) {
    const letter = format[at]!
    if (letter === '\\') {
      at += 1
      result += format[at] ?? ''
    } else result += PARTS[letter]?.(date) ?? letter
  }
  return result
}

const pad = (number: number, length = 2) => String(number).padStart(length, '0')
const hour12 = (date: Date) => date.getUTCHours() % 12 || 12
const dayOfYear = (date: Date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS)

/** Returns the Thursday of the ISO week of a date, whose year is the year of the week. */
function thursdayOf(date: Date): Date {
  return new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * DAY_MS)
}

function ordinal(day: number): string {
  if (day > 10 && day < 14) return 'th'
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th'
}

const PARTS: Readonly<Record<string, ((date: Date) => string) | undefined>> = {
  __proto__: null as never,
  d: (date) => pad(date.getUTCDate()),
  j: (date) => String(date.getUTCDate()),
  D: (date) => DAYS[date.getUTCDay()]!.slice(0, 3),
  l: (date) => DAYS[date.getUTCDay()]!,
  N: (date) => String(date.getUTCDay() || 7),
  w: (date) => String(date.getUTCDay()),
  S: (date) => ordinal(date.getUTCDate()),
  z: (date) => String(dayOfYear(date)),
  W: (date) => pad(Math.floor(dayOfYear(thursdayOf(date)) / 7) + 1),
  o: (date) => String(thursdayOf(date).getUTCFullYear()),
  F: (date) => MONTHS[date.getUTCMonth()]!,
  M: (date) => MONTHS[date.getUTCMonth()]!.slice(0, 3),
  m: (date) => pad(date.getUTCMonth() + 1),
  n: (date) => String(date.getUTCMonth() + 1),
  t: (date) => String(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()),
  L: (date) => String(Number(new Date(Date.UTC(date.getUTCFullYear(), 1, 29)).getUTCMonth() === 1)),
  Y: (date) => pad(date.getUTCFullYear(), 4),
  y: (date) => pad(date.getUTCFullYear() % 100),
  a: (date) => (date.getUTCHours() < 12 ? 'am' : 'pm'),
  A: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  g: (date) => String(hour12(date)),
  h: (date) => pad(hour12(date)),
  G: (date) => String(date.getUTCHours()),
  H: (date) => pad(date.getUTCHours()),
  i: (date) => pad(date.getUTCMinutes()),
  s: (date) => pad(date.getUTCSeconds()),
  u: () => '000000',
  v: () => '000',
  e: () => 'UTC',
  T: () => 'UTC',
  P: () => '+00:00',
  O: () => '+0000',
  Z: () => '0',
  I: () => '0',
  U: (date) => String(Math.floor(date.getTime() / 1000)),
  c: (date) => `${date.toISOString().slice(0, 19)}+00:00`,
  r: (date) => formatDate(date, 'D, d M Y H:i:s O'),
}
