import { html } from '../../../../library/markup/index.ts'
import { errors } from '../../errors.ts'
import type { AdminAnswer, AdminContent } from '../../admin.ts'
import type { AdminView } from '../../frame/view.ts'
import { openPanels, panelBoxes } from '../../parts/panels.ts'

/** What the user may want to do next, in panels. */
export async function show(view: AdminView): Promise<AdminContent> {
  return { main: html`<div class="panels">${await panelBoxes(view, 'dashboard', null)}</div>` }
}

export const actions = {
  /** Hands a form of a panel to it: the field `panel` has its name. */
  async save(view: AdminView): Promise<AdminAnswer> {
    const panel = openPanels(view, 'dashboard').find(({ name }) => name === view.text('panel'))
    if (panel?.save === undefined) throw errors.admin_action_unknown()
    await panel.save(view, {}, view.form)
    return view.redirect(view.url(''), { kind: 'done', text: view.t('Done.') })
  },
}
