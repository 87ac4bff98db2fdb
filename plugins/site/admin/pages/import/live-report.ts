import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type {
  LiveComparison,
  LiveDifference,
  LiveGap,
  LiveProbe,
  LiveReport,
} from '../../../../operations/importer/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { tableHtml } from '../../parts/table.ts'
import { kindLabel } from './kinds.ts'
import { said } from './phrases.ts'

/** Deleted objects that the report names. */
const MAX_DELETED = 20

/** Renders what an import from a running site would bring, and what not. */
export function probeHtml(view: AdminView, probe: LiveProbe): PageHtml {
  const { t } = view
  const { from, gaps, kinds, plugins, requests, seconds, user } = probe
  const detail = (statuses: Readonly<Record<string, number>>) =>
    Object.entries(statuses)
      .map(([status, number]) => `${status}: ${number}`)
      .join(', ')
  const table = tableHtml({
    caption: t('Content that can be imported'),
    columns: [t('import|Type'), t('import|Number'), t('Status')],
    rows: kinds.map(({ kind, count, statuses = {} }) => [kindLabel(view, kind), count ?? '?', detail(statuses)]),
  })
  const who = user === null ? t('as a visitor') : t('as {user}', { user })
  return html`<div data-probe>
    <h3>${t('Content that can be imported')}</h3>
    <p>${from} (${who}). ${t('Nothing has been changed.')}</p>
    ${table} ${gapsHtml(view, gaps, t('Content that can’t be imported'))}
    ${
      plugins.length === 0
        ? null
        : html`<h3>${t('Plugins of the old site')}</h3>
            <ul>
              ${plugins.map(({ name, namespace }) => html`<li>${name} (${namespace})</li>`)}
            </ul>`
    }
    <p>
      ${t('About {requests} requests and {time}, without media files and revisions.', { requests, time: durationText(view, seconds) })}
    </p>
  </div>`
}

/** Renders the parts of a report that only imports from a running site have. */
export function liveReportHtml(view: AdminView, report: LiveReport): PageHtml {
  const { t } = view
  const { comparison, deleted, gaps, requests, since } = report
  return html`<p>
      ${t('Requests to the old site: {requests}.', { requests })}
      ${since === null ? null : html`${t('Only changes since:')} ${view.date(since)}`}
    </p>
    ${gapsHtml(view, gaps, t('Not imported'))} ${deletedHtml(view, deleted)}
    ${comparison === null ? null : comparisonHtml(view, comparison)}`
}

function gapsHtml(view: AdminView, gaps: readonly LiveGap[], heading: string): PageHtml | null {
  if (gaps.length === 0) return null
  return html`<h3>${heading}</h3>
    <ul>
      ${gaps.map((gap) => html`<li>${gapText(view, gap)}</li>`)}
    </ul>`
}

/** Reports of earlier versions have only the English sentences. */
function gapText(view: AdminView, { subject, reason, phrases }: LiveGap): string {
  if (phrases === undefined) return `${kindLabel(view, subject)}: ${reason}`
  const name = typeof phrases.subject === 'string' ? kindLabel(view, phrases.subject) : said(view, phrases.subject)
  return `${name}: ${said(view, phrases.reason)}`
}

function deletedHtml({ t }: AdminView, deleted: LiveReport['deleted']): PageHtml | null {
  if (deleted.length === 0) return null
  const names = deleted.slice(0, MAX_DELETED).map(({ object }) => object)
  return html`<h3>${t('Deleted on the old site since the last import')}</h3>
    <p>${names.join(', ')}${deleted.length > MAX_DELETED ? ', …' : ''}</p>`
}

/** Renders the comparison of both sites: counts by route, then the differences by reason. */
function comparisonHtml(view: AdminView, { differences, routes }: LiveComparison): PageHtml {
  const { t } = view
  const table = tableHtml({
    caption: t('Comparison of both sites'),
    columns: [t('import|Route'), t('Old site'), t('This site'), t('Compared')],
    rows: routes.map(({ route, old, here, compared }) => [route, old ?? '?', here, compared]),
  })
  const difference = ({ count, examples, explained, field, reason, route }: LiveDifference) =>
    html`<li>
      ${explained ? null : html`<strong>${t('Unexplained:')}</strong> `}${count} × ${`${route} ${field}`.trim()}:
      ${said(view, { text: reason })} (${examples.join(', ')})
    </li>`
  return html`<h3>${t('Comparison of both sites')}</h3>
    ${table}
    ${
      differences.length === 0
        ? html`<p>${t('No differences.')}</p>`
        : html`<ul>
            ${differences.map(difference)}
          </ul>`
    }`
}

/** Formats a duration with at most one unit. @param seconds not negative */
export function durationText({ t }: AdminView, seconds: number): string {
  if (seconds < 90) return t('{number} s', { number: Math.ceil(seconds) })
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? t('{number} min', { number: minutes }) : t('{number} h', { number: (minutes / 60).toFixed(1) })
}
