import { RestError, type SitePage } from '../../../../../kernel/index.ts'
import { html } from '../../../../library/markup/index.ts'
import type { AdminContent } from '../../admin.ts'
import type { AdminView } from '../../frame/view.ts'
import { textField } from '../../parts/fields.ts'
import { tableHtml } from '../../parts/table.ts'
import { readMenus, type MenuLocation } from './menu-items.ts'

/** Lists the menus of the site, with a form that creates one. */
export function show(view: AdminView): Promise<AdminContent> {
  return page(view)
}

async function page(view: AdminView, error?: string): Promise<AdminContent> {
  const { t } = view
  const { plainPages: pages } = view.plugin.services
  const [menus, { data: locations }] = await Promise.all([
    readMenus(view),
    view.ask<Record<string, MenuLocation>>('GET', 'menu-locations'),
  ])
  const names = new Map(Object.values(locations).map(({ name, description }) => [name, description]))
  const rows = menus.map(({ id, name, locations: at }) => [
    html`<a href="${view.url(`menus/${id}`)}">${pages.stored(name)}</a>`,
    at.length === 0 ? '–' : at.map((one) => names.get(one) ?? one).join(', '),
    view.button(t('Delete'), 'delete', { id }, html` class="danger"`),
  ])
  const columns = [t('Name'), t('Display location'), t('Actions')]
  const list =
    rows.length === 0
      ? html`<p class="empty">${t('No menus yet.')}</p>`
      : tableHtml({ caption: t('Menus'), columns, rows })
  return {
    ...(error !== undefined && { status: 400 }),
    main: html`<p>
        ${t('Menus are shown at the locations of your theme. Blocks of a page or template show a menu under “Navigation”.')}
      </p>
      ${list}
      <section class="card">
        <h2>${t('New menu')}</h2>
        ${view.formStart('create')}
        ${textField({ name: 'name', label: t('Name'), value: view.text('name'), error, required: true })}
        <button type="submit" class="primary">${t('Create menu')}</button></form>
      </section>`,
  }
}

export const actions = {
  async create(view: AdminView): Promise<AdminContent | SitePage> {
    const name = view.text('name').trim()
    if (name === '') return page(view, view.t('Enter a name for the menu.'))
    try {
      const { data } = await view.ask<{ id: number }>('POST', 'menus', { body: { name } })
      return view.redirect(view.url(`menus/${data.id}`), { kind: 'done', text: view.t('Menu created.') })
    } catch (error) {
      if (!(error instanceof RestError)) throw error
      return page(view, error.message)
    }
  },

  /** Asks for confirmation before a menu is deleted with all its items. */
  async delete(view: AdminView): Promise<AdminContent> {
    const { t } = view
    const id = Number(view.text('id')) || 0
    const { data: menu } = await view.ask<{ name: string }>('GET', `menus/${id}`)
    return {
      title: t('Delete menu?'),
      main: html`<p><strong>${view.plugin.services.plainPages.stored(menu.name)}</strong></p>
        <p>${t('The menu and its items will be deleted permanently.')}</p>
        <p class="actions">
          ${view.button(t('Delete permanently'), 'delete-confirmed', { id }, html` class="danger"`)}
          <a href="${view.url('menus')}">${t('Cancel')}</a>
        </p>`,
    }
  },

  async 'delete-confirmed'(view: AdminView): Promise<SitePage> {
    await view.ask('DELETE', `menus/${Number(view.text('id')) || 0}`, { query: { force: 'true' } })
    return view.redirect(view.url('menus'), { kind: 'done', text: view.t('Menu deleted.') })
  },
}
