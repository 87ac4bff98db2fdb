import { html, type PageHtml } from '../../../../library/markup/index.ts'
import {
  phraseIn,
  REPAIRS,
  type FoundName,
  type ImportNote,
  type ImportReport,
  type NoteGroup,
  type Repair,
  type ReportedPlugin,
} from '../../../../operations/importer/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { tableHtml } from '../../parts/table.ts'
import { kindLabel } from './kinds.ts'
import { said } from './phrases.ts'

/** Renders a note with its count, examples and advice. */
function noteHtml(view: AdminView, note: ImportNote, repairs: readonly Repair[]): PageHtml {
  const { count, advice } = note
  const places = repairs.filter(({ code }) => REPAIRS[code] === note.text).slice(0, note.examples.length)
  const examples =
    places.length === 0
      ? note.examples
      : places.map((repair) => [placeText(view, repair), repair.value].filter(Boolean).join(': '))
  const shown = `${examples.join(', ')}${count > examples.length ? ', …' : ''}`
  return html`<li>
    ${count} × ${said(view, note)}${examples.length > 0 ? ` (${shown})` : null}
    ${advice === undefined ? null : html`<br /><small>${said(view, { text: advice })}</small>`}
  </li>`
}

/** Renders the notes of a group under a heading. */
function groupHtml(
  view: AdminView,
  { notes, repairs }: ImportReport,
  group: NoteGroup,
  heading: string,
): PageHtml | null {
  const found = notes.filter((note) => note.group === group)
  if (found.length === 0) return null
  return html`<h3>${heading}</h3>
    <ul>
      ${found.map((note) => noteHtml(view, note, repairs))}
    </ul>`
}

/** Renders the found data of WordPress plugins, with the optional plugins that serve them. */
function pluginsHtml(view: AdminView, plugins: readonly ReportedPlugin[]): PageHtml | null {
  const { t } = view
  if (plugins.length === 0) return null
  const stateOf = ({ servedBy, switchedOn }: ReportedPlugin) => {
    if (servedBy.length === 0) return t('import|Stored, but not shown')
    const names = servedBy.join(', ')
    return switchedOn.length > 0 ? t('import|Switched on: {plugins}', { plugins: names }) : names
  }
  const table = tableHtml({
    caption: t('Data of WordPress plugins'),
    columns: [t('import|Plugin'), t('import|Served by'), t('import|Data')],
    rows: plugins.map((plugin) => [plugin.name, stateOf(plugin), foundText(view, plugin.names)]),
  })
  return html`<h3>${t('Data of WordPress plugins')}</h3>
    ${table}`
}

/** Renders the names that no plugin serves. */
function unservedHtml(view: AdminView, unserved: readonly FoundName[]): PageHtml | null {
  if (unserved.length === 0) return null
  return html`<h3>${view.t('Stored, but not shown by any plugin')}</h3>
    <ul>
      ${unserved.map((found) => html`<li>${foundText(view, [found])}</li>`)}
    </ul>`
}

/** Lists found data: `type event: 2, meta theme_*: 4`. */
function foundText({ t }: AdminView, names: readonly FoundName[]): string {
  const labels: Readonly<Record<FoundName['kind'], string>> = {
    type: t('found|content type'),
    taxonomy: t('found|taxonomy'),
    meta: t('found|meta key'),
    option: t('found|option'),
    shortcode: t('found|shortcode'),
    block: t('found|block'),
  }
  return names.map(({ kind, name, count }) => `${labels[kind]} ${name}: ${count}`).join(', ')
}

/** Names the place of a repair: `posts.xml, line 12, A title`. */
function placeText({ t }: AdminView, { file = '', line, item }: Repair): string {
  return [file, line === undefined ? '' : t('line {line}', { line }), item].filter((part) => part !== '').join(', ')
}

/** Renders the places of the repairs, folded. */
function repairsHtml(view: AdminView, repairs: readonly Repair[]): PageHtml | null {
  const { t } = view
  if (repairs.length === 0) return null
  const table = tableHtml({
    caption: t('import|Repairs'),
    columns: [t('import|Place'), t('import|Repair'), t('import|Value')],
    rows: repairs.map((repair) => [
      placeText(view, repair),
      said(view, { text: REPAIRS[repair.code] ?? repair.code }),
      repair.value ?? '',
    ]),
  })
  return html`<details>
    <summary>${t('Show all repairs')}</summary>
    ${table}
  </details>`
}

/** Renders the imported content, and the skipped content with reasons. */
export function reportHtml(view: AdminView, report: ImportReport): PageHtml {
  const { t } = view
  const { counts, plugins, repairs, unserved, from, to } = report
  const kinds = Object.entries(counts)
  const table = tableHtml({
    caption: t('Imported content'),
    columns: [t('import|Type'), t('Imported'), t('Already existed'), t('Skipped')],
    rows: kinds.map(([kind, { imported, alreadyHere, skipped }]) => [
      kindLabel(view, kind),
      imported,
      alreadyHere,
      Object.values(skipped).reduce((sum, number) => sum + number, 0),
    ]),
  })
  const reasons = kinds.flatMap(([kind, { skipped, phrases }]) =>
    Object.entries(skipped).map(
      ([reason, number]) =>
        html`<li>${kindLabel(view, kind)}: ${number} × ${said(view, phraseIn(phrases, reason))}</li>`,
    ),
  )
  return html`<p>${t('Changes from {from} to {to}', { from: from || t('the export file'), to })}</p>
    ${table}
    ${
      reasons.length === 0
        ? null
        : html`<h3>${t('Skipped')}</h3>
            <ul>
              ${reasons}
            </ul>`
    }
    ${groupHtml(view, report, 'lost', t('import|Lost'))} ${groupHtml(view, report, 'todo', t('import|To do'))}
    ${groupHtml(view, report, 'changed', t('import|Changed'))}
    ${groupHtml(view, report, 'repaired', t('import|Repaired'))} ${repairsHtml(view, repairs)}
    ${pluginsHtml(view, plugins)} ${unservedHtml(view, unserved)}`
}
