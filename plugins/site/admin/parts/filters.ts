import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { AdminView } from '../frame/view.ts'

/** A list that is a part of another: drafts among posts. */
export interface Tab {
  readonly label: string
  /** How many things it has; null where nobody counts. */
  readonly count: number | null
  readonly href: string
  readonly isHere: boolean
}

/** Links to parts of a list. @param label what they are, for screen readers */
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

/** What a form of filters has. */
export interface Filters {
  readonly fields: PageHtml
  /** Parameters of the URL that the fields set; all others stay but for the cursor. */
  readonly names: readonly string[]
}

/** A form that limits a list: its state goes into the URL. */
export function filtersHtml(view: AdminView, { fields, names }: Filters): PageHtml {
  const { t, query } = view
  const set = new Set([...names, 'cursor'])
  const kept = [...query].filter(([name]) => !set.has(name))
  const hidden = kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)
  const isLimited = names.some((name) => query.get(name))
  const all = Object.fromEntries([...set].map((name) => [name, undefined]))
  const clear = isLimited ? html`<a href="${view.here(all)}">${t('Clear filters')}</a>` : null
  return html`<form method="get" action="${view.url(view.path)}" class="filters" role="search">
    ${hidden} ${fields}
    <button type="submit">${t('Filter')}</button>
    ${clear}
  </form>`
}

/** How many things a list of the REST API has; null where the user may not ask. */
export async function totalOf(
  view: AdminView,
  path: string,
  query: Readonly<Record<string, unknown>>,
): Promise<number | null> {
  const asked = await view.attempt('GET', path, { query: { ...query, per_page: 1, cursor: 'first', _fields: 'id' } })
  if (asked === null) return null
  const total = Number(asked.headers.get(view.plugin.branding.header('Total')))
  return Number.isSafeInteger(total) ? total : null
}
