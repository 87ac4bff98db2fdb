import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { applicationPasswordsHtml, type CreationResult } from './application-passwords.ts'
import { sessionsHtml } from './sessions.ts'

/** Renders the sessions and application passwords of a user. */
export async function accessHtml(view: AdminView, userId: number, creation: CreationResult | null): Promise<PageHtml> {
  const { t } = view
  const passwords = await applicationPasswordsHtml(view, userId === view.user.id ? 'me' : userId, creation)
  const programs = html`<section id="application-passwords">
    <h2>${t('Application passwords')}</h2>
    ${passwords}
  </section>`
  return html`<section id="sessions">
      <h2>${t('Sessions')}</h2>
      ${await sessionsHtml(view, userId)}
    </section>
    ${passwords === null ? null : programs}`
}
