import { html, type PageHtml } from '../../../../../kernel/index.ts'
import type { AdminView } from '../../frame/view.ts'
import type { Panel } from '../../admin.ts'
import type { ShownUser } from './user-fields.ts'

const openPanels = (view: AdminView): Panel[] =>
  view.plugin.services.admin.panels('user').filter(({ capability }) => capability === undefined || view.can(capability))

/** What plugins show on the page of a user, in its form. */
export async function userPanels(view: AdminView, user: ShownUser): Promise<PageHtml> {
  const panels = await Promise.all(
    openPanels(view).map(async ({ title, show }) => {
      const content = await show(view, user)
      return content === null
        ? html``
        : html`<fieldset class="field">
            <legend>${view.t(title)}</legend>
            ${content}
          </fieldset>`
    }),
  )
  return html`${panels}`
}

/** Lets the panels of plugins take what the form says. */
export async function saveUserPanels(view: AdminView, user: ShownUser): Promise<void> {
  for (const { save } of openPanels(view)) await save?.(view, user, view.form)
}
