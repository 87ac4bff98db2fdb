import { cacheUntil } from '../../../library/caching/index.ts'
import type { TimeZone } from '../../../resources/index.ts'
import { numberOf, urlValue } from '../attributes.ts'
import { dayNames, formatDate, localTime, longDate, nextDay } from '../dates.ts'
import { wrapperAttributes, type Renderer, type Rendering } from '../renderer.ts'
import { clockOf } from './archives.ts'

const DAY_MS = 86_400_000

/** Renders a month with links to the days on which posts were published. */
export const renderCalendar: Renderer = async (block, rendering) => {
  const { plugin, scope } = rendering
  const { options, posts } = plugin.services
  const { language } = await rendering.texts()
  const months = await posts.published('month', scope)
  if (months.length === 0) return ''
  const { timezone, start_of_week: starts } = await options.many(['timezone', 'start_of_week'])
  const now = Date.now() / 1000
  const today = localTime(now, timezone as TimeZone)
    .clock.toISOString()
    .slice(0, 10)
  const month = shownMonth(block.attributes) ?? today.slice(0, 7)
  // The current month changes at midnight; past months do not.
  if (month >= today.slice(0, 7)) cacheUntil(nextDay(now, timezone as TimeZone) * 1000)
  const days = new Set((await posts.published('day', scope, month)).map(({ period }) => period))
  const before = months.find(({ period }) => period < month)?.period
  const after = months.findLast(({ period }) => period > month)?.period
  const first = clockOf(month)
  const table = [
    `<table id="${rendering.mark}-calendar" class="${rendering.mark}-calendar-table">`,
    `\t<caption>${formatDate('F Y', { clock: first, offset: 0 }, language)}</caption>`,
    '\t<thead>\n\t<tr>',
    ...Array.from({ length: 7 }, (_, at) => {
      const name = dayNames(language)[(at + Number(starts)) % 7]!
      return `\t\t<th scope="col" aria-label="${name}">${name[0]}</th>`
    }),
    '\t</tr>\n\t</thead>',
    `\t<tbody>\n\t<tr>${await cells(first, { days, today, starts: Number(starts) }, rendering)}\n\t</tr>\n\t</tbody>`,
    '\t</table>',
  ].join('\n')
  return `<div ${wrapperAttributes(block)}>${table}${await navigation(before, after, rendering)}</div>`
}

/** Returns the month selected in the attributes, or null. */
function shownMonth(attributes: Readonly<Record<string, unknown>>): string | null {
  const month = numberOf(attributes, 'month', 0)
  const year = numberOf(attributes, 'year', 0)
  if (!Number.isInteger(month) || month < 1 || month > 12 || !Number.isInteger(year)) return null
  return year < 1 || year > 9999 ? null : `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`
}

interface Days {
  days: ReadonlySet<string>
  today: string
  starts: number
}

/** Returns the days of a month as table rows. */
async function cells(first: Date, { days, today, starts }: Days, rendering: Rendering): Promise<string> {
  const { plugin, scope } = rendering
  const { t, language } = await rendering.texts()
  const length = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  const pad = (first.getUTCDay() - starts + 7) % 7
  let html = pad === 0 ? '\n\t\t' : `\n\t\t<td colspan="${pad}" class="pad">&nbsp;</td>`
  for (let day = 1; day <= length; day += 1) {
    if (day > 1 && (pad + day - 1) % 7 === 0) html += '\n\t</tr>\n\t<tr>\n\t\t'
    const clock = new Date(first.getTime() + (day - 1) * DAY_MS)
    const date = clock.toISOString().slice(0, 10)
    const open = date === today ? '<td id="today">' : '<td>'
    if (!days.has(date)) {
      html += `${open}${day}</td>`
      continue
    }
    const label = t('Posts published on {date}', { date: longDate({ clock, offset: 0 }, language) })
    const url = urlValue(await plugin.services.permalinks.archive(date, scope))
    html += `${open}<a href="${url}" aria-label="${label}">${day}</a></td>`
  }
  const remaining = (7 - ((pad + length) % 7)) % 7
  return remaining === 0 ? html : `${html}\n\t\t<td class="pad" colspan="${remaining}">&nbsp;</td>`
}

/** Renders links to the previous and next month with posts. */
async function navigation(
  before: string | undefined,
  after: string | undefined,
  rendering: Rendering,
): Promise<string> {
  const { plugin, scope, mark } = rendering
  const { t, language } = await rendering.texts()
  const link = async (month: string) => urlValue(await plugin.services.permalinks.archive(month, scope))
  const name = (month: string) => formatDate('M', { clock: clockOf(month), offset: 0 }, language)
  const navClass = `${mark}-calendar-nav`
  const previous = before === undefined ? '&nbsp;' : `<a href="${await link(before)}">&laquo; ${name(before)}</a>`
  const next = after === undefined ? '&nbsp;' : `<a href="${await link(after)}">${name(after)} &raquo;</a>`
  return [
    `<nav aria-label="${t('Previous and next months')}" class="${navClass}">`,
    `\t\t<span class="${navClass}-prev">${previous}</span>`,
    '\t\t<span class="pad">&nbsp;</span>',
    `\t\t<span class="${navClass}-next">${next}</span>`,
    '\t</nav>',
  ].join('\n')
}
