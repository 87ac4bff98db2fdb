import type { RunningName, ShownOption } from '../../../../library/running-plugins/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminContent } from '../../admin.ts'
import type { AdminView } from '../../frame/view.ts'
import { listHtml } from '../../parts/list.ts'
import descriptions from './descriptions.json' with { type: 'json' }

/** Generated description of a default plugin. */
interface Described {
  readonly about: string
  readonly options: Readonly<Record<string, string>>
}

const DESCRIPTIONS: Readonly<Record<string, Described>> = descriptions

/** Lists the running plugins. */
export async function show(view: AdminView): Promise<AdminContent> {
  const { t, count } = view
  const search = view.query.get('search') ?? ''
  const all = view.plugin.running().map((running) => ({ ...running, about: aboutOf(running), ...running.details() }))
  const found = all.filter(({ name, about }) => `${name} ${about}`.toLowerCase().includes(search.toLowerCase()))
  const list = await listHtml(view, {
    name: 'plugins',
    caption: t('Plugins'),
    items: found,
    idOf: ({ name }) => name,
    titleOf: ({ name }) => name,
    columns: [
      {
        name: 'name',
        label: 'Plugin',
        cell: ({ name, isDefault, definedAs }) =>
          html`<a href="${view.url(`plugins/${name}`)}">${name}</a>${badgeOf(view, isDefault, definedAs !== name)}`,
      },
      { name: 'about', label: 'Description', cell: ({ about }) => about },
      {
        name: 'options',
        label: 'Options',
        cell: ({ options }) => {
          const set = options.filter(({ isSet }) => isSet).length
          return set === 0 ? '' : count(set, '1 option set', '{count} options set')
        },
      },
    ],
    empty: t('No plugins match your search.'),
    orderby: 'started',
    order: 'asc',
    paging: { total: found.length, next: null, first: null },
  })
  return {
    main: html`<p>${t('Plugins are managed in the config file. This page shows what is active.')}</p>
      <form method="get" action="${view.url('plugins')}" class="filters" role="search">
        <div class="field">
          <label for="search">${t('Search')}</label>
          <input type="search" id="search" name="search" value="${search}" />
        </div>
        <button type="submit">${t('Search')}</button>
      </form>
      ${list}`,
  }
}

/** Returns a one-sentence description of a plugin; `''` if it has none. */
export function aboutOf({ name, isDefault, details }: RunningName): string {
  return details().description || (isDefault ? describedOf(name)?.about : '') || ''
}

/** Returns the documentation of a plugin option. */
export function optionAbout({ name, isDefault }: RunningName, option: ShownOption): string {
  const about = isDefault ? describedOf(name)?.options : undefined
  return about !== undefined && Object.hasOwn(about, option.name) ? (about[option.name] ?? '') : ''
}

/** Renders a badge for plugins from the config; null for default plugins. */
export function badgeOf({ t }: AdminView, isDefault: boolean, isReplacement: boolean): PageHtml | null {
  if (isDefault) return null
  return html` <span class="badge">${isReplacement ? t('Replaces default') : t('Added in config')}</span>`
}

function describedOf(name: string): Described | undefined {
  return Object.hasOwn(DESCRIPTIONS, name) ? DESCRIPTIONS[name] : undefined
}
