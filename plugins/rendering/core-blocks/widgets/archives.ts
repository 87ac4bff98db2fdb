import { escapeHtml } from '../../../library/markup/index.ts'
import { mapInSlices } from '../../../library/long-work/index.ts'
import type { PeriodUnit, PublishedPeriod } from '../../../content/posts/index.ts'
import { textOf, urlValue } from '../attributes.ts'
import { formatDate } from '../dates.ts'
import { wrapperAttributes, type Renderer, type Rendering } from '../renderer.ts'
import { dropdown } from './dropdown.ts'
import { newestPosts } from './latest-posts.ts'

/** One link of the list. */
interface Entry {
  readonly url: string
  readonly text: string
  readonly count: number
}

/** Archive types: the unit in which posts are counted, the date format, and the prompt of the drop-down. */
const KINDS = {
  yearly: ['year', 'Y', 'Select Year'],
  monthly: ['month', 'F Y', 'Select Month'],
  daily: ['day', 'F j, Y', 'Select Day'],
  weekly: ['day', '', 'Select Week'],
} as const satisfies Readonly<Record<string, readonly [unit: PeriodUnit, format: string, prompt: string]>>
/** Maximum entries in an archive of single posts. */
const MAX_POSTS = 100

/** Renders links to the periods in which posts were published. */
export const renderArchives: Renderer = async (block, rendering) => {
  const { attributes } = block
  const type = textOf(attributes, 'type')
  const [unit, format, prompt] = KINDS[Object.hasOwn(KINDS, type) ? (type as keyof typeof KINDS) : 'monthly']
  const { t } = await rendering.texts()
  const blockClass = rendering.classOf(block)
  const ofPosts = type === 'postbypost' || type === 'alpha'
  const entries = ofPosts
    ? await postEntries(type, rendering)
    : type === 'weekly'
      ? await weekEntries(rendering)
      : await periodEntries(unit, format, rendering)
  if (entries.length === 0) return `<div ${wrapperAttributes(block)}>${t('No archives to show.')}</div>`
  const counts = attributes['showPostCounts'] === true && !ofPosts
  const counted = ({ count }: Entry) => (counts ? `&nbsp;(${count})` : '')
  if (attributes['displayAsDropdown'] === true) {
    const options = entries.map((entry) => ({ value: urlValue(entry.url), text: `${entry.text}${counted(entry)}` }))
    return dropdown(block, rendering, {
      class: `${blockClass}-dropdown`,
      label: t('Archives'),
      name: 'archive-dropdown',
      first: t(ofPosts ? 'Select Post' : prompt),
      options,
    })
  }
  const items = entries.map(
    (entry) => `\t<li><a href='${urlValue(entry.url)}'>${entry.text}</a>${counted(entry)}</li>\n`,
  )
  return `<ul ${wrapperAttributes(block, { class: `${blockClass}-list` })}>${items.join('')}</ul>`
}

async function periodEntries(unit: PeriodUnit, format: string, rendering: Rendering): Promise<Entry[]> {
  const { plugin, scope } = rendering
  const { language } = await rendering.texts()
  const { options, permalinks, posts } = plugin.services
  const periods = await posts.published(unit, scope)
  const used = unit === 'day' ? String(await options.get('date_format', format)) : format
  return mapInSlices(periods, async ({ period, count }) => ({
    url: await permalinks.archive(period, scope),
    text: escapeHtml(formatDate(used, { clock: clockOf(period), offset: 0 }, language)),
    count,
  }))
}

const DAY_MS = 86_400_000

/** Returns the weeks in which posts were published, starting at the weekday set for the site. */
async function weekEntries(rendering: Rendering): Promise<Entry[]> {
  const { plugin, scope } = rendering
  const { language } = await rendering.texts()
  const { options, posts } = plugin.services
  const { start_of_week: starts, date_format: format } = await options.many(['start_of_week', 'date_format'])
  const weeks = new Map<number, number>()
  for (const day of await posts.published('day', scope)) {
    const time = clockOf(day.period).getTime()
    const first = time - ((new Date(time).getUTCDay() - Number(starts) + 7) % 7) * DAY_MS
    weeks.set(first, (weeks.get(first) ?? 0) + day.count)
  }
  return Array.from(weeks, ([first, count]) => {
    const text = [first, first + 6 * DAY_MS].map((time) =>
      formatDate(String(format), { clock: new Date(time), offset: 0 }, language),
    )
    return { url: weekUrl(first, plugin.urls.site('/')), text: escapeHtml(text.join('–')), count }
  })
}

/** Returns the URL of a week, by year and week number. */
function weekUrl(first: number, site: string): string {
  const thursday = new Date(first + 3 * DAY_MS)
  const year = thursday.getUTCFullYear()
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY_MS))
  return `${site}?m=${year}&w=${week}`
}

async function postEntries(type: string, rendering: Rendering): Promise<Entry[]> {
  const order = type === 'alpha' ? ({ orderby: 'title', order: 'asc' } as const) : {}
  const posts = await newestPosts({ ...order, limit: MAX_POSTS }, rendering)
  return posts.map(({ url, title }) => ({ url, text: title, count: 1 }))
}

/** Returns the start of a period. */
export function clockOf(period: PublishedPeriod['period']): Date {
  const [year = 0, month = 1, day = 1] = period.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1, day))
}
