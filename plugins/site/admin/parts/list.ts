import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { AdminView, Answer } from '../frame/view.ts'
import type { PluginPart, ListColumn } from '../admin.ts'
import { failedPart } from '../frame/failed-part.ts'
import type { Choice } from './fields.ts'
import { tableFrame } from './table.ts'
import { rowActionsHtml, rowForm, type RowAction } from './row-actions.ts'

/** A list of things, as a table with what can be done with them. Its state is in the URL, so that it can be shared. */
export interface List<T> {
  /** What plugins add columns by: a content type, a taxonomy, `comments`, `users`, `media`. */
  readonly name: string
  /** What the table is, for screen readers. */
  readonly caption: string
  readonly items: readonly T[]
  readonly idOf: (item: T) => number | string
  /** What the item is called, as text, for the box that chooses it. */
  readonly titleOf: (item: T) => string
  /** The first one is the name of the row. */
  readonly columns: readonly ListColumn<T>[]
  /** What is said where the list is empty. */
  readonly empty: string
  /** What can be done with several at once: the values of `do`. */
  readonly bulk?: readonly Choice[]
  /** Fields beside the choice of what is to be done, such as for bulk edits. */
  readonly bulkFields?: PageHtml
  /** Whether an item can be chosen for that; by default each can. */
  readonly choosable?: (item: T) => boolean
  /** What can be done with one item: links, and buttons for the action `row` of the page. */
  readonly rowActions?: (item: T) => readonly RowAction[]
  /** What the rows are ordered by: `orderby` and `order` of the URL. */
  readonly orderby: string
  readonly order: 'asc' | 'desc'
  /** Links to the pages around this one. */
  readonly paging: Paging
}

/** The pages of a list. */
export interface Paging {
  /** How many there are in all; null where nobody counts. */
  readonly total: number | null
  readonly next: string | null
  /** The first page, from any other. */
  readonly first: string | null
}

/** Things on a page of a list. */
export const PER_PAGE = 20
/** The most that the REST API gives at once. */
export const MOST_PER_PAGE = 100

/** What asks the REST API for a page of a list: by cursor, so that it goes on after the last item, whatever came meanwhile. */
export function pageQuery({ query }: AdminView): Record<string, string | number> {
  return { per_page: perPageOf(query), cursor: query.get('cursor') || 'first' }
}

/** How many things the URL asks for on a page. */
export function perPageOf(query: URLSearchParams): number {
  const asked = Number(query.get('per_page') ?? PER_PAGE)
  return Number.isInteger(asked) && asked > 0 ? Math.min(asked, MOST_PER_PAGE) : PER_PAGE
}

/** The pages around one that the REST API has responded with. */
export function pagingOf(view: AdminView, { headers }: Answer<unknown>): Paging {
  const total = headers.get(view.plugin.branding.header('Total'))
  const next = /<([^>]+)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1]
  const cursor = next === undefined ? null : new URL(next).searchParams.get('cursor')
  return {
    total: total === null ? null : Number(total),
    next: cursor === null ? null : view.here({ cursor }),
    first: view.query.get('cursor') ? view.here({ cursor: undefined }) : null,
  }
}

/** A column of a plugin, whose cells say where they fail. */
function tolerant<T>(view: AdminView, { plugin, cell, ...column }: PluginPart<ListColumn>): ListColumn<T> {
  return {
    ...column,
    cell: (item) => {
      try {
        return html`${cell(item as Readonly<Record<string, unknown>>, view)}`
      } catch (error) {
        return failedPart(view, { plugin, what: `column ${column.name}` }, error)
      }
    },
  }
}

/** The list as HTML: a form around a table. */
export function listHtml<T>(view: AdminView, list: List<T>): PageHtml {
  const { t } = view
  const { items, bulk = [], columns } = list
  const added = view.plugin.services.admin.columns(list.name).map((column) => tolerant<T>(view, column))
  const all = [...columns, ...added]
  if (items.length === 0)
    return html`<p class="empty">${list.empty}</p>
      ${pagingHtml(view, list.paging)}`
  const choose = bulk.length > 0
  const head = all.map((column) => headCell(view, column, list))
  const rows = items.map((item) => {
    const id = list.idOf(item)
    const box = !choose
      ? null
      : list.choosable?.(item) === false
        ? html`<td class="choose"></td>`
        : html`<td class="choose">
            <input
              type="checkbox"
              name="ids[]"
              value="${id}"
              aria-label="${t('Select {title}', { title: shortened(list.titleOf(item)) })}"
            />
          </td>`
    const actions = list.rowActions?.(item)
    const [first, ...others] = all
    const cells = others.map((column) => html`<td data-label="${t(column.label)}">${column.cell(item, view)}</td>`)
    return html`<tr>
      ${box}
      <th scope="row">${first?.cell(item, view)}</th>
      ${cells}
      ${
        actions === undefined
          ? null
          : html`<td class="row-actions">${rowActionsHtml(actions, id, shortened(list.titleOf(item)))}</td>`
      }
    </tr>`
  })
  const chooseAll = choose
    ? html`<td class="choose">
        <input type="checkbox" data-choose-all aria-label="${t('Select all on this page')}" hidden />
      </td>`
    : null
  const last = list.rowActions === undefined ? null : html`<th scope="col">${t('Actions')}</th>`
  const table = tableFrame(list.caption, html`${chooseAll}${head}${last}`, rows)
  const rowsForm = list.rowActions === undefined ? null : rowForm(view)
  if (!choose) return html`${table}${rowsForm}${pagingHtml(view, list.paging)}`
  const options = bulk.map(({ value, label }) => html`<option value="${value}">${label}</option>`)
  return html`<form method="post" action="${view.here()}" class="bulk">
      ${view.formFields()} ${table}
      <div class="bulk-actions">
        <label for="bulk-do">${t('Bulk actions')}</label>
        <select name="do" id="bulk-do">
          ${options}
        </select>
        ${list.bulkFields}
        <button type="submit">${t('Apply')}</button>
        <span class="chosen" aria-live="polite"></span>
      </div>
    </form>
    ${rowsForm}${pagingHtml(view, list.paging)}`
}

/** Characters of a title that are shown, or said, in a list. */
const LONGEST_TITLE = 200

/** The beginning of a text that somebody may have written very long. */
export function shortened(text: string, most = LONGEST_TITLE): string {
  const start = text.slice(0, most * 2)
  const characters = Array.from(start)
  return start.length === text.length && characters.length <= most ? text : `${characters.slice(0, most).join('')}…`
}

function headCell<T>(view: AdminView, { label, orderby }: ListColumn<T>, list: List<T>): PageHtml {
  const { t } = view
  if (orderby === undefined) return html`<th scope="col">${t(label)}</th>`
  const isBy = orderby === list.orderby
  const next = isBy && list.order === 'asc' ? 'desc' : 'asc'
  const sorted = isBy ? html` aria-sort="${list.order === 'asc' ? 'ascending' : 'descending'}"` : null
  return html`<th scope="col" ${sorted}>
    <a href="${view.here({ orderby, order: next, cursor: undefined })}">${t(label)}</a>
  </th>`
}

/** The links to the pages around one. */
export function pagingHtml({ t, count }: AdminView, { total, next, first }: Paging): PageHtml {
  const number = total === null ? null : html`<span>${count(total, '1 item', '{count} items')}</span>`
  const back = first === null ? null : html`<a href="${first}" rel="first">${t('paging|First page')}</a>`
  const on = next === null ? null : html`<a href="${next}" rel="next">${t('paging|Next page')}</a>`
  return html`<nav class="paging" aria-label="${t('Pagination')}">${number} ${back} ${on}</nav>`
}
