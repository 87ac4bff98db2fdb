import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { AdminView, Answer } from '../frame/view.ts'
import type { PluginPart, ListColumn } from '../admin.ts'
import { failedPart } from '../frame/failed-part.ts'
import type { Choice } from './fields.ts'
import { listViewMenu, listViewOf } from './list-view.ts'
import { tableFrame } from './table.ts'
import { rowActionsHtml, rowForm, type RowAction } from './row-actions.ts'

/** A list of items, shown as a table with actions. Its state is in the URL, so that users can share it. */
export interface List<T> {
  /** Name for columns of plugins: a content type, a taxonomy, `comments`, `users`, `media`. */
  readonly name: string
  /** Caption of the table for screen readers. */
  readonly caption: string
  readonly items: readonly T[]
  readonly idOf: (item: T) => number | string
  /** Returns the plain-text title of an item, for the label of its checkbox. */
  readonly titleOf: (item: T) => string
  /** The first column is the header of the row. */
  readonly columns: readonly ListColumn<T>[]
  /** Text of an empty list. */
  readonly empty: string
  /** Link below this text, to the page that adds the first item. */
  readonly nextStep?: PageHtml
  /** Bulk actions: the values of `do`. */
  readonly bulk?: readonly Choice[]
  /** Fields next to the bulk actions, such as for bulk edits. */
  readonly bulkFields?: PageHtml
  /** Whether an item can be selected; by default every item can. */
  readonly choosable?: (item: T) => boolean
  /** Actions of one item: links, and buttons for the action `row` of the page. */
  readonly rowActions?: (item: T) => readonly RowAction[]
  /** Sort order: `orderby` and `order` of the URL. */
  readonly orderby: string
  readonly order: 'asc' | 'desc'
  /** Links to other pages of the list. */
  readonly paging: Paging
}

/** The pages of a list. */
export interface Paging {
  /** Total number of items; null if unknown. */
  readonly total: number | null
  readonly next: string | null
  /** URL of the first page; null on the first page. */
  readonly first: string | null
}

/** Largest `per_page` of the REST API. */
export const MAX_PER_PAGE = 100

/**
 * Returns the query for a page of a list. The cursor continues after the last item, even if items were added in the
 * meantime.
 */
export function pageQuery(view: AdminView): Record<string, string | number> {
  return { per_page: perPageOf(view), cursor: view.query.get('cursor') || 'first' }
}

/** Returns the number of items per page: the one in the URL, or the one that the user has chosen. */
export function perPageOf(view: AdminView): number {
  const requested = Number(view.query.get('per_page'))
  return Number.isInteger(requested) && requested > 0 ? Math.min(requested, MAX_PER_PAGE) : listViewOf(view).perPage
}

/** Returns the links around a page that the REST API has returned. */
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

/** Wraps a column of a plugin, so that a cell whose function throws shows an error text. */
function tolerant<T>(
  view: AdminView,
  { plugin, cell, name, label, orderby }: PluginPart<ListColumn>,
  failed: PageHtml | undefined,
): ListColumn<T> {
  return {
    name,
    label,
    ...(orderby !== undefined && { orderby }),
    cell: (item) => {
      if (failed !== undefined) return failed
      try {
        return html`${cell(item as Readonly<Record<string, unknown>>, view)}`
      } catch (error) {
        return failedPart(view, { plugin, part: `column ${name}` }, error)
      }
    },
  }
}

/** Runs `prepare` of the columns that plugins add, at the same time. Returns the names of the columns that failed. */
async function prepareColumns<T>(view: AdminView, { name, items }: List<T>): Promise<ReadonlyMap<string, PageHtml>> {
  const failed = new Map<string, PageHtml>()
  const prepare = async ({ plugin, name: column, prepare: read }: PluginPart<ListColumn>) => {
    try {
      await read?.(items as readonly Readonly<Record<string, unknown>>[], view)
    } catch (error) {
      failed.set(column, failedPart(view, { plugin, part: `column ${column}` }, error))
    }
  }
  await Promise.all(view.plugin.services.admin.columns(name).map(prepare))
  return failed
}

/** Renders the list as a form around a table. */
export async function listHtml<T>(view: AdminView, list: List<T>): Promise<PageHtml> {
  const { t } = view
  const { items, bulk = [], columns } = list
  const failed = await prepareColumns(view, list)
  const added = view.plugin.services.admin
    .columns(list.name)
    .map((column) => tolerant<T>(view, column, failed.get(column.name)))
  const all = [...columns, ...added]
  if (items.length === 0)
    return html`<div class="empty">
        ${view.icon('inbox')}
        <p>${list.empty}</p>
        ${list.nextStep}
      </div>
      ${pagingHtml(view, list.paging)}`
  const { isDense, hidden } = listViewOf(view)
  const off = hidden[list.name] ?? []
  const [first, ...others] = all
  const shown = others.filter(({ name }) => !off.includes(name))
  const choose = bulk.length > 0
  const rows = items.map((item) => {
    const id = list.idOf(item)
    const title = shortened(list.titleOf(item))
    const actions = list.rowActions?.(item)
    const cells = shown.map((column) => html`<td data-label="${t(column.label)}">${column.cell(item, view)}</td>`)
    return html`<tr>
      ${choose ? chooseCell(view, id, title, list.choosable?.(item) !== false) : null}
      <th scope="row">${first?.cell(item, view)}</th>
      ${cells}
      ${actions === undefined ? null : html`<td class="row-actions">${rowActionsHtml(actions, id, title)}</td>`}
    </tr>`
  })
  const chooseAll = choose
    ? html`<td class="choose">
        <input type="checkbox" data-choose-all aria-label="${t('Select all on this page')}" hidden />
      </td>`
    : null
  const head = [first!, ...shown].map((column) => headCell(view, column, list))
  const last =
    list.rowActions === undefined ? null : html`<th scope="col"><span class="hidden">${t('Actions')}</span></th>`
  const table = tableFrame(list.caption, html`${chooseAll}${head}${last}`, rows, isDense ? 'dense' : '')
  const rowsForm = list.rowActions === undefined ? null : rowForm(view)
  const menu = listViewMenu(view, list.name, others)
  const end = html`${rowsForm}${pagingHtml(view, list.paging)}`
  if (!choose)
    return html`<div class="list-tools alone">${menu}</div>
      ${table}${end}`
  return html`<div class="list-tools">${menu}</div>
    <form method="post" action="${view.here()}" class="bulk" data-partial>
      ${view.formFields()} ${bulkHtml(view, bulk, list.bulkFields)} ${table}
    </form>
    ${end}`
}

function chooseCell({ t }: AdminView, id: number | string, title: string, isChoosable: boolean): PageHtml {
  const label = t('Select {title}', { title })
  return html`<td class="choose">
    ${isChoosable ? html`<input type="checkbox" name="ids[]" value="${id}" aria-label="${label}" />` : null}
  </td>`
}

/** Renders the bulk actions above a list. */
function bulkHtml({ t }: AdminView, bulk: readonly Choice[], fields: PageHtml | undefined): PageHtml {
  const options = bulk.map(({ value, label }) => html`<option value="${value}">${label}</option>`)
  return html`<div class="bulk-actions">
    <label for="bulk-do" class="hidden">${t('Bulk actions')}</label>
    <select name="do" id="bulk-do">
      ${options}
    </select>
    ${fields}
    <button type="submit">${t('Apply')}</button>
    <span class="chosen" aria-live="polite"></span>
  </div>`
}

/** Maximum characters of a title in a list; longer titles end with an ellipsis. */
const MAX_TITLE_LENGTH = 200

/** Shortens a text with an ellipsis. */
export function shortened(text: string, maxLength = MAX_TITLE_LENGTH): string {
  const start = text.slice(0, maxLength * 2)
  const characters = Array.from(start)
  return start.length === text.length && characters.length <= maxLength
    ? text
    : `${characters.slice(0, maxLength).join('')}…`
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

/** Renders the links to other pages of a list. */
export function pagingHtml({ t, count }: AdminView, { total, next, first }: Paging): PageHtml {
  const number = total === null ? null : html`<span>${count(total, '1 item', '{count} items')}</span>`
  const back = first === null ? null : html`<a href="${first}" rel="first">${t('paging|First page')}</a>`
  const on = next === null ? null : html`<a href="${next}" rel="next">${t('paging|Next page')}</a>`
  return html`<nav class="paging" data-partial aria-label="${t('Pagination')}">${number} ${back} ${on}</nav>`
}
