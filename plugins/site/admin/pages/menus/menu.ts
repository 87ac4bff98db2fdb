import { RestError, type HeaderMap, type SitePage } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminContent } from '../../admin.ts'
import type { IconName } from '../../frame/icon-names.ts'
import type { AdminView } from '../../frame/view.ts'
import { checkbox, choiceField, selectField, textArea, textField } from '../../parts/fields.ts'
import { sentValues, withoutLoss } from '../../parts/lost-updates.ts'
import {
  readItems,
  saveItems,
  submittedValues,
  treeOf,
  valuesOf,
  type ItemNode,
  type Menu,
  type MenuLocation,
} from './menu-items.ts'

/** Maximum number of suggestions of each kind. */
const MAX_SUGGESTIONS = 10

/** The page of a menu: items, locations, and suggestions. */
export function show(view: AdminView): Promise<AdminContent> {
  return page(view, null)
}

/** @param messages results of a save; the form then shows the submitted values */
async function page(view: AdminView, messages: readonly string[] | null): Promise<AdminContent> {
  const { t } = view
  const id = menuId(view)
  const [{ data: menu }, { data: locations }, items] = await Promise.all([
    view.ask<Menu>('GET', `menus/${id}`, { query: { context: 'edit' } }),
    view.ask<Record<string, MenuLocation>>('GET', 'menu-locations'),
    readItems(view, id),
  ])
  const { plainPages: pages } = view.plugin.services
  const shown = items.map((item) => ({ item, values: (messages && submittedValues(view, item.id)) ?? valuesOf(item) }))
  const tree = treeOf(shown)
  const words = {
    moved: t('{title} moved to position {place} of {count}.'),
    movedBelow: t('{title} moved to position {place} of {count} under {parent}.'),
    stays: t('{title} can’t be moved further.'),
  }
  const list = html`<ol class="menu-items" id="menu-items" data-words="${JSON.stringify(words)}">
    ${tree.map((node) =>
      itemHtml(
        view,
        node,
        shown.map(({ item }) => item),
      ),
    )}
  </ol>`
  return {
    title: t('Edit menu'),
    ...(messages !== null && { status: 400 }),
    headingActions: html`<a class="button" href="${view.url('menus')}">${t('All menus')}</a>`,
    main: html`${(messages ?? []).map((text) => html`<p class="notice error" role="alert">${text}</p>`)}
      <div class="columns">
        <div>
          ${view.formStart('save', html` data-guard`)}
          <input type="hidden" name="was" value="${JSON.stringify(settingsOf(menu))}" />
          ${textField({ name: 'name', label: t('Name'), value: messages === null ? plain(menu.name) : view.text('name'), required: true })}
          <h2>${t('Menu items')}</h2>
          ${items.length === 0 ? html`<p class="empty">${t('This menu has no items yet.')}</p>` : list}
          ${choiceField({
            name: 'locations',
            label: t('Display location'),
            many: true,
            values: messages === null ? menu.locations : view.texts('locations'),
            choices: Object.values(locations).map(({ name, description }) => ({ value: name, label: description })),
            ...(Object.keys(locations).length === 0 && { hint: t('This theme has no menu locations.') }),
          })}
          ${checkbox({
            name: 'auto_add',
            label: t('Automatically add new top-level pages to this menu'),
            checked: messages === null ? menu.auto_add : view.text('auto_add') !== '',
          })}
          <button type="submit" class="primary">${t('Save menu')}</button></form>
        </div>
        <div>${await offers(view)} ${linkForm(view)}</div>
      </div>
      <p class="hint">${t('Menu:')} ${pages.stored(menu.name)}</p>`,
  }
}

const menuId = ({ params }: AdminView) => Number(params['id']) || 0

/** Decodes the HTML entities of a stored name. */
function plain(name: string): string {
  return name
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#039;', "'")
    .replaceAll('&amp;', '&')
}

function settingsOf({ name, locations, auto_add }: Menu) {
  return { name: plain(name), locations: [...locations].sort(), auto_add }
}

/** Renders an item with its fields and child items. */
function itemHtml(
  view: AdminView,
  { item, values, below }: ItemNode,
  all: readonly { id: number; title: { raw: string } }[],
): PageHtml {
  const { t } = view
  const { id } = item
  const name = values.title || `#${id}`
  const field = (key: keyof typeof values, label: string, hint?: string) =>
    textField({ name: `${key}-${id}`, label, value: values[key], ...(hint !== undefined && { hint }) })
  const move = (direction: string, icon: IconName, label: string) =>
    html`<button type="button" class="icon-button" data-move="${direction}" aria-label="${label}" hidden>
      ${view.icon(icon)}
    </button>`
  return html`<li data-item="${id}" data-title="${name}">
    <div class="menu-item">
      <span class="menu-handle" data-handle hidden>${view.icon('grip-vertical')}</span>
      <strong>${name}</strong> <span class="badge">${item.type_label}</span>
      ${item.invalid ? html`<span class="badge">${t('Broken link')}</span>` : null}
      <span class="menu-moves">
        ${move('up', 'arrow-up', t('Move {title} up', { title: name }))}
        ${move('down', 'arrow-down', t('Move {title} down', { title: name }))}
        ${move('in', 'arrow-right', t('Make {title} a child of the item above', { title: name }))}
        ${move('out', 'arrow-left', t('Move {title} one level up', { title: name }))}
      </span>
      <details>
        <summary aria-label="${t('Edit {title}', { title: name })}">${t('Edit')}</summary>
        <input type="hidden" name="was-${id}" value="${JSON.stringify(valuesOf(item))}" />
        ${field('title', t('Navigation label'))}
        ${item.type === 'custom' ? field('url', t('URL')) : html`<input type="hidden" name="url-${id}" value="${values.url}" />`}
        ${field('attr_title', t('Title attribute'))} ${field('classes', t('CSS classes'))}
        ${field('xfn', t('Relation (rel)'))}
        ${textArea({ name: `description-${id}`, label: t('Description'), value: values.description, rows: 2 })}
        ${checkbox({ name: `target-${id}`, label: t('Open in a new tab'), value: '_blank', checked: values.target === '_blank' })}
        <div data-without-script>
          ${textField({ name: `menu_order-${id}`, label: t('Position'), value: values.menu_order, type: 'number', attributes: html` min="1"` })}
          ${selectField({
            name: `parent-${id}`,
            label: t('Parent item'),
            value: values.parent,
            choices: [
              { value: '0', label: t('No parent') },
              ...all.flatMap((one) =>
                one.id === id ? [] : [{ value: String(one.id), label: one.title.raw || `#${one.id}` }],
              ),
            ],
          })}
        </div>
        ${checkbox({ name: `remove-${id}`, label: t('Remove {title} from the menu', { title: name }), checked: false })}
      </details>
    </div>
    <ol>
      ${below.map((node) => itemHtml(view, node, all))}
    </ol>
  </li>`
}

interface Found {
  readonly id: number
  readonly title: string
  readonly type: string
  readonly subtype: string
}

/** Renders posts and terms that can be added: the search results, or the newest. */
async function offers(view: AdminView): Promise<PageHtml> {
  const { t } = view
  const { plainPages: pages } = view.plugin.services
  const search = view.query.get('add') ?? ''
  const found = (type: string) =>
    view.find<Found[]>('search', { query: { type, per_page: MAX_SUGGESTIONS, ...(search !== '' && { search }) } })
  const all = [...((await found('post')) ?? []), ...((await found('term')) ?? [])]
  const choices = all.map(
    ({ id, title, type, subtype }, index) =>
      html`<li>
        <input
          type="checkbox"
          id="add-${index}"
          name="add[]"
          value="${type === 'term' ? 'taxonomy' : 'post_type'}:${subtype}:${id}"
        />
        <label for="add-${index}"
          >${title === '' ? `#${id}` : pages.stored(title)} <span class="badge">${subtype}</span></label
        >
      </li>`,
  )
  const form = html`${view.formStart('add')}<fieldset class="field">
      <legend>${search === '' ? t('Most recent') : t('Search results')}</legend>
      <ul class="choices">
        ${choices}
      </ul>
    </fieldset>
    <button type="submit">${t('Add to menu')}</button></form>`
  return html`<section class="card" id="add">
    <h2>${t('Add items')}</h2>
    <form method="get" action="${view.url(view.path)}#add">
      ${textField({ name: 'add', label: t('Search pages, posts and terms'), value: search, type: 'search' })}
      <button type="submit">${t('Search')}</button>
    </form>
    ${choices.length === 0 ? html`<p>${t('No results.')}</p>` : form}
  </section>`
}

function linkForm(view: AdminView): PageHtml {
  const { t } = view
  return html`<section class="card">
    <h2>${t('Add a link')}</h2>
    ${view.formStart('add-link')}
    ${textField({ name: 'link-url', label: t('URL'), value: view.text('link-url'), type: 'url', required: true })}
    ${textField({ name: 'link-title', label: t('Link text'), value: view.text('link-title'), required: true })}
    <button type="submit">${t('Add to menu')}</button></form>
  </section>`
}

export const actions = {
  /** Saves the menu and its items; preserves changes that other users made in the meantime. */
  async save(view: AdminView): Promise<AdminContent | SitePage> {
    const { t } = view
    const messages = [...(await saveSettings(view))]
    const saved = await saveItems(view, menuId(view))
    messages.push(...saved.messages)
    if (messages.length > 0) return page(view, messages)
    return view.redirect(view.url(view.path), { kind: 'done', text: t('Menu saved.') })
  },

  /** Adds the selected items after the last item. */
  async add(view: AdminView): Promise<AdminContent | SitePage> {
    const chosen = view.texts('add').slice(0, 2 * MAX_SUGGESTIONS)
    let order = await lastOrder(view)
    for (const one of chosen) {
      const [type, object, id] = one.split(':')
      order += 1
      const body = { type, object, object_id: Number(id), menus: menuId(view), menu_order: order, status: 'publish' }
      await view.ask('POST', 'menu-items', { body })
    }
    const text = view.count(chosen.length, '1 item added to the menu.', '{count} items added to the menu.')
    return view.redirect(view.url(view.path), { kind: 'done', text })
  },

  async 'add-link'(view: AdminView): Promise<AdminContent | SitePage> {
    const body = { type: 'custom', url: view.text('link-url').trim(), title: view.text('link-title').trim() }
    const place = { menus: menuId(view), menu_order: (await lastOrder(view)) + 1, status: 'publish' }
    try {
      await view.ask('POST', 'menu-items', { body: { ...body, ...place } })
    } catch (error) {
      if (!(error instanceof RestError)) throw error
      return page(view, [error.message])
    }
    return view.redirect(view.url(view.path), { kind: 'done', text: view.t('Link added.') })
  },
}

async function lastOrder(view: AdminView): Promise<number> {
  return Math.max(0, ...(await readItems(view, menuId(view))).map(({ menu_order: order }) => order))
}

/**
 * Saves the name and the locations of the menu if the user has changed them. @returns messages about refused changes
 */
async function saveSettings(view: AdminView): Promise<readonly string[]> {
  const path = `menus/${menuId(view)}`
  try {
    return await withoutLoss(view, { path, query: { context: 'edit' } }, (headers) => changeSettings(view, headers))
  } catch (error) {
    if (!(error instanceof RestError)) throw error
    return [error.message]
  }
}

async function changeSettings(view: AdminView, headers: HeaderMap): Promise<readonly string[]> {
  const { t } = view
  const id = menuId(view)
  const { data: menu } = await view.ask<Menu>('GET', `menus/${id}`, { query: { context: 'edit' } })
  const current = settingsOf(menu)
  const submitted = {
    name: view.text('name').trim(),
    locations: [...view.texts('locations')].sort(),
    auto_add: view.text('auto_add') !== '',
  }
  const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
  if (same(submitted, current)) return []
  if (!same(sentValues(view), current))
    return [t('Someone else changed the name or display location of this menu. Their version was kept.')]
  await view.ask('POST', `menus/${id}`, { body: submitted, headers })
  return []
}
