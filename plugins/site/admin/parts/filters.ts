import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { AdminView } from '../frame/view.ts'
import { selectField, textField, type Choice } from './fields.ts'

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
  return html`<nav aria-label="${label}" data-partial>
    <ul class="tabs">
      ${items}
    </ul>
  </nav>`
}

/** A field that limits a list, in the menu of filters. */
export interface FilterField {
  /** Query parameter that the field sets. */
  readonly name: string
  readonly label: string
  /** The options of a select field, without the option for all items. A field without options is a text field. */
  readonly choices?: readonly Choice[]
  /** Type of a text field; defaults to `text`. */
  readonly type?: string
  readonly attributes?: PageHtml
}

/** The search and the filters of a list. */
export interface Filters {
  /** Label of the search field, whose parameter is `search`; a list without it cannot be searched. */
  readonly search?: string
  readonly fields?: readonly FilterField[]
}

/**
 * Renders a form that filters a list with query parameters: a search field, a menu with further fields, and a link for
 * each active filter that removes it.
 */
export function filtersHtml(view: AdminView, { search, fields = [] }: Filters): PageHtml {
  const { t, query } = view
  const names = [...(search === undefined ? [] : ['search']), ...fields.map(({ name }) => name)]
  const changed = new Set([...names, 'cursor'])
  const others = [...query].filter(([name]) => !changed.has(name))
  const hidden = others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)
  const active = fields.filter(({ name }) => query.get(name))
  const count = active.length === 0 ? null : html` <span class="count">${active.length}</span>`
  const menu =
    fields.length === 0
      ? null
      : html`<details class="pop" name="pop">
          <summary class="button">${view.icon('filter')}${t('Filters')}${count}</summary>
          <div class="pop-box">
            ${fields.map((one) => fieldHtml(view, one))}
            <button type="submit" class="primary">${t('Filter')}</button>
          </div>
        </details>`
  return html`<form method="get" action="${view.url(view.path)}" class="filters" role="search" data-partial>
      ${hidden}${search === undefined ? null : searchBox(view, search)} ${menu}
    </form>
    ${chips(view, active, names)}`
}

function searchBox({ t, query, icon }: AdminView, label: string): PageHtml {
  return html`<div class="search-box">
    ${icon('search')}
    <label class="hidden" for="field-search">${label}</label>
    <input type="search" name="search" id="field-search" value="${query.get('search') ?? ''}" placeholder="${label}" />
    <button type="submit" class="hidden">${t('Search')}</button>
  </div>`
}

function fieldHtml({ t, query }: AdminView, { name, label, choices, type, attributes }: FilterField): PageHtml {
  const value = query.get(name) ?? ''
  if (choices === undefined)
    return textField({ name, label, value, ...(type && { type }), ...(attributes && { attributes }) })
  const all = [{ value: '', label: t('Any') }, ...choices]
  // A link can filter by a value that is not among the options.
  if (!all.some((choice) => choice.value === value)) all.push({ value, label: `#${value}` })
  return selectField({ name, label, value, choices: all })
}

/** Renders the active filters with links that remove them. */
function chips(view: AdminView, active: readonly FilterField[], names: readonly string[]): PageHtml | null {
  const { t, query } = view
  if (names.every((name) => !query.get(name))) return null
  const items = active.map(({ name, label, choices = [] }) => {
    const value = query.get(name) ?? ''
    const text = `${label}: ${choices.find((choice) => choice.value === value)?.label ?? value}`
    const remove = view.here({ [name]: undefined, cursor: undefined })
    return html`<li>
      <a class="chip" href="${remove}" aria-label="${t('Remove filter {filter}', { filter: text })}"
        >${text}${view.icon('x')}</a
      >
    </li>`
  })
  const none = Object.fromEntries([...names, 'cursor'].map((name) => [name, undefined]))
  return html`<ul class="chips" data-partial>
    ${items}
    <li><a href="${view.here(none)}">${t('Clear filters')}</a></li>
  </ul>`
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
