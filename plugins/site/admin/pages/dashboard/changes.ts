import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'

/** Number of latest changes to read. More than the panel shows, because several can concern the same item. */
const MAX_CHANGES_READ = 200
/** Maximum number of items in the panel. */
const MAX_CHANGES = 8

interface Change {
  readonly id: number
  readonly time: string
  readonly kind: string
  readonly object: number | string
  readonly type: string
  readonly change: 'create' | 'update' | 'delete'
  readonly slug?: string
}

/** Lists the latest changes that the user can read, one per item. */
export async function changes(view: AdminView): Promise<PageHtml | null> {
  const { t, plugin } = view
  if (!plugin.has('changes')) return null
  const { first, last } = await plugin.services.changeHistory.bounds()
  const since = Math.max(first - 1, last - MAX_CHANGES_READ, 0)
  const query = { since, per_page: MAX_CHANGES_READ, kinds: 'post,term,comment,user' }
  const found = await view.find<{ changes: readonly Change[] }>('changes', { query })
  if (found === null) return null
  // The panel is hidden from users who cannot write.
  if (!view.can('edit_posts')) return null
  const newest = new Map<string, Change>()
  for (const change of found.changes.toReversed()) {
    const key = `${change.kind} ${change.object}`
    if (!newest.has(key) && change.type !== 'revision') newest.set(key, change)
  }
  const shown = [...newest.values()].slice(0, MAX_CHANGES)
  if (shown.length === 0) return html`<p>${t('No recent activity.')}</p>`
  const items = shown.map((change) => html`<li>${lineOf(view, change)} ${view.date(change.time)}</li>`)
  return html`<ul>
    ${items}
  </ul>`
}

/** Renders a change with a link to the edit page. */
function lineOf(view: AdminView, { kind, object, type, change, slug }: Change): PageHtml {
  const { t } = view
  const label = labelOf(view, kind, type)
  const name = `${slug || `#${object}`} (${label})`
  if (change === 'delete') return html`${t('Deleted {name}', { name })}`
  const text = change === 'create' ? t('Created {name}', { name }) : t('Updated {name}', { name })
  const path = pathOf(kind, type, object)
  return path === null ? html`${text}` : html`<a href="${view.url(path)}">${text}</a>`
}

/** Returns the label of a content type, a taxonomy or another kind of object. */
function labelOf({ t, plugin }: AdminView, kind: string, type: string): string {
  const { contentTypes, taxonomies } = plugin.services
  if (kind === 'comment') return t('Comment')
  if (kind === 'user') return t('User')
  const found = kind === 'term' ? taxonomies.get(type) : contentTypes.get(type)
  // The type of a plugin that has been removed.
  return found === undefined ? type : t(found.labels['singular_name'] ?? found.name)
}

function pathOf(kind: string, type: string, object: number | string): string | null {
  if (kind === 'post') return type === 'attachment' ? `media/${object}` : `content/${type}/${object}`
  if (kind === 'term') return `terms/${type}/${object}`
  if (kind === 'comment') return `comments/${object}`
  return kind === 'user' ? `users/${object}` : null
}
