import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { singularOf } from '../content/types.ts'
import { editPath, subjectOf, type Subject } from './subjects.ts'

/** Number of latest changes to read. More than the panel shows, because several can concern the same item. */
const MAX_CHANGES_READ = 200
/** Maximum number of items in the panel. */
const MAX_CHANGES = 8

/** A change, as the REST API returns it. */
export interface Change {
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
    const shown = change.type === 'nav_menu_item' ? await menuChange(view, change) : change
    const key = `${shown?.kind} ${shown?.object}`
    if (shown !== null && shown.type !== 'revision' && !newest.has(key)) newest.set(key, shown)
    if (newest.size === MAX_CHANGES) break
  }
  if (newest.size === 0) return html`<p>${t('No recent activity.')}</p>`
  const items = await Promise.all([...newest.values()].map((change) => lineOf(view, change)))
  const more = view.can('edit_others_posts')
    ? html`<p><a href="${view.url('changes')}">${t('All changes')}</a></p>`
    : null
  return html`<ul class="activity">
      ${items}
    </ul>
    ${more}`
}

/** Returns a change of a menu's item as a change of the menu, which is edited as a whole; null for a deleted item. */
export async function menuChange({ plugin, request }: AdminView, change: Change): Promise<Change | null> {
  const terms = await plugin.services.terms.ofPosts(request.scope).load(Number(change.object))
  const [menu] = terms.get('nav_menu') ?? []
  if (menu === undefined) return null
  return { ...change, kind: 'term', type: 'nav_menu', object: menu.id, slug: menu.slug, change: 'update' }
}

/** Renders a change: what happened, with a link if the user can edit the item, and below it who changed it and when. */
async function lineOf(view: AdminView, { kind, object, type, change, slug, time }: Change): Promise<PageHtml> {
  const { words, plugin } = view
  const subject: Subject = change === 'delete' ? {} : await subjectOf(view, kind, Number(object))
  const title = subject.title ?? html`${slug || `#${object}`}`
  const path = change === 'delete' ? null : await editPath(view, kind, type, Number(object))
  const name = path === null ? title : html`<a href="${view.url(path)}">${title}</a>`
  const text =
    change === 'delete'
      ? words.html('Deleted {name}', { name })
      : change === 'create'
        ? words.html('Created {name}', { name })
        : words.html('Updated {name}', { name })
  const by = subject.by === undefined ? null : html` · ${plugin.services.plainPages.stored(subject.by)}`
  return html`<li>
    <p>${text}</p>
    <p class="about">${labelOf(view, kind, type)}${by} · ${view.ago(time)}</p>
  </li>`
}

/** Returns the label of a content type, a taxonomy or another kind of object. */
export function labelOf(view: AdminView, kind: string, type: string): string {
  const { t, plugin } = view
  const { contentTypes, taxonomies } = plugin.services
  if (kind === 'option') return t('Setting')
  if (kind === 'comment') return t('Comment')
  if (kind === 'user') return t('User')
  if (type === 'nav_menu') return t('Menu')
  const found = kind === 'term' ? taxonomies.get(type) : contentTypes.get(type)
  // The type of a plugin that has been removed.
  if (found === undefined) return type
  return kind === 'post' ? singularOf(view, found) : t(found.labels['singular_name'] ?? found.name)
}
