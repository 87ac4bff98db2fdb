import { datePair, type TimeZone } from '../../resources/index.ts'
import { cacheUntil } from '../../library/caching/index.ts'
import { parseTimestamp } from '../../requests/arguments/index.ts'
import { formatDate, isoWithOffset, localTime, nextTimeBetween, relativeTime } from './dates.ts'
import type { Rendering } from './renderer.ts'

/** Format that shows the time relative to now. */
const AGO = 'human-diff'

/** A formatted date. */
export interface ShownTime {
  /** Value of the attribute `datetime`. */
  readonly iso: string
  readonly text: string
}

/**
 * Formats a date; null if the date is invalid.
 * @param date in the zone of the site, unless it has an offset
 * @param format `''` for the date format of the site, `human-diff` for a relative time
 */
export async function shownTime(date: string, format: string, rendering: Rendering): Promise<ShownTime | null> {
  const { plugin } = rendering
  const { timezone, date_format: siteFormat } = await plugin.services.options.many(['timezone', 'date_format'])
  const zone = timezone as TimeZone
  const instant = parseTimestamp(datePair(date, zone)?.[1])
  if (instant === false) return null
  const time = localTime(instant, zone)
  const { language } = await rendering.texts()
  if (format !== AGO)
    return { iso: isoWithOffset(time), text: formatDate(format || String(siteFormat), time, language) }
  const now = Date.now() / 1000
  cacheUntil(nextTimeBetween(instant, now) * 1000)
  return { iso: isoWithOffset(time), text: relativeTime(instant, now, language) }
}
