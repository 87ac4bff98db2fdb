import { VISITOR } from '../../../../kernel/index.ts'
import { escapeHtml, escapeHtmlOnce } from '../../../library/markup/index.ts'
import type { Post } from '../../../content/posts/index.ts'
import { plainText } from '../../html/index.ts'
import { urlValue } from '../attributes.ts'
import { pageAround, type CommentField, type CommentForm, type PageContext } from '../page-context.ts'
import { linkOf } from '../post/current-post.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import type { Texts } from '../texts.ts'
import { commentOf } from './current-comment.ts'
import { openPost } from './open-post.ts'
import { visitorForm } from './visitor-form.ts'

/** Fixed properties of an input field. */
interface Field {
  readonly name: CommentField
  readonly label: string
  readonly type: string
  readonly autocomplete: string
  /** Maximum length in characters, as in the REST API. */
  readonly maxLength: number
}

const FIELDS = [
  { name: 'author', label: 'Name', type: 'text', autocomplete: 'name', maxLength: 245 },
  { name: 'email', label: 'Email', type: 'email', autocomplete: 'email', maxLength: 100 },
  { name: 'url', label: 'Website', type: 'url', autocomplete: 'url', maxLength: 200 },
] as const satisfies readonly Field[]
const MAX_COMMENT_LENGTH = 65_525
/** Marks required fields; screen readers announce the attribute `required` instead. */
const REQUIRED = '<span class="required" aria-hidden="true">*</span>'

/** Renders the comment form on the page of its post and in post content; elsewhere, a link to it. */
export const renderCommentsForm: Renderer = async (block, rendering) => {
  const post = await openPost(block, rendering)
  if (post === undefined || !(await rendering.plugin.services.comments.isOpen(post))) return ''
  const page = pageAround(rendering)
  if (page === null) {
    // Content does not contain passwords of posts.
    const form = post.password === '' ? await visitorForm(rendering.plugin) : null
    if (form === null) return loginHint(block, rendering, null)
    return formOf(block, rendering, post, { user: VISITOR, url: '' }, form)
  }
  if (page.post?.id !== post.id) {
    const url = urlValue(`${await linkOf(post, rendering)}#respond`)
    const { t } = await rendering.texts()
    return framed(block, t('Leave a reply'), `<p><a href="${url}">${t('Leave a reply')}</a></p>`, '')
  }
  const needsLogin = page.user.id === 0 && (await rendering.plugin.services.options.get('comment_registration', false))
  if (needsLogin) return loginHint(block, rendering, page)
  if (page.commentForm === null) return ''
  return formOf(block, rendering, post, page, page.commentForm)
}

/** Renders the login link for readers who must log in to comment. */
async function loginHint(block: CoreBlock, rendering: Rendering, page: PageContext | null): Promise<string> {
  const { branding, urls } = rendering.plugin
  const { t } = await rendering.texts()
  const back = page === null ? '' : `?redirect_to=${encodeURIComponent(page.url)}`
  const login = urlValue(`${urls.site(branding.loginPath)}${back}`)
  const link = `<a rel="nofollow" href="${login}">${t('Log in')}</a>`
  const text = `<p class="must-log-in">${t('{link} to leave a reply.', { link })}</p>`
  return framed(block, t('Leave a reply'), text, '')
}

function framed(block: CoreBlock, title: string, body: string, suffix: string): string {
  return (
    `<div ${wrapperAttributes(block, { class: 'comment-respond', id: 'respond' })}>` +
    `<h3 id="reply-title" class="comment-reply-title">${title}${suffix}</h3>${body}</div>`
  )
}

async function formOf(
  block: CoreBlock,
  rendering: Rendering,
  post: Post,
  page: Pick<PageContext, 'url' | 'user'>,
  form: CommentForm,
): Promise<string> {
  const { t } = await rendering.texts()
  const needsNames = Boolean(await rendering.plugin.services.options.get('require_name_email', true))
  const replied = form.parent === 0 ? undefined : await commentOf({ context: { commentId: form.parent } }, rendering)
  const parent = replied?.post_id === post.id ? replied : undefined
  const name = parent === undefined ? '' : unrun(escapeHtmlOnce(parent.author_name)) || t('Anonymous')
  const title = parent === undefined ? t('Leave a reply') : t('Reply to {name}', { name })
  const cancel = `<small> <a rel="nofollow" id="cancel-comment-reply-link" href="${urlValue(`${page.url}#respond`)}">${t('Cancel reply')}</a></small>`
  const hidden = { comment_post_ID: String(post.id), comment_parent: String(parent?.id ?? 0), ...form.hidden }
  // Logged-in users do not enter name and email.
  const signature =
    page.user.id === 0
      ? FIELDS.map((field) => input({ ...field, label: t(field.label) }, form, needsNames)).join('')
      : ''
  const body =
    notice(form, t) +
    `<form action="${urlValue(form.action)}" method="post" id="commentform" class="comment-form" aria-labelledby="reply-title">` +
    `<p class="comment-notes">${page.user.id === 0 ? `<span id="email-notes">${t('Your email address will not be published.')}</span> ` : ''}` +
    `<span class="required-field-message">${t('Required fields are marked {mark}', { mark: REQUIRED })}</span></p>` +
    textarea(form, t) +
    signature +
    `<p class="screen-reader-text" aria-hidden="true"><label for="${form.trap}">${t('Leave this field empty')}</label>` +
    `<input type="text" id="${form.trap}" name="${form.trap}" value="" tabindex="-1" autocomplete="off"></p>` +
    Object.entries(hidden)
      .map(([key, value]) => `<input type="hidden" name="${escapeHtml(key)}" value="${written(value)}">`)
      .join('') +
    (await privacyLink(rendering)) +
    `<p class="form-submit ${rendering.mark}-block-button"><input type="submit" id="submit" class="${rendering.mark}-block-button__link ${rendering.mark}-element-button" value="${t('Post comment')}"></p></form>`
  return framed(block, title, body, parent === undefined ? '' : cancel)
}

/** Renders the link to the page with the privacy policy; `''` if the site has none. */
async function privacyLink(rendering: Rendering): Promise<string> {
  const page = await rendering.plugin.services.posts.privacyPage(rendering.scope)
  if (page === null) return ''
  return `<p class="comment-form-privacy"><a href="${urlValue(await linkOf(page, rendering))}">${escapeHtml(plainText(page.title))}</a></p>`
}

/** Renders the result of the last submission. */
function notice({ problems, isHeld }: CommentForm, t: Texts['t']): string {
  if (isHeld)
    return `<p role="status" id="comment-held" class="comment-awaiting-moderation" tabindex="-1">${t('Your comment is awaiting moderation. It will be visible after it has been approved.')}</p>`
  if (problems.length === 0) return ''
  const focus = problems.some(({ field }) => field !== null) ? '' : ' tabindex="-1" autofocus'
  const lines = problems.map(({ field, message }) => {
    const text = written(message)
    return field === null ? `<li>${text}</li>` : `<li><a href="#${idOf(field)}">${text}</a></li>`
  })
  return `<div role="alert" class="comment-problems"${focus}><p>${t('Your comment couldn’t be submitted:')}</p><ul>${lines.join('')}</ul></div>`
}

function textarea(form: CommentForm, t: Texts['t']): string {
  return (
    `<p class="comment-form-comment">${label('comment', t('Comment'), true)} ` +
    `<textarea id="${idOf('comment')}" name="comment" cols="45" rows="8" maxlength="${MAX_COMMENT_LENGTH}" required${state('comment', form)}>` +
    // Browsers drop the first line break of a textarea.
    `\n${written(form.values.comment ?? '')}</textarea>${explanation('comment', form)}</p>`
  )
}

function input(
  { name, label: text, type, autocomplete, maxLength }: Field,
  form: CommentForm,
  needsNames: boolean,
): string {
  const isRequired = needsNames && name !== 'url'
  return (
    `<p class="comment-form-${name}">${label(name, text, isRequired)} ` +
    `<input id="${idOf(name)}" name="${name}" type="${type}" value="${written(form.values[name] ?? '')}" size="30" ` +
    `maxlength="${maxLength}" autocomplete="${autocomplete}"${isRequired ? ' required' : ''}${state(name, form)}>${explanation(name, form)}</p>`
  )
}

function label(name: CommentField, text: string, isRequired: boolean): string {
  const mark = isRequired ? ` ${REQUIRED}` : ''
  return `<label for="${idOf(name)}">${text}${mark}</label>`
}

/** Returns attributes that mark an invalid field, also for screen readers; the first invalid field gets the focus. */
function state(name: CommentField, { problems }: CommentForm): string {
  const problem = problems.find(({ field }) => field === name)
  if (problem === undefined) return ''
  const isFirst = problems.find(({ field }) => field !== null) === problem
  return ` aria-invalid="true" aria-describedby="${idOf(name)}-problem"${isFirst ? ' autofocus' : ''}`
}

function explanation(name: CommentField, { problems }: CommentForm): string {
  const problem = problems.find(({ field }) => field === name)
  if (problem === undefined) return ''
  return ` <span id="${idOf(name)}-problem" class="comment-problem">${written(problem.message)}</span>`
}

/** The prefix keeps the ID distinct from heading anchors in the post. */
const idOf = (name: CommentField) => `comment-field-${name}`

/** Escapes text of comment authors for use in an element or an attribute. */
function written(text: string): string {
  return unrun(escapeHtml(text))
}

/** Escapes shortcodes in HTML. */
function unrun(html: string): string {
  return html.replaceAll('[', '&#91;')
}
