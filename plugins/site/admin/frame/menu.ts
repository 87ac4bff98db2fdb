import { applySyncFilter } from '../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { PluginPart, AdminPage, Admin, MenuEntries, MenuEntry } from '../admin.ts'
import { failedPart } from './failed-part.ts'
import { groupOf, MENU_GROUPS } from './menu-groups.ts'
import type { AdminView } from './view.ts'

/** Whether a user can open a page. */
export async function mayOpen({ capability }: AdminPage, view: AdminView): Promise<boolean> {
  if (capability === undefined) return true
  return typeof capability === 'string' ? view.can(capability) : capability(view)
}

/** Returns the menu entries for a user. */
export async function menuOf(admin: Admin, view: AdminView): Promise<readonly MenuEntry[]> {
  const shown = admin.pages().filter(({ menu }) => menu !== undefined)
  const own = await Promise.all(
    shown.map(async (page) =>
      (await mayOpen(page, view)) ? [{ label: page.title, href: page.path, ...page.menu! }] : [],
    ),
  )
  const further = await Promise.all(admin.menus().map((added) => furtherEntries(added, view)))
  const entries = [...own.flat(), ...further.flat()].sort((one, other) => one.position - other.position)
  return applySyncFilter(view.plugin.hooks.admin_menu, entries, view)
}

/** Returns the entries that a plugin adds; none if its function throws, or returns an invalid list. */
async function furtherEntries(
  { entries, plugin }: PluginPart<{ entries: MenuEntries }>,
  view: AdminView,
): Promise<readonly MenuEntry[]> {
  try {
    const pluginEntries = await entries(view)
    const wrong = pluginEntries.find((entry) => !isEntry(entry))
    if (wrong === undefined) return pluginEntries
    throw new TypeError(`An entry of a menu has label, href and position: ${JSON.stringify(wrong)}`)
  } catch (error) {
    failedPart(view, { plugin, part: 'menu' }, error)
    return []
  }
}

function isEntry({ label, href, position }: MenuEntry): boolean {
  return typeof label === 'string' && typeof href === 'string' && typeof position === 'number'
}

/**
 * Renders the menu as lists of links, one for each group; the current entry and its parents are marked. Entries below
 * another one are shown while it or one of them is open.
 */
export function menuHtml(entries: readonly MenuEntry[], view: AdminView): PageHtml {
  const here = entryAt(entries, view)
  const item = (entry: MenuEntry): PageHtml => {
    const below = entries.filter(({ under }) => under === entry.href && under !== undefined)
    const isOpen = entry === here || below.includes(here!)
    return html`<li>
      ${link(entry, view, entry === here)}${isOpen && below.length > 0 ? list(below.map(item)) : null}
    </li>`
  }
  const top = entries.filter(({ under }) => under === undefined)
  const [dashboard, others] = [top.filter(({ href }) => href === ''), top.filter(({ href }) => href !== '')]
  const groups = MENU_GROUPS.map(({ name, label }) => {
    const found = others.filter((entry) => groupOf(entry) === name)
    if (found.length === 0) return html``
    const id = `menu-${name}`
    return html`<p class="menu-group" id="${id}">${view.t(label)}</p>
      ${list(found.map(item), html` aria-labelledby="${id}"`)}`
  })
  return html`${list(dashboard.map(item))}${groups}`
}

const list = (items: readonly PageHtml[], attributes: PageHtml | null = null) =>
  items.length === 0 ? null : html`<ul${attributes}>${items}</ul>`

/** Returns the entry of the open page, or of the nearest page above it; undefined if none is in the menu. */
export function entryAt(entries: readonly MenuEntry[], { path }: AdminView): MenuEntry | undefined {
  return entries
    .filter(({ href }) => href === path || (href !== '' && path.startsWith(`${href}/`)))
    .sort((one, other) => other.href.length - one.href.length)[0]
}

/** Returns the URL of a menu entry. */
export function entryUrl({ href }: MenuEntry, view: AdminView): string {
  return /^https?:/.test(href) ? href : view.url(href)
}

function link(entry: MenuEntry, view: AdminView, isHere: boolean): PageHtml {
  const { label, count = 0, icon = 'puzzle', under } = entry
  const number = count === 0 ? null : html`<span class="count">${count}</span>`
  const current = isHere ? html` aria-current="page"` : null
  const image = under === undefined ? view.icon(icon) : null
  return html`<a href="${entryUrl(entry, view)}" ${current}
    >${image}<span class="label">${view.t(label)}</span> ${number}</a
  >`
}
