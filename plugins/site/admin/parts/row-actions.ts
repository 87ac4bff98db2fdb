import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { AdminView } from '../frame/view.ts'

/** What can be done with one item of a list: a link, or a button. */
export type RowAction =
  | { readonly label: string; readonly href: string }
  | {
      readonly label: string
      /** What the page is asked to do with the item: a value that its action `row` knows. */
      readonly action: string
      /** What is asked before. */
      readonly confirm?: string
      /** How a script does the same without another page. */
      readonly quick?: QuickAction
    }

/** A request to the REST API that does what a button of a row does. */
export interface QuickAction {
  readonly method: 'POST' | 'DELETE'
  /** A whole path: `/svc/v2/posts/12`. */
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  /** What is said once it is done. The row is gone from the list then. */
  readonly done: string
  /** What takes it back, as the body of a POST to the same path. */
  readonly undo?: Readonly<Record<string, unknown>>
}

/** The form that buttons of rows belong to: they stand in another form, and forms cannot stand in each other. */
const FORM = 'row-action'

/** The form that buttons of rows send. */
export function rowForm(view: AdminView): PageHtml {
  const words = html` data-undo-label="${view.t('Undo')}"
  data-offline-label="${view.t('The server isn’t responding. Try again.')}"`
  return html`<form method="post" action="${view.here()}" id="${FORM}" ${words}>${view.formFields('row')}</form>`
}

/**
 * Links and buttons of a row.
 * @param title of the item, which says to users of screen readers what each of them is for
 */
export function rowActionsHtml(actions: readonly RowAction[], id: number | string, title: string): PageHtml {
  const items = actions.map((one) => {
    const label = html`${one.label}<span class="hidden"> ${title}</span>`
    if ('href' in one) return html`<li><a href="${one.href}">${label}</a></li>`
    const { action, confirm, quick } = one
    const ask = confirm === undefined ? null : html` data-confirm="${confirm}"`
    const more = quick === undefined ? null : html` data-quick="${JSON.stringify(quick)}"`
    return html`<li>
      <button type="submit" form="${FORM}" name="row" value="${action}:${id}" class="plain" ${ask}${more}>
        ${label}
      </button>
    </li>`
  })
  return html`<ul class="actions">
    ${items}
  </ul>`
}

/** What a button of a row asks for. */
export function rowActionOf(view: AdminView): { action: string; id: string } {
  const [, action = '', id = ''] = /^([a-z-]+):(.*)$/.exec(view.text('row')) ?? []
  return { action, id }
}
