import { addQuery, runAction, type SitePage } from '../../../../../kernel/index.ts'
import { html } from '../../../../library/markup/index.ts'
import type { AdminContent } from '../../admin.ts'
import type { AdminView } from '../../frame/view.ts'

/** Renders the form that logs out. */
export function show(view: AdminView): AdminContent {
  const { t } = view
  return { main: html`${view.formStart('log-out')}<p><button type="submit">${t('Log out')}</button></p></form>` }
}

export const actions = {
  /** Ends the session of this browser. */
  async 'log-out'({ plugin, request }: AdminView): Promise<SitePage> {
    const { hooks, services, urls, branding } = plugin
    const { sessions, sessionCookie, plainPages: pages } = services
    await sessions.destroy(sessionCookie.read(request.headers) ?? '')
    await runAction(hooks.logged_out, request.user.id)
    const page = pages.redirect(addQuery(urls.site(branding.loginPath), { loggedout: 'true' }))
    page.headers.set('Set-Cookie', sessionCookie.clear(request.secure))
    return { ...page, status: 303 }
  },
}
