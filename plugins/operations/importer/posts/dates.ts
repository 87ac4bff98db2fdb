import { formatUtc } from '../../../resources/index.ts'
import type { WxrItem } from '../wxr/types.ts'

/**
 * The dates of an item, completed if the file lacks some. A draft has no date in UTC until it is published.
 * @param now date of an item without any date
 */
export function datesOf(item: WxrItem, now: string): Pick<WxrItem, 'date' | 'dateGmt' | 'modified' | 'modifiedGmt'> {
  const published = Date.parse(item.published)
  const fallback = Number.isNaN(published) ? item.modified || now : formatUtc(published / 1000)
  const date = item.date || item.dateGmt || fallback
  const dateGmt = item.dateGmt || (item.date === '' ? date : '')
  const modified = item.modified || item.modifiedGmt || date
  return { date, dateGmt, modified, modifiedGmt: item.modifiedGmt || (item.modified === '' ? dateGmt : '') }
}
