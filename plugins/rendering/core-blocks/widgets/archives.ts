import { escapeHtml } from '../../../library/markup/index.ts'
import { mapInSlices } from '../../../library/long-work/index.ts'
import type { PeriodUnit, PublishedPeriod } from '../../../content/posts/index.ts'
import { textOf, urlValue } from '../attributes.ts'
import { CHOSEN_ARCHIVE } from '../../../content/permalinks/index.ts'
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
/** Types that list single posts: the newest first, or by title. */
const POST_TYPES = new Set(['postbypost', 'alpha'])
/** Maximum entries in an archive of single posts. */
const MAX_POSTS = 100

/** Renders links to the periods in which posts were published. */
export const renderArchives: Renderer = async (block, rendering) => {
  const { attributes } = block
  const type = textOf(attributes, 'type') || 'monthly'
  const { t } = await rendering.texts()
  const blockClass = rendering.classOf(block)
  const entries = await entriesOf(type, rendering)
  const counts = attributes['showPostCounts'] === true && !POST_TYPES.has(type)
  const counted = ({ count }: Entry) => (counts ? `&nbsp;(${count})` : '')
  if (attributes['displayAsDropdown'] === true) {
    const prompt = t(isPeriodic(type) ? KINDS[type][2] : 'Select Post')
    const options = entries.map(
      (entry) => `\t<option value='${urlValue(entry.url)}'> ${entry.text} ${counted(entry)}</option>\n`,
    )
    return dropdown(block, rendering, {
      class: `${blockClass}-dropdown`,
      label: t('Archives'),
      labelOf: (id, classes, text) => `<label for="${id}" class="${classes}">${text}</label>\n\t\t`,
      select: (id, form) =>
        `<select id="${id}" name="${CHOSEN_ARCHIVE}" form="${form}">\n\t\t<option value="">${prompt}</option>${options.join('')}</select>`,
    })
  }
  const wrapper = wrapperAttributes(block, { class: `${blockClass}-list` })
  if (entries.length === 0) return `<div ${wrapper}>${t('No archives to show.')}</div>`
  const items = entries.map(
    (entry) => `\t<li><a href='${urlValue(entry.url)}'>${entry.text}</a>${counted(entry)}</li>\n`,
  )
  return `<ul ${wrapper}>${items.join('')}</ul>`
}

function isPeriodic(type: string): type is keyof typeof KINDS {
  return Object.hasOwn(KINDS, type)
}

/** Returns the entries of an archive; none for an unknown type. */
function entriesOf(type: string, rendering: Rendering): Promise<Entry[]> | Entry[] {
  if (POST_TYPES.has(type)) return postEntries(type, rendering)
  if (type === 'weekly') return weekEntries(rendering)
  return isPeriodic(type) ? periodEntries(type, rendering) : []
}

async function periodEntries(type: keyof typeof KINDS, rendering: Rendering): Promise<Entry[]> {
  const [unit, format] = KINDS[type]
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
    return {
      url: weekUrl(first, plugin.urls.site('/')),
      text: escapeHtml(text.join('–')).replace('–', '&#8211;'),
      count,
    }
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
  return posts.map(({ post, url }) => ({ url, text: textOfTitle(post.title, rendering) || String(post.id), count: 1 }))
}

/** Returns a title as typeset text without elements. */
function textOfTitle(title: string, { plainText, plugin }: Rendering): string {
  return plugin.services.contentRendering.typography(plainText(title))
}

/** Returns the start of a period. */
export function clockOf(period: PublishedPeriod['period']): Date {
  const [year = 0, month = 1, day = 1] = period.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1, day))
}
