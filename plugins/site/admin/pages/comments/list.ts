import type { SitePage } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminContent, ListColumn } from '../../admin.ts'
import { errors } from '../../errors.ts'
import type { Notice } from '../../frame/notice.ts'
import type { AdminView } from '../../frame/view.ts'
import { changeEach, changesNotice, chosenIds, readUndo, undoOf } from '../../parts/changes.ts'
import type { Choice } from '../../parts/fields.ts'
import { filtersHtml, tabsHtml, totalOf } from '../../parts/filters.ts'
import { listHtml, MAX_PER_PAGE, pageQuery, pagingOf, shortened } from '../../parts/list.ts'
import { rowActionOf, type RowAction } from '../../parts/row-actions.ts'
import { authorOf, postsOf, textOf, type CommentData, type CommentedPost } from './comments.ts'

/** Maximum characters of a comment in the list; longer texts end with an ellipsis. */
const MAX_TEXT_LENGTH = 500

/** Lists the comments of the site without editorial notes. */
export async function show(view: AdminView): Promise<AdminContent> {
  const { t, query } = view
  const get = (name: string) => query.get(name)?.trim() || undefined
  const status = get('status') ?? 'all'
  const order = query.get('order') === 'asc' ? 'asc' : 'desc'
  const filters = { search: get('search'), post: get('post'), type: get('type') === 'pings' ? 'pings' : 'comment' }
  const [answer, tabs] = await Promise.all([
    view.ask<CommentData[]>('GET', 'comments', {
      query: { context: 'edit', status, ...filters, ...pageQuery(view), orderby: 'date_gmt', order },
    }),
    tabsOf(view, status, filters),
  ])
  const posts = await postsOf(view, answer.data)
  const postField = {
    name: 'post',
    label: t('Post ID'),
    attributes: html` inputmode="numeric" pattern="[0-9]*" size="8"`,
  }
  const list = await listHtml(view, {
    name: 'comments',
    caption: t('Comments'),
    items: answer.data,
    idOf: ({ id }) => id,
    titleOf: (comment) =>
      t('Comment by {name}: {text}', { name: authorOf(view, comment), text: shortened(textOf(comment), 60) }),
    columns: columnsOf(view, posts),
    empty: t('No comments found.'),
    bulk: bulkChoices(view, status),
    rowActions: (comment) => rowActionsOf(view, comment),
    orderby: 'date_gmt',
    order,
    paging: pagingOf(view, answer),
  })
  const kinds = tabsHtml(
    t('Comment type'),
    [
      { label: t('Comments'), type: undefined },
      { label: t('Pings'), type: 'pings' },
    ].map(({ label, type }) => ({
      label,
      count: null,
      href: view.here({ type, cursor: undefined }),
      isHere: (type ?? 'comment') === filters.type,
    })),
  )
  return {
    main: html`${tabs}${kinds}${filtersHtml(view, { search: t('Search'), fields: [postField] })}${list}`,
    scripts: ['core/lists.js', 'core/partial.js'],
    styles: ['core/lists.css'],
  }
}

async function tabsOf(
  view: AdminView,
  status: string,
  { post, type }: Readonly<Record<'post' | 'type', string | undefined>>,
): Promise<PageHtml> {
  const { t } = view
  const parts = [
    { name: 'all', label: t('comments|All') },
    { name: 'hold', label: t('comment status|Pending') },
    { name: 'approve', label: t('comment status|Approved') },
    { name: 'spam', label: t('Spam') },
    { name: 'trash', label: t('Trash') },
  ]
  const tabs = await Promise.all(
    parts.map(async ({ name, label }) => ({
      label,
      count: await totalOf(view, 'comments', { context: 'edit', status: name, post, type }),
      href: view.here({ status: name === 'all' ? undefined : name, cursor: undefined }),
      isHere: name === status,
    })),
  )
  return tabsHtml(t('Filter by status'), tabs)
}

function columnsOf(view: AdminView, posts: ReadonlyMap<number, CommentedPost>): ListColumn<CommentData>[] {
  const { t } = view
  return [
    {
      name: 'author',
      label: 'Author',
      cell: (comment) => {
        const { author_email: email, author_ip: ip } = comment
        // Email and IP address need no check: all users who can open this list can read them.
        const details = [email, ip].filter((text) => text !== '')
        return html`<span dir="auto">${shortened(authorOf(view, comment))}</span>
          ${details.map((text) => html`<br /><span class="above">${shortened(text)}</span>`)}`
      },
    },
    {
      name: 'comment',
      label: 'Comment',
      cell: (comment) => html`
        ${comment.status === 'hold' ? html`<span class="badge">${t('comment status|Pending')}</span>` : null}
        ${comment.parent === 0 ? null : html`<a href="${view.url(`comments/${comment.parent}`)}">${t('In reply to another comment')}</a>`}
        <div class="comment-text" dir="auto">${shortened(textOf(comment), MAX_TEXT_LENGTH)}</div>
      `,
    },
    {
      name: 'post',
      label: 'In response to',
      cell: ({ post: id }) => {
        const post = posts.get(id)
        const title = post === undefined ? `#${id}` : shortened(post.title)
        return html`<a href="${view.url('comments', { post: id })}" dir="auto">${title}</a>`
      },
    },
    { name: 'date', label: 'Date', orderby: 'date_gmt', cell: ({ date_gmt: date }) => view.date(date) },
  ]
}

function bulkChoices({ t }: AdminView, status: string): Choice[] {
  const approve = { value: 'approve', label: t('Approve') }
  const hold = { value: 'hold', label: t('Unapprove') }
  const spam = { value: 'spam', label: t('Mark as spam') }
  const trash = { value: 'trash', label: t('Move to trash') }
  const remove = { value: 'delete', label: t('Delete permanently') }
  if (status === 'trash') return [{ value: 'untrash', label: t('Restore') }, spam, remove]
  if (status === 'spam') return [{ value: 'unspam', label: t('Not spam') }, trash, remove]
  if (status === 'approve') return [hold, spam, trash]
  return status === 'hold' ? [approve, spam, trash] : [approve, hold, spam, trash]
}

function rowActionsOf(view: AdminView, comment: CommentData): RowAction[] {
  const { t, plugin } = view
  const { id, status } = comment
  const path = `/${plugin.branding.namespace('v2')}/comments/${id}`
  const to = (action: string, label: string, done: string, undo: string): RowAction => ({
    label,
    action,
    quick: { method: 'POST', path, body: { status: action }, done, undo: { status: undo } },
  })
  const confirm = t('Permanently delete the comment by {name}? This can’t be undone.', {
    name: shortened(authorOf(view, comment), 60),
  })
  const remove: RowAction = {
    label: t('Delete permanently'),
    action: 'delete',
    confirm,
    quick: { method: 'DELETE', path: `${path}?force=true`, done: t('Permanently deleted.') },
  }
  const edit = { label: t('Edit'), href: view.url(`comments/${id}`) }
  if (status === 'trash') return [edit, to('untrash', t('Restore'), t('Comment restored.'), 'trash'), remove]
  if (status === 'spam') return [edit, to('unspam', t('Not spam'), t('Comment restored.'), 'spam'), remove]
  const isHeld = status === 'hold'
  return [
    // Without `quick`, because approving changes the counts of the tabs: the page is loaded again.
    isHeld ? { label: t('Approve'), action: 'approve' } : { label: t('Unapprove'), action: 'hold' },
    { label: t('Reply'), href: `${view.url(`comments/${id}`)}#reply` },
    edit,
    to('spam', t('Mark as spam'), t('Comment marked as spam.'), 'unspam'),
    {
      ...to('trash', t('action|Trash'), t('Comment moved to trash.'), 'untrash'),
      quick: { method: 'DELETE', path, done: t('Comment moved to trash.'), undo: { status: 'untrash' } },
    },
  ]
}

const SUCCESS_TEXTS = {
  approve: (view: AdminView, number: number) => view.count(number, '1 comment approved.', '{count} comments approved.'),
  hold: (view: AdminView, number: number) =>
    view.count(number, '1 comment moved to pending.', '{count} comments moved to pending.'),
  spam: (view: AdminView, number: number) =>
    view.count(number, '1 comment marked as spam.', '{count} comments marked as spam.'),
  unspam: (view: AdminView, number: number) =>
    view.count(number, '1 comment marked as not spam.', '{count} comments marked as not spam.'),
  trash: (view: AdminView, number: number) =>
    view.count(number, '1 comment moved to trash.', '{count} comments moved to trash.'),
  untrash: (view: AdminView, number: number) => view.count(number, '1 comment restored.', '{count} comments restored.'),
  delete: (view: AdminView, number: number) =>
    view.count(number, '1 comment permanently deleted.', '{count} comments permanently deleted.'),
} as const
type Action = keyof typeof SUCCESS_TEXTS

/** The inverse of each action that can be undone. */
const INVERSE_ACTIONS: Readonly<Partial<Record<Action, Action>>> = { trash: 'untrash', spam: 'unspam' }

const isAction = (name: string): name is Action => Object.hasOwn(SUCCESS_TEXTS, name)

/** Handlers of the forms on the page. */
export const actions = {
  ...Object.fromEntries(
    Object.keys(SUCCESS_TEXTS).map((name) => [
      name,
      async (view: AdminView) => view.redirect(view.here(), await moderate(view, name as Action, chosenIds(view))),
    ]),
  ),
  async row(view: AdminView): Promise<SitePage> {
    const { action, id } = rowActionOf(view)
    if (!isAction(action)) throw errors.admin_action_unknown()
    return view.redirect(view.here(), await moderate(view, action, chosenIds(view, [id])))
  },
  /** Restores comments from the trash or from spam. */
  async undo(view: AdminView): Promise<SitePage> {
    const [action = '', ids = ''] = readUndo(view).split(':')
    if (!isAction(action)) throw errors.admin_action_unknown()
    return view.redirect(view.here(), await moderate(view, action, chosenIds(view, ids.split(','))))
  },
}

/** Performs an action on comments and returns a notice with the result. */
export async function moderate(view: AdminView, action: Action, ids: readonly number[]): Promise<Notice> {
  const names = await namesOf(view, ids)
  const changes = await changeEach(
    ids,
    (id) => names.get(id) ?? `#${id}`,
    (id) => {
      const path = `comments/${id}`
      if (action === 'delete') return view.ask('DELETE', path, { query: { force: true } })
      if (action === 'trash') return view.ask('DELETE', path)
      return view.ask('POST', path, { body: { status: action } })
    },
  )
  const notice = changesNotice(view, changes, (number) => SUCCESS_TEXTS[action](view, number))
  const back = INVERSE_ACTIONS[action]
  if (back === undefined || changes.done.length === 0) return notice
  return { ...notice, undo: undoOf(view, `${back}:${changes.done.join()}`) }
}

async function namesOf(view: AdminView, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const query = { include: ids, status: 'any', context: 'edit', per_page: MAX_PER_PAGE, _fields: 'id,author_name' }
  const found = (await view.find<CommentData[]>('comments', { query })) ?? []
  return new Map(found.map((comment) => [comment.id, authorOf(view, comment)]))
}
