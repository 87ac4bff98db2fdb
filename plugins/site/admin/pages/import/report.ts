import { html, type PageHtml } from '../../../../library/markup/index.ts'
import {
  formatText,
  placeOf,
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

/** Reasons and notes of imports. Reports are stored in English, and translated when they are shown. */
export const REPORT_TEXTS = [
  'a different file with this name already exists in the uploads folder',
  'HTML that the filter removed: {part}',
  'account created without a password and with the role {role}, because exports contain neither',
  'account that differs from the file, changed here; kept',
  'account in use; unchanged, the site file is ignored',
  'account without a password; completed from the site file',
  'active theme without its files here; pages use the default theme',
  'attachment without a file in the uploads folder',
  'author without a declaration; account created without an email address',
  'authors without a login',
  'changed here; kept',
  'comment of a user who is not in the file; keeps the name of the author',
  'deleted here, or over the limit of revisions',
  'deleted here; add them again with --restore',
  'drafts that were never saved',
  'existing revision; deleted, because it was over the limit',
  'files that belong to no attachment',
  'item whose parent is not in the file; parent removed',
  'item with a changed slug, because its slug is already used on this site',
  'media file missing in the uploads folder',
  'media file that was not downloaded: {reason}',
  'name or label; converted to plain text',
  'over the limit of revisions',
  'reference in a text to an object that is not in the file; unchanged',
  'reference to an object that is not in the file; removed',
  'reply to a comment that is not in the file; now a top-level comment',
  'sample content; removed, because the site had no other content',
  'term whose parent is not in the file; parent removed',
  'text whose author may not write unfiltered HTML; HTML filtered',
  'the export has no URL for it',
  'unknown element <{name}>',
  'unsafe URL; removed or repaired',
] as const

/** Patterns of the texts, each followed by optional examples in parentheses. */
const PATTERNS = REPORT_TEXTS.map((text) => {
  const escaped = text.replace(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)
  return {
    text,
    pattern: new RegExp(`^${escaped.replaceAll(/\{(\w+)\}/g, '(?<$1>.+?)')}(?<examples> \\(.*\\))?$`, 's'),
  }
})

/** Translates a reason or a note; unknown ones stay English. */
function translated({ t }: AdminView, text: string): string {
  for (const { text: known, pattern } of PATTERNS) {
    const groups = pattern.exec(text)?.groups
    if (groups !== undefined) return `${t(known, groups)}${groups['examples'] ?? ''}`
  }
  return text
}

/** Renders a note with its count, examples and advice. */
function noteHtml({ t }: AdminView, { text, values, count, examples, advice }: ImportNote): PageHtml {
  const known = REPORT_TEXTS.find((one) => one === text)
  const difference = known === undefined ? formatText(text, values) : t(known, values)
  const shown = `${examples.join(', ')}${count > examples.length ? ', …' : ''}`
  return html`<li>
    ${count} × ${difference}${examples.length > 0 ? ` (${shown})` : null}
    ${advice === undefined ? null : html`<br /><small>${advice}</small>`}
  </li>`
}

/** Renders the notes of a group under a heading. */
function groupHtml(view: AdminView, notes: readonly ImportNote[], group: NoteGroup, heading: string): PageHtml | null {
  const found = notes.filter((note) => note.group === group)
  if (found.length === 0) return null
  return html`<h3>${heading}</h3>
    <ul>
      ${found.map((note) => noteHtml(view, note))}
    </ul>`
}

/** Renders the found data of WordPress plugins, with the optional plugins that serve them. */
function pluginsHtml({ t }: AdminView, plugins: readonly ReportedPlugin[]): PageHtml | null {
  if (plugins.length === 0) return null
  const stateOf = ({ servedBy, switchedOn }: ReportedPlugin) => {
    if (servedBy.length === 0) return t('import|Stored, but not shown')
    const names = servedBy.join(', ')
    return switchedOn.length > 0 ? t('import|Switched on: {plugins}', { plugins: names }) : names
  }
  const table = tableHtml({
    caption: t('Data of WordPress plugins'),
    columns: [t('import|Plugin'), t('import|Served by'), t('import|Data')],
    rows: plugins.map((plugin) => [plugin.name, stateOf(plugin), foundText(plugin.names)]),
  })
  return html`<h3>${t('Data of WordPress plugins')}</h3>
    ${table}`
}

/** Renders the names that no plugin serves. */
function unservedHtml({ t }: AdminView, unserved: readonly FoundName[]): PageHtml | null {
  if (unserved.length === 0) return null
  return html`<h3>${t('Stored, but not shown by any plugin')}</h3>
    <ul>
      ${unserved.map((found) => html`<li>${foundText([found])}</li>`)}
    </ul>`
}

/** Lists found data: `type event: 2, meta theme_*: 4`. */
function foundText(names: readonly FoundName[]): string {
  return names.map(({ kind, name, count }) => `${kind} ${name}: ${count}`).join(', ')
}

/** Renders the places of the repairs, folded. */
function repairsHtml({ t }: AdminView, repairs: readonly Repair[]): PageHtml | null {
  if (repairs.length === 0) return null
  const table = tableHtml({
    caption: t('import|Repairs'),
    columns: [t('import|Place'), t('import|Repair'), t('import|Value')],
    rows: repairs.map((repair) => [placeOf(repair), REPAIRS[repair.code], repair.value ?? '']),
  })
  return html`<details>
    <summary>${t('Show all repairs')}</summary>
    ${table}
  </details>`
}

/** Returns the label of the objects of one kind: `page items`, `category terms`, `users`. */
export function kindLabel({ t, plugin }: AdminView, kind: string): string {
  const { contentTypes, taxonomies } = plugin.services
  if (kind === 'users') return t('Users')
  if (kind === 'comments') return t('Comments')
  if (kind === 'settings') return t('Settings')
  if (kind === 'files') return t('Media files')
  if (kind === 'meta') return t('import|Metadata')
  if (kind === 'elements') return t('import|Elements')
  const [, name = '', group = ''] = /^(.*) (items|terms)$/.exec(kind) ?? []
  const found = group === 'terms' ? taxonomies.get(name) : contentTypes.get(name)
  return found === undefined ? kind : t(found.labels['name'] ?? found.name)
}

/** Renders the imported content, and the skipped content with reasons. */
export function reportHtml(
  view: AdminView,
  { counts, notes, plugins, repairs, unserved, from, to }: ImportReport,
): PageHtml {
  const { t } = view
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
  const reasons = kinds.flatMap(([kind, { skipped }]) =>
    Object.entries(skipped).map(
      ([reason, number]) => html`<li>${kindLabel(view, kind)}: ${number} × ${translated(view, reason)}</li>`,
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
    ${groupHtml(view, notes, 'lost', t('import|Lost'))} ${groupHtml(view, notes, 'todo', t('import|To do'))}
    ${groupHtml(view, notes, 'changed', t('import|Changed'))}
    ${groupHtml(view, notes, 'repaired', t('import|Repaired'))} ${repairsHtml(view, repairs)}
    ${pluginsHtml(view, plugins)} ${unservedHtml(view, unserved)}`
}
