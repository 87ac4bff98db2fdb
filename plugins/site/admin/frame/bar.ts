import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { MenuEntry } from '../admin.ts'
import { entryAt, entryUrl } from './menu.ts'
import { SCHEMES, type Scheme } from './scheme.ts'
import type { AdminView } from './view.ts'

/** The data of the bar above a page. */
export interface Bar {
  readonly entries: readonly MenuEntry[]
  /** Plain-text title of the open page. */
  readonly title: string
  /** Display name of the user. */
  readonly name: string
  readonly scheme: Scheme
}

/** Renders the bar above a page: the path to the page, search, help and the menu of the user. */
export function barHtml(view: AdminView, { entries, title, name, scheme }: Bar): PageHtml {
  const { t, plugin } = view
  return html`<header class="bar">
    <button type="button" class="icon-button" popovertarget="menu" aria-label="${t('Menu')}">
      ${view.icon('menu')}
    </button>
    ${breadcrumbs(view, entries, title)}
    <a class="search-opener" href="${view.url('search')}" aria-keyshortcuts="Control+K">
      ${view.icon('search')}<span>${t('Search or go to…')}</span> <kbd>Ctrl K</kbd>
    </a>
    <button type="button" class="icon-button" data-dialog="keys" aria-label="${t('Keyboard shortcuts')}">
      ${view.icon('keyboard')}
    </button>
    <a class="icon-button" href="${plugin.urls.site('/')}" aria-label="${t('View site')}" title="${t('View site')}">
      ${view.icon('external-link')}
    </a>
    <button type="button" class="avatar" popovertarget="user-menu">
      <span aria-hidden="true">${initialsOf(name)}</span><span class="hidden">${t('User menu')}</span>
    </button>
    ${userMenu(view, name, scheme)}
  </header>`
}

/** Returns up to two initials of a name. */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
  const ends = words.length > 1 ? [words[0]!, words.at(-1)!] : words
  return ends
    .map((word) => Array.from(word.replace(/^[^\p{L}\p{N}]+/u, ''))[0] ?? '')
    .join('')
    .toLocaleUpperCase()
}

function breadcrumbs(view: AdminView, entries: readonly MenuEntry[], title: string): PageHtml {
  const { t } = view
  const above: MenuEntry[] = []
  const here = entryAt(entries, view)
  if (here !== undefined && here.href !== '') {
    const parent = entries.find(({ href }) => href === here.under)
    if (parent !== undefined) above.push(parent)
    if (here.href !== view.path) above.push(here)
  }
  const links = above.map((entry) => html`<li><a href="${entryUrl(entry, view)}">${t(entry.label)}</a></li>`)
  const items = [...links, html`<li aria-current="page"><span>${title}</span></li>`]
  const separated = items.flatMap((item, index) =>
    index === 0 ? [item] : [html`<li aria-hidden="true">${view.icon('chevron-right')}</li>`, item],
  )
  return html`<nav class="breadcrumbs" aria-label="${t('Breadcrumbs')}">
    <ol>
      ${separated}
    </ol>
  </nav>`
}

function userMenu(view: AdminView, name: string, scheme: Scheme): PageHtml {
  const { t } = view
  const labels = { auto: t('color scheme|Device'), light: t('color scheme|Light'), dark: t('color scheme|Dark') }
  const icons = { auto: 'monitor', light: 'sun', dark: 'moon' } as const
  const buttons = SCHEMES.map(
    (value) =>
      html`<button type="submit" name="scheme" value="${value}" aria-pressed="${value === scheme ? 'true' : 'false'}">
        ${view.icon(icons[value])}${labels[value]}
      </button>`,
  )
  const link = (path: string, icon: 'user' | 'globe', label: string) =>
    html`<li><a href="${path}">${view.icon(icon)}${label}</a></li>`
  return html`<div id="user-menu" class="user-menu" popover>
    <p class="who">${name}</p>
    <ul>
      ${link(view.url('account'), 'user', t('Your account'))}
      ${link(`${view.url('account')}#field-locale`, 'globe', t('Language'))}
      <li>
        ${view.formStart('scheme', null, 'account')}
        <input type="hidden" name="back" value="${view.here()}" />
        <fieldset>
          <legend class="hidden">${t('Color scheme')}</legend>
          ${buttons}
        </fieldset></form>
      </li>
      <li>
        ${view.formStart('log-out', null, 'log-out')}<button type="submit">
          ${view.icon('log-out')}${t('Log out')}
        </button></form>
      </li>
    </ul>
  </div>`
}
