import type { WxrItem } from '../wxr/types.ts'
import { feedDate } from '../wxr/element.ts'

/** Statuses of posts whose date in UTC is set when they are published. */
const FLOATING: ReadonlySet<string> = new Set(['draft', 'pending', 'auto-draft'])

/**
 * The dates of an item, completed if the file lacks some or has invalid ones: the first that exists of the date, the
 * date in UTC, the date of the feed and the date of the last change. A draft has no date in UTC until it is published.
 * @param now date of an item without any date
 */
export function datesOf(item: WxrItem, now: string): Pick<WxrItem, 'date' | 'dateGmt' | 'modified' | 'modifiedGmt'> {
  const published = feedDate(item.published)
  const date = item.date || item.dateGmt || published || item.modified || item.modifiedGmt || now
  const isFloating = item.date !== '' && FLOATING.has(item.status)
  const dateGmt = item.dateGmt || (isFloating ? '' : published || date)
  const modified = item.modified || item.modifiedGmt || date
  const modifiedGmt = item.modifiedGmt || (item.modified === '' ? dateGmt : isFloating ? '' : item.modified)
  return { date, dateGmt, modified, modifiedGmt }
}
