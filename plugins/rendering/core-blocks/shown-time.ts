import { datePair, type TimeZone } from '../../resources/index.ts'
import { keepUntil } from '../../library/caching/index.ts'
import { parseTimestamp } from '../../requests/arguments/index.ts'
import { formatDate, isoWithOffset, localTime, nextTimeBetween, timeBetween } from './dates.ts'
import type { Rendering } from './renderer.ts'

/** The format of a date that says how long ago it was. */
const AGO = 'human-diff'

/** A date as readers see it. */
export interface ShownTime {
  /** For the attribute `datetime`. */
  readonly iso: string
  readonly text: string
}

/**
 * A date in a format, `''` for that of the site; null for what is no date.
 * @param date of the site's zone where it names none
 */
export async function shownTime(date: string, format: string, { plugin }: Rendering): Promise<ShownTime | null> {
  const { timezone, date_format: usual } = await plugin.services.options.many(['timezone', 'date_format'])
  const zone = timezone as TimeZone
  const instant = parseTimestamp(datePair(date, zone)?.[1])
  if (instant === false) return null
  const time = localTime(instant, zone)
  if (format !== AGO) return { iso: isoWithOffset(time), text: formatDate(format || String(usual), time) }
  const now = Date.now() / 1000
  keepUntil(nextTimeBetween(instant, now) * 1000)
  const between = timeBetween(instant, now)
  return { iso: isoWithOffset(time), text: instant > now ? `${between} from now` : `${between} ago` }
}
