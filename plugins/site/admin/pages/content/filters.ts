import type { PageHtml } from '../../../../library/markup/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import { formatLabels, POST_FORMATS } from '../../../../content/taxonomies/index.ts'
import type { AdminView } from '../../frame/view.ts'
import type { Choice } from '../../parts/fields.ts'
import { filtersHtml, tabsHtml, totalOf, type FilterField, type Tab } from '../../parts/filters.ts'
import { MAX_PER_PAGE, shortened } from '../../parts/list.ts'
import type { Author } from './items.ts'
import { ALL, MINE, partQuery, STICKY, type ListQuery } from './list-query.ts'
import { labelOf, routeOf, type TaxonomyData, type TypeData } from './types.ts'

/** Returns the label of a status. @param label label of the site, for unknown statuses */
export function statusLabel({ t }: AdminView, status: string, label = status): string {
  const labels: Readonly<Record<string, string>> = {
    publish: t('post status|Published'),
    future: t('post status|Scheduled'),
    draft: t('post status|Draft'),
    pending: t('post status|Pending'),
    private: t('post status|Private'),
    trash: t('Trash'),
  }
  return Object.hasOwn(labels, status) ? labels[status]! : label
}

/** Returns the post formats as options. */
export function formatChoices(view: AdminView): Choice[] {
  const labels = formatLabels(view)
  return POST_FORMATS.map((format) => ({ value: format, label: labels[format] }))
}

/** Renders links to the parts of a list with their counts; statuses without posts are omitted. */
export async function contentTabs(view: AdminView, type: TypeData, parsedQuery: ListQuery): Promise<PageHtml> {
  const { t } = view
  const found = await view.find<Readonly<Record<string, StatusData>>>('statuses', {
    query: { context: 'edit', _fields: 'name,slug,show_in_list' },
  })
  const statuses = Object.values(found ?? {}).filter(({ slug, show_in_list: shown }) => shown || slug === 'trash')
  const parts = [
    { part: ALL, label: t('posts|All') },
    ...('author' in type.supports ? [{ part: MINE, label: t('posts|Mine') }] : []),
    ...statuses.map(({ slug, name }) => ({ part: slug, label: statusLabel(view, slug, name) })),
    ...(type.slug === 'post' ? [{ part: STICKY, label: t('Sticky') }] : []),
  ]
  const route = routeOf(type)
  const tabs = await Promise.all(
    parts.map(async ({ part, label }): Promise<Tab> => {
      const count = await totalOf(view, route, { context: 'edit', ...partQuery(view, part) })
      const href = view.url(view.path, { status: part, per_page: view.query.get('per_page') ?? undefined })
      return { label, count, href, isHere: part === parsedQuery.part }
    }),
  )
  return tabsHtml(
    t('Filter by status'),
    tabs.filter(({ count, isHere }, index) => index === 0 || isHere || (count !== null && count > 0)),
  )
}

interface StatusData {
  readonly slug: string
  readonly name: string
  readonly show_in_list: boolean
}

/** Renders the filters of a list. */
export async function contentFilters(
  view: AdminView,
  taxonomies: readonly TaxonomyData[],
  parsedQuery: ListQuery,
  authors: readonly Author[],
): Promise<PageHtml> {
  const { t, query } = view
  const terms = await Promise.all(taxonomies.map((taxonomy) => termChoices(view, taxonomy)))
  const authorChoices = authors.map(({ id, name }) => ({ value: String(id), label: shortened(plainText(name)) }))
  const termFields = taxonomies.map((taxonomy, index) => ({
    name: taxonomy.rest_base,
    label: labelOf(taxonomy, 'singular_name'),
    choices: terms[index] ?? [],
  }))
  const fields: FilterField[] = [
    ...(authors.length > 1 || query.get('author')
      ? [{ name: 'author', label: t('Author'), choices: authorChoices }]
      : []),
    ...termFields.filter(({ name, choices }) => choices.length > 0 || query.get(name)),
    ...(parsedQuery.filters.includes('format')
      ? [{ name: 'format', label: t('Format'), choices: formatChoices(view) }]
      : []),
    ...(query.get('parent') ? [{ name: 'parent', label: t('Parent'), choices: [] }] : []),
    { name: 'after', label: t('date|From'), type: 'date' },
    { name: 'before', label: t('date|To'), type: 'date' },
  ]
  return filtersHtml(view, { search: t('Search'), fields })
}

/** Returns the most used terms; the list of terms links to the others. */
async function termChoices(view: AdminView, taxonomy: TaxonomyData): Promise<Choice[]> {
  const query = { per_page: MAX_PER_PAGE, orderby: 'count', order: 'desc', hide_empty: true, _fields: 'id,name,count' }
  const terms = await view.find<{ id: number; name: string; count: number }[]>(routeOf(taxonomy), { query })
  return (terms ?? []).map(({ id, name, count }) => ({
    value: String(id),
    label: `${shortened(plainText(name))} (${count})`,
  }))
}
