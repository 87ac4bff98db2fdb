import { applySyncFilter } from '../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { PluginPart, AdminPage, Admin, MenuEntries, MenuEntry } from '../admin.ts'
import { failedPart } from './failed-part.ts'
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

/** Renders the menu as a list of links; the current entry and its parents are marked. */
export function menuHtml(entries: readonly MenuEntry[], view: AdminView): PageHtml {
  const here = entries
    .filter(({ href }) => href === view.path || (href !== '' && view.path.startsWith(`${href}/`)))
    .sort((one, other) => other.href.length - one.href.length)[0]
  const item = (entry: MenuEntry): PageHtml => {
    const below = entries.filter(({ under }) => under === entry.href && under !== undefined)
    const isOpen = entry === here || below.includes(here!)
    return html`<li>
      ${link(entry, view, entry === here)}${
        below.length > 0 && isOpen
          ? html`<ul>
              ${below.map(item)}
            </ul>`
          : null
      }
    </li>`
  }
  return html`<ul>
    ${entries.filter(({ under }) => under === undefined).map(item)}
  </ul>`
}

function link({ label, href, count = 0 }: MenuEntry, view: AdminView, isHere: boolean): PageHtml {
  const url = /^https?:/.test(href) ? href : view.url(href)
  const number = count === 0 ? null : html` <span class="count">${count}</span>`
  return html`<a href="${url}" ${isHere ? html` aria-current="page"` : null}>${view.t(label)}${number}</a>`
}
