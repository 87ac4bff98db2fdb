import { HeaderMap, type SitePage } from '../../../../../kernel/index.ts'
import { html } from '../../../../library/markup/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import type { AdminAnswer } from '../../admin.ts'
import type { IconName } from '../../frame/icon-names.ts'
import { entryUrl, menuOf } from '../../frame/menu.ts'
import type { AdminView } from '../../frame/view.ts'
import { textField } from '../../parts/fields.ts'
import { shortened } from '../../parts/list.ts'
import { GROUPS } from '../settings/groups.ts'
import { statusLabel } from '../content/filters.ts'
import { titleOf, type Item } from '../content/items.ts'
import { labelOf, listedTypes, routeOf, type TypeData } from '../content/types.ts'

/** A result: a page of the admin, or an item of the site. */
interface Found {
  readonly label: string
  /** Kind of the result. */
  readonly hint: string
  readonly href: string
  readonly icon: IconName
}

/** Maximum number of results of each kind. */
const MAX_RESULTS = 6
/** Maximum characters of the searched text. */
const MAX_QUERY_LENGTH = 200

/** Finds pages of the admin and content. The command palette reads the results as JSON. */
export async function show(view: AdminView): Promise<AdminAnswer> {
  const { t, query } = view
  const text = (query.get('q') ?? '').trim().slice(0, MAX_QUERY_LENGTH)
  const found = await resultsOf(view, text)
  if (query.get('format') === 'json') return jsonPage(found)
  const items = found.map(
    ({ label, hint, href, icon }) =>
      html`<li>
        <a class="found" href="${href}"
          >${view.icon(icon)}<span class="label">${label}</span><span class="hint">${hint}</span></a
        >
      </li>`,
  )
  const results =
    found.length === 0
      ? html`<p class="empty">${t('No results.')}</p>`
      : html`<ul class="plain-list">
          ${items}
        </ul>`
  return {
    main: html`<form method="get" action="${view.url('search')}" class="filters" role="search">
        ${textField({ name: 'q', label: t('Search or go to a page'), type: 'search', value: text })}
        <button type="submit">${t('Search')}</button>
      </form>
      ${results}`,
  }
}

async function resultsOf(view: AdminView, text: string): Promise<Found[]> {
  const types = await listedTypes(view)
  const pages = [...(await goTo(view)), ...creations(view, types)]
  if (text === '') return pages
  const wanted = text.toLocaleLowerCase()
  const content = await Promise.all([
    ...types.map((type) => posts(view, type, text)),
    view.can('upload_files') ? media(view, text) : [],
    view.can('list_users') ? users(view, text) : [],
  ])
  return [
    ...pages.filter(({ label }) => label.toLocaleLowerCase().includes(wanted)).slice(0, MAX_RESULTS),
    ...content.flat(),
  ]
}

const PERMALINKS = { name: 'permalinks', label: 'Permalinks' }

/** The entries of the menu, and the pages of settings. */
async function goTo(view: AdminView): Promise<Found[]> {
  const { t } = view
  const entries = await menuOf(view.plugin.services.admin, view)
  const settings = view.can('manage_options') ? [...GROUPS.filter(({ name }) => name !== ''), PERMALINKS] : []
  return [
    ...entries.map((entry) => ({
      label: t(entry.label),
      hint: t('Page'),
      href: entryUrl(entry, view),
      icon: entry.icon ?? ('arrow-right' as const),
    })),
    ...settings.map(({ name, label }) => ({
      label: t(label),
      hint: t('Settings'),
      href: view.url(`settings/${name}`),
      icon: 'settings' as const,
    })),
  ]
}

function creations(view: AdminView, types: readonly TypeData[]): Found[] {
  const { t } = view
  const create = (label: string, path: string): Found => ({
    label,
    hint: t('Create'),
    href: view.url(path),
    icon: 'plus',
  })
  return [
    ...types
      .filter(({ capabilities }) => view.can(capabilities['create_posts'] ?? ''))
      .map((type) => create(labelOf(type, 'add_new_item'), `content/${type.slug}/new`)),
    ...(view.can('upload_files') ? [create(t('Upload files'), 'media/new')] : []),
    ...(view.can('create_users') ? [create(t('Add user'), 'users/new')] : []),
  ]
}

async function posts(view: AdminView, type: TypeData, search: string): Promise<Found[]> {
  const query = { context: 'edit', search, status: 'any', per_page: MAX_RESULTS, _fields: 'id,title,status' }
  const found = await view.find<Item[]>(routeOf(type), { query })
  return (found ?? []).map((item) => ({
    label: shortened(titleOf(view, item)),
    hint: item.status === 'publish' ? labelOf(type, 'singular_name') : statusLabel(view, item.status),
    href: view.url(`content/${type.slug}/${item.id}`),
    icon: 'file-text',
  }))
}

async function media(view: AdminView, search: string): Promise<Found[]> {
  const query = { context: 'edit', search, per_page: MAX_RESULTS, _fields: 'id,title' }
  const found = await view.find<Item[]>('media', { query })
  return (found ?? []).map((item) => ({
    label: shortened(titleOf(view, item)),
    hint: view.t('File'),
    href: view.url(`media/${item.id}`),
    icon: 'image',
  }))
}

async function users(view: AdminView, search: string): Promise<Found[]> {
  const query = { context: 'edit', search, per_page: MAX_RESULTS, _fields: 'id,name' }
  const found = await view.find<{ id: number; name: string }[]>('users', { query })
  return (found ?? []).map(({ id, name }) => ({
    label: shortened(plainText(name)),
    hint: view.t('User'),
    href: view.url(`users/${id}`),
    icon: 'user',
  }))
}

function jsonPage(found: readonly Found[]): SitePage {
  const headers = new HeaderMap({
    'Content-Type': 'application/json; charset=UTF-8',
    'Cache-Control': 'no-store, private',
    'X-Content-Type-Options': 'nosniff',
  })
  return { status: 200, headers, body: JSON.stringify(found) }
}
