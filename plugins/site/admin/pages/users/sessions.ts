import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'
import type { Notice } from '../../frame/notice.ts'
import { tableHtml } from '../../parts/table.ts'

const BROWSERS = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrom(?:e|ium)\/|\bHeadlessChrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
] as const
const SYSTEMS = [
  [/\bAndroid\b/, 'Android'],
  [/\biP(?:hone|ad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
] as const

/** Lists the sessions of a user with buttons that end them. */
export async function sessionsHtml(view: AdminView, userId: number): Promise<PageHtml> {
  const { t, user } = view
  const sessions = await view.plugin.services.sessions.list(userId)
  if (sessions.length === 0) return html`<p class="empty">${t('No active sessions.')}</p>`
  const rows = sessions.map(({ id, agent, ip, created, expires }) => {
    const isThis = id === user.session
    const name = browserName(view, agent)
    const last = isThis
      ? html`<span class="badge">${t('This browser')}</span>`
      : view.button(
          t('session|Log out'),
          'end-session',
          { session: id },
          html` aria-label="${t('Log out {browser}, {ip}', { browser: name, ip })}"`,
        )
    return [html`<span title="${agent}">${name}</span>`, ip, view.date(isoOf(created)), view.date(isoOf(expires)), last]
  })
  const others = sessions.some(({ id }) => id !== user.session)
  const label = userId === user.id ? t('Log out everywhere else') : t('Log out everywhere')
  const columns = [t('Browser'), t('IP address'), t('Logged in'), t('Expires'), t('Actions')]
  return html`${tableHtml({ caption: t('Sessions'), columns, rows })}
  ${others ? view.button(label, 'end-sessions') : null}`
}

/** Ends the session of a submitted form. The caller must have checked the capability. */
export async function endSession(view: AdminView, userId: number): Promise<Notice> {
  const { sessions } = view.plugin.services
  const ended = await sessions.end(userId, view.text('session'))
  return ended
    ? { kind: 'done', text: view.t('Session logged out.') }
    : { kind: 'error', text: view.t('This session has already expired.') }
}

/** Ends all sessions of a user except that of this browser. The caller must have checked the capability. */
export async function endSessions(view: AdminView, userId: number): Promise<Notice> {
  const { sessions, sessionCookie } = view.plugin.services
  const own = userId === view.user.id ? (sessionCookie.read(view.request.headers) ?? undefined) : undefined
  await sessions.destroyAll(userId, own)
  return { kind: 'done', text: view.t('Sessions logged out.') }
}

function browserName({ t }: AdminView, agent: string): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(agent))?.[1]
  const system = SYSTEMS.find(([pattern]) => pattern.test(agent))?.[1]
  if (browser === undefined) return agent === '' ? t('Unknown browser') : agent.slice(0, 40)
  return system === undefined ? browser : t('{browser} on {system}', { browser, system })
}

const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString()
