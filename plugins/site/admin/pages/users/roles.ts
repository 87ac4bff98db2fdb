import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { Role } from '../../../../people/roles/index.ts'
import type { AdminView } from '../../frame/view.ts'
import type { AdminContent } from '../../admin.ts'
import { CARD_FILTER, cardSearch, filteredCards } from '../../parts/card-filter.ts'
import { totalOf } from '../../parts/filters.ts'

/** Groups of capabilities by the suffix of their names, in the order of the page. */
const CAPABILITY_SUFFIXES = ['posts', 'pages', 'users', 'themes', 'plugins'] as const
/** Names of the numbered user levels, such as `level_7`, which old plugins check. */
const LEVEL_CAPABILITY = /^level_\d+$/

/** Shows a card with the capabilities of each role. */
export async function show(view: AdminView): Promise<AdminContent> {
  const { t } = view
  const search = cardSearch(view)
  const found = view.plugin.services.roles
    .all()
    .filter((role) => `${t(role.label)} ${capabilitiesOf(role).join(' ')}`.toLowerCase().includes(search))
  const cards = await Promise.all(found.map((role) => cardOf(view, role, search)))
  return {
    main: html`<p>
        ${t('What each role can do. Roles and capabilities are defined by plugins and can’t be edited here. Users with several roles have the permissions of all of them.')}
      </p>
      ${filteredCards(view, cards, t('No roles match your search.'))}`,
    ...CARD_FILTER,
  }
}

function capabilitiesOf({ capabilities }: Role): string[] {
  return Object.keys(capabilities)
    .filter((name) => capabilities[name] === true && !LEVEL_CAPABILITY.test(name))
    .sort()
}

/** @param search groups with a matching capability are open */
async function cardOf(view: AdminView, role: Role, search: string): Promise<PageHtml> {
  const { t, count } = view
  const total = (await totalOf(view, 'users', { roles: role.name, context: 'edit' })) ?? 0
  const groups = Map.groupBy(capabilitiesOf(role), (name): string => {
    return CAPABILITY_SUFFIXES.find((subject) => name.endsWith(subject)) ?? ''
  })
  const labels: Readonly<Record<string, string>> = {
    posts: t('Posts'),
    pages: t('Pages'),
    users: t('Users'),
    themes: t('Themes'),
    plugins: t('Plugins'),
    '': t('Other'),
  }
  const lists = [...CAPABILITY_SUFFIXES, ''].flatMap((subject) => {
    const names = groups.get(subject) ?? []
    if (names.length === 0) return []
    const isOpen = search !== '' && names.some((name) => name.includes(search))
    return [
      html`<details ${isOpen ? html` open` : null}>
        <summary>${labels[subject]} <span class="badge">${names.length}</span></summary>
        <ul>
          ${names.map((name) => html`<li><code>${name}</code></li>`)}
        </ul>
      </details>`,
    ]
  })
  return html`<section class="card">
    <h2>${t(role.label)}</h2>
    <p><a href="${view.url('users', { role: role.name })}">${count(total, '1 user', '{count} users')}</a></p>
    ${lists}
  </section>`
}
