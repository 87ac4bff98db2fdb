import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import type { AdminContent } from '../../admin.ts'
import type { AdminView } from '../../frame/view.ts'
import { checksOf, type Check } from './checks.ts'
import { factsOf, type FactGroup } from './facts.ts'

/** Shows the results of the health checks, and facts about the site and its server, also as text for a report. */
export async function show(view: AdminView): Promise<AdminContent> {
  const { t } = view
  const [checks, groups] = await Promise.all([checksOf(view), factsOf(view)])
  const cards = groups.map(
    ({ title, facts }, index) =>
      html`<section class="card" aria-labelledby="facts-${index}">
        <h2 id="facts-${index}">${title}</h2>
        <dl class="facts">
          ${facts.map(
            ([label, value]) =>
              html`<dt>${label}</dt>
                <dd>${value}</dd>`,
          )}
        </dl>
      </section>`,
  )
  const text = reportOf(view, checks, groups)
  return {
    main: html`${checksHtml(view, checks)}
      <div class="panels">${cards}</div>
      <details class="card" id="report">
        <summary>${t('Report as text')}</summary>
        <p class="hint">${t('Include this text when you ask for help. It contains no passwords.')}</p>
        <button type="button" hidden data-copy="${text}" data-done="${t('Copied.')}">${t('Copy report')}</button>
        <pre tabindex="0" role="region" aria-label="${t('Report as text')}">${text}</pre>
      </details>`,
  }
}

function checksHtml({ t }: AdminView, checks: readonly Check[]): PageHtml | null {
  if (checks.length === 0) return null
  const wrong = checks.filter(({ status }) => status !== 'good')
  const passed = checks.filter(({ status }) => status === 'good')
  const list = (found: readonly Check[]) =>
    html`<ul>
      ${found.map(({ label, description }) => {
        const about = plainText(description)
        return html`<li>${label}${about === '' ? null : html` <span class="hint">${about}</span>`}</li>`
      })}
    </ul>`
  return html`<section class="card" aria-labelledby="checks">
    <h2 id="checks">${t('Checks')}</h2>
    ${wrong.length === 0 ? html`<p>${t('Your site is healthy. All checks passed.')}</p>` : list(wrong)}
    <details>
      <summary>${t('Passed checks')}</summary>
      ${list(passed)}
    </details>
  </section>`
}

function reportOf({ t }: AdminView, checks: readonly Check[], groups: readonly FactGroup[]): string {
  const sections = groups.map(
    ({ title, facts }) => `${title}\n${facts.map(([label, value]) => `  ${label}: ${value}`).join('\n')}`,
  )
  if (checks.length > 0)
    sections.unshift(`${t('Checks')}\n${checks.map(({ label, status }) => `  ${status}: ${label}`).join('\n')}`)
  return sections.join('\n\n')
}
