import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { AdminView } from './view.ts'

/** Renders the dialog with the keyboard shortcuts, which the key `?` opens. */
export function keysDialog({ t, icon }: AdminView): PageHtml {
  const keys: readonly (readonly [label: string, ...keys: string[]])[] = [
    [t('Search or go to a page'), 'Ctrl', 'K'],
    [t('Show keyboard shortcuts'), '?'],
    [t('Search in the list'), '/'],
    [t('Next or previous row'), 'J', 'K'],
    [t('Select the row'), 'X'],
    [t('Save'), 'Ctrl', 'S'],
  ]
  const rows = keys.map(([label, ...pressed]) => {
    const all = pressed.map((key) => html`<kbd>${key}</kbd> `)
    return html`<dt>${label}</dt>
      <dd>${all}</dd>`
  })
  return html`<dialog id="keys" class="keys" aria-labelledby="keys-title">
    <form method="dialog" class="heading">
      <h2 id="keys-title">${t('Keyboard shortcuts')}</h2>
      <button type="submit" class="icon-button" aria-label="${t('Close')}">${icon('x')}</button>
    </form>
    <dl>${rows}</dl>
  </dialog>`
}
