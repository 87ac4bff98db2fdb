import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { AdminView } from '../frame/view.ts'

/** A part of a list, such as drafts. */
export interface Tab {
  readonly label: string
  /** Number of items; null if unknown. */
  readonly count: number | null
  readonly href: string
  readonly isHere: boolean
}

/** Renders links to parts of a list. @param label label for screen readers */
export function tabsHtml(label: string, tabs: readonly Tab[]): PageHtml {
  const items = tabs.map(({ label: text, count, href, isHere }) => {
    const number = count === null ? null : html` <span class="number">(${count})</span>`
    return html`<li><a href="${href}" ${isHere ? html` aria-current="true"` : null}>${text}${number}</a></li>`
  })
  return html`<nav aria-label="${label}">
    <ul class="tabs">
      ${items}
    </ul>
  </nav>`
}

/** The fields of a filter form. */
export interface Filters {
  readonly fields: PageHtml
  /** Query parameters that the fields set; all others except the cursor are preserved. */
  readonly names: readonly string[]
}

/** Renders a form that filters a list with query parameters. */
export function filtersHtml(view: AdminView, { fields, names }: Filters): PageHtml {
  const { t, query } = view
  const set = new Set([...names, 'cursor'])
  const otherParams = [...query].filter(([name]) => !set.has(name))
  const hidden = otherParams.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)
  const isLimited = names.some((name) => query.get(name))
  const all = Object.fromEntries([...set].map((name) => [name, undefined]))
  const clear = isLimited ? html`<a href="${view.here(all)}">${t('Clear filters')}</a>` : null
  return html`<form method="get" action="${view.url(view.path)}" class="filters" role="search">
    ${hidden} ${fields}
    <button type="submit">${t('Filter')}</button>
    ${clear}
  </form>`
}

/** Returns the number of items in a list of the REST API; null if the user cannot read the list. */
export async function totalOf(
  view: AdminView,
  path: string,
  query: Readonly<Record<string, unknown>>,
): Promise<number | null> {
  const answer = await view.attempt('GET', path, { query: { ...query, per_page: 1, cursor: 'first', _fields: 'id' } })
  if (answer === null) return null
  const total = Number(answer.headers.get(view.plugin.branding.header('Total')))
  return Number.isSafeInteger(total) ? total : null
}
