import { formatUtc, toIso, utcFromLocal, zoneOffset, type TimeZone } from '../../resources/index.ts'
import { parseTimestamp } from '../../requests/arguments/index.ts'
import type { SiteOptions } from '../../foundation/settings/index.ts'
import type { Post, PostChange } from './post.ts'

export type PostDates = Pick<Post, 'date' | 'date_gmt' | 'modified' | 'modified_gmt'>

/** Posts dated at least this far ahead are scheduled instead of published. */
const SCHEDULE_AHEAD_SECONDS = 60

/**
 * Resolves the dates of a post that is being stored. While the date floats (the status allows it and no date has been
 * set), `date` is the time of the last change and `date_gmt` is empty.
 * @param before null for a new post
 * @param floating whether the new status allows a floating date
 * @param floated whether the current status does
 * @param now Unix time in seconds
 */
export function resolveDates(
  before: PostDates | null,
  { date: requested }: Pick<PostChange, 'date'>,
  floating: boolean,
  floated: boolean,
  zone: TimeZone,
  now: number,
): PostDates {
  const utc = formatUtc(now)
  const local = formatUtc(now + zoneOffset(zone, now))
  const moves = before === null || requested === null || (floated && before.date_gmt === '')
  let pair: Pick<PostDates, 'date' | 'date_gmt'>
  if (requested) pair = { date: requested[0], date_gmt: requested[1] }
  else if (moves) pair = { date: local, date_gmt: floating ? '' : utc }
  else {
    const hasUtcDate = before.date_gmt !== '' || floating
    pair = { date: before.date, date_gmt: hasUtcDate ? before.date_gmt : (utcFromLocal(before.date, zone) ?? utc) }
  }
  // A new post counts as last modified when it was published.
  if (before === null) return { ...pair, modified: pair.date, modified_gmt: pair.date_gmt || utc }
  return { ...pair, modified: local, modified_gmt: utc }
}

/**
 * Corrects the status by the date: future posts become scheduled, and scheduled posts that are due become published.
 */
export function statusByDate(status: string, dateGmt: string, now: number): string {
  if (status !== 'publish' && status !== 'future') return status
  const at = parseTimestamp(dateGmt)
  return at !== false && at - now >= SCHEDULE_AHEAD_SECONDS ? 'future' : 'publish'
}

/** The current time in the format of post dates, in the time zone of the site and in UTC. */
export async function siteTime(options: SiteOptions): Promise<{ local: string; utc: string; seconds: number }> {
  const seconds = Math.floor(Date.now() / 1000)
  const zone = await options.get<TimeZone>('timezone', 'UTC')
  return { local: formatUtc(seconds + zoneOffset(zone, seconds)), utc: formatUtc(seconds), seconds }
}

/** The dates of a post in the format of REST responses. */
export function shownDates(post: PostDates, zone: TimeZone): Record<keyof PostDates, string | null> {
  return {
    date: toIso(post.date),
    date_gmt: toIso(post.date_gmt) ?? toIso(utcFromLocal(post.date, zone)),
    modified: toIso(post.modified),
    modified_gmt: toIso(post.modified_gmt) ?? toIso(utcFromLocal(post.modified, zone)),
  }
}
