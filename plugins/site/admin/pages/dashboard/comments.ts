import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'

/** Maximum number of comments in the panel; a link leads to the others. */
const MAX_COMMENTS = 5
/** Maximum characters of a comment; longer texts end with an ellipsis. */
const MAX_COMMENT_LENGTH = 200

interface Comment {
  readonly id: number
  readonly post: number
  readonly author_name: string
  readonly date_gmt: string
  readonly content: { readonly raw?: string }
}

/** Lists comments that await moderation, the oldest first. */
export async function heldComments(view: AdminView): Promise<PageHtml | null> {
  const { t } = view
  const fields = 'id,post,author_name,date_gmt,content.raw'
  const query = { status: 'hold', context: 'edit', order: 'asc', per_page: MAX_COMMENTS, _fields: fields }
  const found = await view.find<Comment[]>('comments', { query })
  if (found === null) return null
  if (found.length === 0) return html`<p>${t('No comments to moderate.')}</p>`
  const items = found.map(({ id, author_name: name, date_gmt: date, content: { raw = '' } }) => {
    const author = name || t('Anonymous')
    const text = raw.length > MAX_COMMENT_LENGTH ? `${raw.slice(0, MAX_COMMENT_LENGTH)}…` : raw
    const label = html` aria-label="${t('Approve comment by {author}', { author })}"`
    return html`<li>
      <p><a href="${view.url(`comments/${id}`)}">${author}</a> ${view.ago(date)}</p>
      <p>${text}</p>
      ${view.button(t('Approve'), 'save', { panel: 'comments', comment: id }, label)}
    </li>`
  })
  return html`<ul>
      ${items}
    </ul>
    <p><a href="${view.url('comments', { status: 'hold' })}">${t('All pending comments')}</a></p>`
}

/**
 * Approves the comment of a submitted form. @throws RestError if the user lacks permission, or the comment was deleted
 */
export async function approve(view: AdminView): Promise<void> {
  const id = Number(view.text('comment'))
  await view.ask('POST', `comments/${Number.isSafeInteger(id) ? id : 0}`, { body: { status: 'approved' } })
}
