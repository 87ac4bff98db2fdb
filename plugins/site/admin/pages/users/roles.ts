import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'
import type { AdminContent } from '../../admin.ts'
import { tableHtml } from '../../parts/table.ts'

/** Groups of capabilities by the suffix of their names, in the order of the page. */
const CAPABILITY_SUFFIXES = ['posts', 'pages', 'users', 'themes', 'plugins'] as const
/** Names of the numbered user levels, such as `level_7`, which old plugins check. */
const LEVEL_CAPABILITY = /^level_\d+$/

/** Shows the capabilities of each role. */
export function show(view: AdminView): AdminContent {
  const { t } = view
  const roles = view.plugin.services.roles.all()
  const all = [...new Set(roles.flatMap(({ capabilities }) => Object.keys(capabilities)))]
  const names = all.filter((name) => !LEVEL_CAPABILITY.test(name)).sort()
  const groups = new Map<string, string[]>([...CAPABILITY_SUFFIXES, ''].map((subject) => [subject, []]))
  for (const name of names) groups.get(CAPABILITY_SUFFIXES.find((subject) => name.endsWith(subject)) ?? '')!.push(name)
  const labels: Readonly<Record<string, string>> = {
    posts: t('Posts'),
    pages: t('Pages'),
    users: t('Users'),
    themes: t('Themes'),
    plugins: t('Plugins'),
    '': t('Other'),
  }
  const columns = [t('Capability'), ...roles.map(({ label }) => t(label))]
  const tables = [...groups]
    .filter(([, capabilities]) => capabilities.length > 0)
    .map(([subject, capabilities]) => {
      const rows = capabilities.map((name) => [
        html`<code>${name}</code>`,
        ...roles.map((role) => mark(view, role.capabilities[name] === true)),
      ])
      const label = labels[subject] ?? ''
      return html`<h2>${label}</h2>
        ${tableHtml({ caption: label, columns, rows })}`
    })
  return {
    main: html`<p>
        ${t('What each role can do. Roles and capabilities are defined by plugins and can’t be edited here. Users with several roles have the permissions of all of them.')}
      </p>
      ${tables}`,
  }
}

function mark({ t }: AdminView, may: boolean): PageHtml {
  return may
    ? html`<span aria-hidden="true">✓</span><span class="hidden">${t('Yes')}</span>`
    : html`<span class="hidden">${t('No')}</span>`
}
