import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { checksOf } from '../health/checks.ts'

/** Shows the site health checks that found a problem, and the number of failed jobs, with links to the details. */
export async function health(view: AdminView): Promise<PageHtml | null> {
  const { t, count, plugin } = view
  const checks = await checksOf(view)
  if (checks.length === 0) return null
  const wrong = checks.filter(({ status }) => status !== 'good')
  const all = plugin.has('jobs') ? await plugin.services.jobs.list() : []
  const dead = all.filter(({ state }) => state === 'dead').length
  const jobs =
    dead === 0
      ? null
      : html`<li>
          <a href="${view.url('jobs', { state: 'dead' })}">${count(dead, '1 failed job', '{count} failed jobs')}</a>
        </li>`
  const more = view.can('manage_options') ? html`<p><a href="${view.url('health')}">${t('Details')}</a></p>` : null
  if (wrong.length === 0 && jobs === null)
    return html`<p>${t('Your site is healthy. All checks passed.')}</p>
      ${more}`
  return html`<ul>
      ${wrong.map(({ label }) => html`<li>${label}</li>`)}${jobs}
    </ul>
    ${more}`
}
