import type { PageHtml } from '../../../../library/markup/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import type { UploadCount } from '../../../../content/media/index.ts'
import type { AdminView, Query } from '../../frame/view.ts'
import type { Choice } from '../../parts/fields.ts'
import { filtersHtml } from '../../parts/filters.ts'
import { shortened } from '../../parts/list.ts'
import { authorsOf } from '../content/items.ts'
import { LIST_FIELDS, MEDIA_TYPES } from './attachment.ts'

const ORDERS = ['date', 'title', 'modified'] as const

/** Returns the REST query for the URL of the media library. */
export function mediaQuery({ query }: AdminView): Query {
  const month = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(query.get('month') ?? '')
  const type = query.get('type') ?? ''
  const attached = query.get('attached')
  return {
    context: 'edit',
    _fields: LIST_FIELDS,
    search: query.get('search') || undefined,
    media_type: (MEDIA_TYPES as readonly string[]).includes(type) ? type : undefined,
    parent: attached === 'no' ? 0 : undefined,
    parent_exclude: attached === 'yes' ? 0 : undefined,
    author: Number(query.get('author')) || undefined,
    lacks_alt_text: query.get('alt') === 'without' ? 'true' : undefined,
    ...(month !== null && rangeOf(Number(month[1]), Number(month[2]))),
    ...orderOf(query),
  }
}

/** Returns the sort order in a URL. */
export function orderOf(query: URLSearchParams): { orderby: string; order: 'asc' | 'desc' } {
  const orderby = ORDERS.find((one) => one === query.get('orderby')) ?? 'date'
  return { orderby, order: query.get('order') === 'asc' ? 'asc' : 'desc' }
}

/** Returns the exclusive date range of a month. */
function rangeOf(year: number, month: number): { after: string; before: string } {
  const two = (number: number) => String(number).padStart(2, '0')
  const last = new Date(Date.UTC(year, month - 1, 0))
  const next = new Date(Date.UTC(year, month, 1))
  return {
    after: `${last.getUTCFullYear()}-${two(last.getUTCMonth() + 1)}-${two(last.getUTCDate())}T23:59:59`,
    before: `${next.getUTCFullYear()}-${two(next.getUTCMonth() + 1)}-01T00:00:00`,
  }
}

/** Renders the search and the filters of the media library. */
export async function mediaFilters(view: AdminView): Promise<PageHtml> {
  const { t, user, words } = view
  const [uploads, authors] = await Promise.all([view.plugin.services.media.countUploads(), authorsOf(view)])
  const types = sumBy(uploads, ({ type }) => type.split('/', 1)[0] ?? '')
  const months = sumBy(uploads, ({ month }) => month)
  const typeNames = {
    image: t('Images'),
    video: t('Videos'),
    audio: t('Audio'),
    application: t('Documents'),
    text: t('Text files'),
  }
  const others = authors.filter(({ id }) => id !== user.id)
  return filtersHtml(view, {
    search: t('Search'),
    fields: [
      {
        name: 'type',
        label: t('Type'),
        choices: MEDIA_TYPES.map((value) => ({
          value,
          label: counted(words.language, typeNames[value], types.get(value)),
        })),
      },
      { name: 'month', label: t('Month'), choices: monthChoices(view, months) },
      {
        name: 'author',
        label: t('Author'),
        choices: [
          { value: String(user.id), label: t('Uploaded by me') },
          ...others.map(({ id, name }) => ({ value: String(id), label: shortened(plainText(name)) })),
        ],
      },
      {
        name: 'attached',
        label: t('file|Attachment'),
        choices: [
          { value: 'yes', label: t('file|Attached') },
          { value: 'no', label: t('Unattached') },
        ],
      },
      { name: 'alt', label: t('Alt text'), choices: [{ value: 'without', label: t('Missing alt text') }] },
    ],
  })
}

/** A number of files by month or by media type. */
type Counts = ReadonlyMap<string, number>

/** Returns the months with uploads and their number of files, newest first. */
function monthChoices({ words }: AdminView, counts: Counts): Choice[] {
  const format = new Intl.DateTimeFormat(words.language, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  return [...counts].map(([value, count]) => ({
    value,
    label: counted(words.language, format.format(new Date(`${value}-01T00:00:00Z`)), count),
  }))
}

const counted = (language: string, label: string, count = 0) =>
  `${label} (${new Intl.NumberFormat(language).format(count)})`

function sumBy(counts: readonly UploadCount[], keyOf: (one: UploadCount) => string): Counts {
  const sums = new Map<string, number>()
  for (const one of counts) sums.set(keyOf(one), (sums.get(keyOf(one)) ?? 0) + one.count)
  return sums
}
