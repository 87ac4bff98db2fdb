import { html, type PageHtml } from '../../../library/markup/index.ts'
import { readAdminCookie, writeAdminCookie } from '../frame/cookies.ts'
import type { AdminView } from '../frame/view.ts'
import { choiceField, selectField } from './fields.ts'

/** How a user wants to see lists in this browser. */
export interface ListView {
  readonly isDense: boolean
  /** Items on a page. */
  readonly perPage: number
  /** Names of the hidden columns, by name of the list. */
  readonly hidden: Readonly<Record<string, readonly string[]>>
}

/** Offered numbers of items on a page; the first one is the default. */
export const PER_PAGE_CHOICES = [20, 50, 100] as const
const COOKIE = 'lists'
/** Maximum characters of the stored value, because proxies reject long headers. */
const MAX_LENGTH = 2_000

/** Returns how the user wants to see lists; the defaults if the cookie is missing or invalid. */
export function listViewOf({ plugin, request }: AdminView): ListView {
  const stored = parsed(readAdminCookie(plugin, request, COOKIE))
  const perPage = PER_PAGE_CHOICES.find((number) => number === stored['perPage']) ?? PER_PAGE_CHOICES[0]
  const lists =
    typeof stored['hidden'] === 'object' && stored['hidden'] !== null ? Object.entries(stored['hidden']) : []
  const hidden = lists.flatMap(([list, names]: [string, unknown]) =>
    Array.isArray(names) ? [[list, names.filter((name) => typeof name === 'string')] as const] : [],
  )
  return { isDense: stored['isDense'] === true, perPage, hidden: Object.fromEntries(hidden) }
}

function parsed(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(text ?? '{}') as unknown
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Renders the menu that changes how a list is shown. @param columns columns that can be hidden */
export function listViewMenu(
  view: AdminView,
  list: string,
  columns: readonly { readonly name: string; readonly label: string }[],
): PageHtml {
  const { t } = view
  const { isDense, perPage, hidden } = listViewOf(view)
  const off = hidden[list] ?? []
  return html`<details class="pop pop-end" name="pop">
    <summary class="button">${view.icon('columns-3')}${t('list|View')}</summary>
    <div class="pop-box">
      ${view.formStart('list-view', null, 'account')}
      <input type="hidden" name="list" value="${list}" />
      <input type="hidden" name="columns" value="${columns.map(({ name }) => name).join()}" />
      <input type="hidden" name="back" value="${view.here()}" />
      ${
        columns.length === 0
          ? null
          : choiceField({
              name: 'shown',
              label: t('Columns'),
              many: true,
              values: columns.filter(({ name }) => !off.includes(name)).map(({ name }) => name),
              choices: columns.map(({ name, label }) => ({ value: name, label: t(label) })),
            })
      }
      ${choiceField({
        name: 'density',
        label: t('Row height'),
        values: [isDense ? 'compact' : 'normal'],
        choices: [
          { value: 'normal', label: t('row height|Normal') },
          { value: 'compact', label: t('row height|Compact') },
        ],
      })}
      ${selectField({
        name: 'per_page',
        label: t('Per page'),
        value: String(perPage),
        choices: PER_PAGE_CHOICES.map((number) => ({ value: String(number), label: String(number) })),
      })}
      <button type="submit" class="primary">${t('Apply')}</button></form>
    </div>
  </details>`
}

/** Returns the cookie that stores the submitted menu. */
export function submittedListView(view: AdminView): string {
  const stored = listViewOf(view)
  const list = view.text('list')
  const shown = view.texts('shown')
  const off = view
    .text('columns')
    .split(',')
    .filter((name) => name !== '' && !shown.includes(name))
  const value: ListView = {
    isDense: view.text('density') === 'compact',
    perPage: Number(view.text('per_page')),
    hidden: { ...stored.hidden, [list]: off },
  }
  const text = JSON.stringify(value)
  // The choices for other lists are dropped first.
  const short = text.length > MAX_LENGTH ? JSON.stringify({ ...value, hidden: { [list]: off } }) : text
  const written = short.length > MAX_LENGTH ? '{}' : short
  return writeAdminCookie(view.plugin, view.request, { name: COOKIE, value: written })
}
