import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'

/** Shows the number of waiting, running and failed jobs, with a link to the list. */
export async function jobs(view: AdminView): Promise<PageHtml | null> {
  const { t, plugin } = view
  if (!plugin.has('jobs')) return null
  const all = await plugin.services.jobs.list()
  const line = (state: (typeof all)[number]['state'], label: string) =>
    html`<dt><a href="${view.url('jobs', { state })}">${label}</a></dt>
      <dd>${all.filter((job) => job.state === state).length}</dd>`
  return html`<dl class="facts">
    ${line('waiting', t('jobs|Waiting'))} ${line('running', t('jobs|Running'))} ${line('dead', t('jobs|Failed'))}
  </dl>`
}

interface Health {
  readonly label: string
  readonly status: 'good' | 'recommended' | 'critical'
}

/**
 * Site health tests whose result does not depend on the request of the client. The others test that request, such as
 * its `Authorization` header.
 */
const TESTS = ['https-status', 'page-cache', 'background-updates', 'dotorg-communication', 'loopback-requests']

/** Shows the results of the site health tests. */
export async function health(view: AdminView): Promise<PageHtml | null> {
  const { t, plugin } = view
  const namespace = plugin.branding.namespace('v1', 'site-health')
  const query = { _locale: 'user' }
  const found = await Promise.all(TESTS.map((test) => view.find<Health>(`/${namespace}/tests/${test}`, { query })))
  const results = found.filter((one) => one !== null)
  if (results.length === 0) return null
  const moved = plugin.has('url-replacement') ? await plugin.services.urlReplacement.moved() : null
  const wrong = [
    ...results.filter(({ status }) => status !== 'good'),
    ...(moved === null
      ? []
      : [
          {
            label: t(
              'Content was written under {from}, but the URL of the site is {to}. On the server, run {command}',
              {
                from: moved.from,
                to: moved.to,
                command: `svc urls replace ${moved.from} ${moved.to}`,
              },
            ),
          },
        ]),
  ]
  if (wrong.length === 0) return html`<p>${t('Your site is healthy. All checks passed.')}</p>`
  return html`<ul>
    ${wrong.map(({ label }) => html`<li>${label}</li>`)}
  </ul>`
}
