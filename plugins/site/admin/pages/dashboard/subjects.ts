import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { shortened } from '../../parts/list.ts'

/** Maximum characters of a title on the dashboard. */
const MAX_TITLE_LENGTH = 80

/** A changed object. */
export interface Subject {
  /** Missing if the user cannot read the object. */
  readonly title?: PageHtml
  /** Stored display name of the user who saved it last. */
  readonly by?: string
}

/** Returns title and last editor of an object that changed. The caller has checked that the user can see the change. */
export async function subjectOf(view: AdminView, kind: string, id: number): Promise<Subject> {
  const { t, plugin } = view
  const { services } = plugin
  const { scope } = view.request
  const stored = (text: string) => html`${services.plainPages.stored(shortened(text, MAX_TITLE_LENGTH))}`
  if (kind === 'post') return postSubject(view, id)
  if (kind === 'term') {
    const name = (await services.terms.get(id, scope))?.name
    return name === undefined ? {} : { title: stored(name) }
  }
  if (kind === 'comment') {
    const comment = await services.comments.get(id, scope)
    if (comment === undefined) return {}
    const post = await services.posts.get(comment.post_id, scope)
    const title = shortened(plainText(post?.title ?? '') || t('(no title)'), MAX_TITLE_LENGTH)
    return { title: html`${t('Comment on “{title}”', { title })}`, by: comment.author_name || t('Anonymous') }
  }
  const name = (await services.users.get(id, scope))?.name
  return name === undefined ? {} : { title: stored(name) }
}

/** The newest revision names the user who saved the post last; without revisions, its author is shown. */
async function postSubject(view: AdminView, id: number): Promise<Subject> {
  const { posts, users } = view.plugin.services
  const { scope } = view.request
  const post = await posts.get(id, scope)
  if (post === undefined) return {}
  const { latest } = await posts.versions(id, scope)
  const version = latest === 0 ? undefined : await posts.get(latest, scope)
  const by = (await users.get(version?.author_id ?? post.author_id, scope))?.name
  const title = shortened(plainText(post.title).trim() || view.t('(no title)'), MAX_TITLE_LENGTH)
  const isReadable = await posts.isReadable(post, view.user, scope)
  return { ...(isReadable && { title: html`${title}` }), ...(by !== undefined && { by }) }
}

/** Returns the path of the page that edits an object; null if there is none or the user cannot open it. */
export async function editPath(view: AdminView, kind: string, type: string, id: number): Promise<string | null> {
  const { services } = view.plugin
  if (kind === 'comment') return view.can('moderate_comments') ? `comments/${id}` : null
  if (kind === 'user') return view.can('list_users') ? `users/${id}` : null
  if (kind === 'term') {
    if (type === 'nav_menu') return view.can('edit_theme_options') ? `menus/${id}` : null
    const taxonomy = services.taxonomies.get(type)
    if (taxonomy === undefined || !taxonomy.show_ui || !taxonomy.show_in_rest) return null
    return view.can(taxonomy.capabilities.manage_terms) ? `terms/${type}/${id}` : null
  }
  const found = services.contentTypes.get(type)
  const post = await services.posts.get(id, view.request.scope)
  if (found === undefined || post === undefined || post.status === 'trash' || !view.can('edit_post', post)) return null
  if (type === 'attachment') return view.can('upload_files') ? `media/${id}` : null
  return found.show_ui && found.show_in_rest ? `content/${type}/${id}` : null
}
