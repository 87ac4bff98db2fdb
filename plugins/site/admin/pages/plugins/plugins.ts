import type { RunningName, ShownOption } from '../../../../library/running-plugins/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminContent } from '../../admin.ts'
import type { AdminView } from '../../frame/view.ts'
import { CARD_FILTER, cardSearch, filteredCards } from '../../parts/card-filter.ts'
import descriptions from './descriptions.json' with { type: 'json' }

/** Generated description of a default plugin. */
interface Described {
  readonly about: string
  readonly options: Readonly<Record<string, string>>
}

const DESCRIPTIONS: Readonly<Record<string, Described>> = descriptions

/** Shows a card for each running plugin. */
export function show(view: AdminView): AdminContent {
  const { t } = view
  const search = cardSearch(view)
  const cards = view.plugin
    .running()
    .filter((running) => `${running.name} ${aboutOf(running)}`.toLowerCase().includes(search))
    .map((running) => cardOf(view, running))
  return {
    main: html`<p>${t('Plugins are managed in the config file. This page lists the active plugins.')}</p>
      ${filteredCards(view, cards, t('No plugins match your search.'))}`,
    ...CARD_FILTER,
  }
}

function cardOf(view: AdminView, running: RunningName): PageHtml {
  const { name, isDefault } = running
  const { definedAs, options } = running.details()
  const set = options.filter(({ isSet }) => isSet).length
  return html`<section class="card">
    <h2><a href="${view.url(`plugins/${name}`)}">${name}</a>${badgeOf(view, isDefault, definedAs !== name)}</h2>
    <p class="about">${aboutOf(running)}</p>
    ${set === 0 ? null : html`<p>${view.count(set, '1 option set', '{count} options set')}</p>`}
  </section>`
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
