import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { AdminView } from '../frame/view.ts'

/** An action for one item of a list: a link, or a button. */
export type RowAction =
  | { readonly label: string; readonly href: string }
  | {
      readonly label: string
      /** Value for the action `row` of the page. */
      readonly action: string
      /** Question to confirm before the action. */
      readonly confirm?: string
      /** Request with which a script performs the action without loading a page. */
      readonly quick?: QuickAction
    }

/** A REST request that performs a row action. */
export interface QuickAction {
  readonly method: 'POST' | 'DELETE'
  /** A complete path: `/svc/v2/posts/12`. */
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  /** Text after the action. The script removes the row from the list. */
  readonly done: string
  /** Body of a POST to the same path that undoes the action. */
  readonly undo?: Readonly<Record<string, unknown>>
}

/** ID of the form of row buttons: the buttons are inside another form, and forms cannot be nested. */
const ROW_FORM_ID = 'row-action'

/** Renders the form that row buttons submit. */
export function rowForm(view: AdminView): PageHtml {
  const words = html` data-undo-label="${view.t('Undo')}"
  data-offline-label="${view.t('The server isn’t responding. Try again.')}"`
  return html`<form method="post" action="${view.here()}" id="${ROW_FORM_ID}" ${words}>${view.formFields('row')}</form>`
}

/**
 * Renders the links and buttons of a row.
 * @param title title of the item, added to each label for screen readers
 */
export function rowActionsHtml(actions: readonly RowAction[], id: number | string, title: string): PageHtml {
  const items = actions.map((one) => {
    const label = html`${one.label}<span class="hidden"> ${title}</span>`
    if ('href' in one) return html`<li><a href="${one.href}">${label}</a></li>`
    const { action, confirm, quick } = one
    const confirmAttribute = confirm === undefined ? null : html` data-confirm="${confirm}"`
    const quickAttribute = quick === undefined ? null : html` data-quick="${JSON.stringify(quick)}"`
    return html`<li>
      <button
        type="submit"
        form="${ROW_FORM_ID}"
        name="row"
        value="${action}:${id}"
        class="plain"
        ${confirmAttribute}${quickAttribute}
      >
        ${label}
      </button>
    </li>`
  })
  return html`<ul class="actions">
    ${items}
  </ul>`
}

/** Parses the action of a row button. */
export function rowActionOf(view: AdminView): { action: string; id: string } {
  const [, action = '', id = ''] = /^([a-z-]+):(.*)$/.exec(view.text('row')) ?? []
  return { action, id }
}
