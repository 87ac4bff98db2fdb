import { RestError, type HeaderMap, type SitePage } from '../../../../../kernel/index.ts'
import { html } from '../../../../library/markup/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import type { AdminContent } from '../../admin.ts'
import { errors } from '../../errors.ts'
import { noticeHtml } from '../../frame/page.ts'
import type { AdminView } from '../../frame/view.ts'
import { selectField, textArea, textField } from '../../parts/fields.ts'
import { shortened } from '../../parts/list.ts'
import { formChanges, isOvertaken, lostErrors, shownValues, withoutLoss } from '../../parts/lost-updates.ts'
import { errorsByPath } from '../../parts/schema-fields.ts'
import { authorOf, postsOf, textOf, type CommentData } from './comments.ts'
import { moderate } from './list.ts'

/** The page that edits, answers and deletes a comment. */
export async function show(view: AdminView): Promise<AdminContent> {
  return renderPage(view, await readComment(view))
}

export const actions = {
  async save(view: AdminView): Promise<SitePage | AdminContent> {
    const { id } = await readComment(view)
    return withoutLoss(view, { path: `comments/${id}`, query: { context: 'edit' } }, (headers) => save(view, headers))
  },
  async reply(view: AdminView): Promise<SitePage | AdminContent> {
    const { t } = view
    const comment = await readComment(view)
    const content = view.text('reply')
    try {
      await view.ask('POST', 'comments', { body: { post: comment.post, parent: comment.id, content } })
      return view.redirect(view.url('comments', { post: comment.post }), {
        kind: 'done',
        text: t('Reply submitted.'),
      })
    } catch (error) {
      if (!(error instanceof RestError)) throw error
      return { ...(await renderPage(view, comment, { reply: content, message: error.message })), status: error.status }
    }
  },
  async delete(view: AdminView): Promise<SitePage> {
    const { id } = await readComment(view)
    const notice = await moderate(view, 'delete', [id])
    return view.redirect(notice.kind === 'done' ? view.url('comments') : view.url(view.path), notice)
  },
}

async function save(view: AdminView, headers: HeaderMap): Promise<SitePage | AdminContent> {
  const comment = await readComment(view)
  const values = Object.fromEntries(FIELDS.map((name) => [name, view.text(name)]))
  const { changed, lost } = formChanges(view, values, valuesOf(comment))
  if (lost.length > 0) {
    // The page contains the current values as initial values, so submitting it again overwrites the other user's
    // changes.
    return { ...(await renderPage(view, comment, { values, wrong: lostErrors(view, lost) })), status: 409 }
  }
  try {
    await view.ask('POST', `comments/${comment.id}`, { body: changed, headers })
    return view.redirect(view.url(view.path), { kind: 'done', text: view.t('Comment updated.') })
  } catch (error) {
    if (!(error instanceof RestError) || isOvertaken(error)) throw error
    const wrong = errorsByPath(error)
    const message = Object.keys(wrong).length > 0 ? undefined : error.message
    return { ...(await renderPage(view, comment, { values, wrong, message })), status: error.status }
  }
}

const FIELDS = ['author_name', 'author_email', 'author_url', 'content', 'status'] as const

async function readComment(view: AdminView): Promise<CommentData> {
  const id = Number.parseInt(view.params['id'] ?? '', 10) || 0
  const { data } = await view.ask<CommentData>('GET', `comments/${id}`, { query: { context: 'edit' } })
  // Notes are edited in the editor of their post.
  if (data.type === 'note') throw errors.admin_page_not_found()
  return data
}

function valuesOf(comment: CommentData): Record<string, string> {
  const { author_email: email, author_url: url, content, status } = comment
  return {
    author_name: plainText(comment.author_name),
    author_email: email,
    author_url: url,
    content: content.raw,
    status,
  }
}

interface Shown {
  /** Values of the fields; defaults to the stored values. */
  readonly values?: Readonly<Record<string, string>>
  readonly wrong?: Readonly<Record<string, string>>
  readonly message?: string | undefined
  readonly reply?: string
}

async function renderPage(
  view: AdminView,
  comment: CommentData,
  { values = valuesOf(comment), wrong = {}, message, reply = '' }: Shown = {},
): Promise<AdminContent> {
  const { t } = view
  const post = (await postsOf(view, [comment])).get(comment.post)
  const text = (name: string, label: string, type: string) =>
    textField({ name, label, value: values[name] ?? '', type, error: wrong[name] })
  const isOpen = comment.status === 'approved' || comment.status === 'hold'
  return {
    title: t('Comment by {name}', { name: shortened(authorOf(view, comment), 60) }),
    main: html`
      ${message === undefined ? null : noticeHtml({ kind: 'error', text: t(message) })}
      <dl class="facts">
        <dt>${t('In response to')}</dt>
        <dd dir="auto">
          ${
            post === undefined
              ? `#${comment.post}`
              : html`<a href="${view.plugin.services.admin.editUrl(post.type, post.id)}">${shortened(post.title)}</a>`
          }
        </dd>
        <dt>${t('Date')}</dt>
        <dd>${view.date(comment.date_gmt)}</dd>
        ${
          comment.author_ip === ''
            ? null
            : html`<dt>${t('IP address')}</dt>
                <dd>${comment.author_ip}</dd>`
        }
      </dl>
      <form method="post" action="${view.url(view.path)}" data-guard>
        ${view.formFields()} ${shownValues(valuesOf(comment))} ${text('author_name', t('Name'), 'text')}
        ${text('author_email', t('Email address'), 'email')} ${text('author_url', t('URL'), 'url')}
        ${textArea({
          name: 'content',
          label: t('Comment'),
          value: values['content'] ?? '',
          rows: 8,
          required: true,
          error: wrong['content'],
        })}
        ${selectField({
          name: 'status',
          label: t('Status'),
          value: values['status'] ?? '',
          choices: [
            { value: 'approved', label: t('comment status|Approved') },
            { value: 'hold', label: t('comment status|Pending') },
            { value: 'spam', label: t('Spam') },
            { value: 'trash', label: t('Trash') },
          ],
          error: wrong['status'],
        })}
        <p class="actions">
          <button type="submit" class="primary">${t('Save')}</button>
          <a href="${view.url('comments')}">${t('← Back to list')}</a>
        </p>
      </form>
      ${
        isOpen
          ? html`<section id="reply">
              <h2>${t('Reply')}</h2>
              <blockquote class="comment-text" dir="auto">${shortened(textOf(comment), 1000)}</blockquote>
              <form method="post" action="${view.url(view.path)}">
                ${view.formFields('reply')}
                ${textArea({ name: 'reply', label: t('Your reply'), value: reply, required: true })}
                <button type="submit">${t('Submit reply')}</button>
              </form>
            </section>`
          : null
      }
      <section>
        <h2>${t('Delete')}</h2>
        <p>${t('Replies move up one level.')}</p>
        ${view.button(t('Delete permanently'), 'delete', {}, html` class="danger" data-confirm="${t('This can’t be undone.')}"`)}
      </section>
    `,
  }
}
