import { html } from '../../../../library/markup/index.ts'
import { errors } from '../../errors.ts'
import type { AdminAnswer } from '../../admin.ts'
import type { AdminView } from '../../frame/view.ts'
import { fallbackHtml } from '../appearance/themes.ts'
import { openPanels, panelBoxes } from '../../parts/panels.ts'
import { firstSetupUrl, setupBox } from '../welcome/setup.ts'
import { saveDraft } from './quick-draft.ts'

/** Renders the panels of the dashboard. The first user who manages a new site gets its setup instead. */
export async function show(view: AdminView): Promise<AdminAnswer> {
  const setup = await firstSetupUrl(view)
  if (setup !== null) return view.redirect(setup)
  const notice = view.can('switch_themes') ? await fallbackHtml(view) : null
  return {
    main: html`${notice} ${await setupBox(view)}
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
