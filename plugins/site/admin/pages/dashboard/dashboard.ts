import { html } from '../../../../library/markup/index.ts'
import { errors } from '../../errors.ts'
import type { AdminAnswer, AdminContent } from '../../admin.ts'
import type { AdminView } from '../../frame/view.ts'
import { fallbackHtml } from '../appearance/themes.ts'
import { openPanels, panelBoxes } from '../../parts/panels.ts'
import { saveDraft } from './quick-draft.ts'

/** Renders the panels of the dashboard. */
export async function show(view: AdminView): Promise<AdminContent> {
  const notice = view.can('switch_themes') ? await fallbackHtml(view) : null
  return {
    main: html`${notice}
      <div class="panels">${await panelBoxes(view, 'dashboard', null)}</div>`,
  }
}

export const actions = {
  /** Stores the quick draft. */
  draft: saveDraft,

  /** Calls the `save` of a panel, whose name is in the field `panel`. */
  async save(view: AdminView): Promise<AdminAnswer> {
    const panel = openPanels(view, 'dashboard').find(({ name }) => name === view.text('panel'))
    if (panel?.save === undefined) throw errors.admin_action_unknown()
    await panel.save(view, {}, view.form)
    return view.redirect(view.url(''), { kind: 'done', text: view.t('Done.') })
  },
}
