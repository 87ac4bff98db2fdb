import {
  addQuery,
  HeaderMap,
  type RestError,
  RestRequest,
  type CurrentUser,
  type PluginContext,
  type SitePage,
} from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import type { Words } from '../../foundation/translations/index.ts'
import type { Post } from '../../content/posts/index.ts'
import {
  COMMENT_FIELDS,
  COMMENT_TRAP,
  type CommentField,
  type CommentForm,
  type CommentProblem,
} from '../../rendering/core-blocks/index.ts'
import { urlOfComment } from './comments-page.ts'

/** Names of the hidden fields of the form. A comment is refused with 400 if `COMMENT_TRAP` is filled in. */
const POST_FIELD = 'comment_post_ID'
const PARENT_FIELD = 'comment_parent'
const PASSWORD_FIELD = 'post_password'
/** Query parameter with the ID of a comment that awaits moderation; its author is redirected to it. */
const HELD_PARAM = 'comment_held'
export const REPLY_TO_PARAM = 'replytocom'

const ID = /^[1-9]\d{0,14}$/

/** The submitted fields of a comment form. */
export interface SentComment {
  readonly post: number
  readonly parent: number
  readonly password: string
  readonly values: Readonly<Partial<Record<CommentField, string>>>
  readonly nonce: string
  readonly isTrapped: boolean
}

/** The state with which a page renders its comment form. */
export type FormState = Partial<Pick<CommentForm, 'values' | 'problems' | 'parent' | 'isHeld'>> & {
  readonly password?: string
}

/** Parses a submitted comment form. */
export function sentComment({ branding }: PluginContext, form: Readonly<Record<string, unknown>>): SentComment {
  const textOf = (name: string) => (typeof form[name] === 'string' ? form[name] : '')
  return {
    post: idIn(textOf(POST_FIELD)),
    parent: idIn(textOf(PARENT_FIELD)),
    password: textOf(PASSWORD_FIELD),
    values: Object.fromEntries(COMMENT_FIELDS.map((name) => [name, textOf(name)])),
    nonce: textOf(branding.nonceParameter),
    isTrapped: textOf(COMMENT_TRAP) !== '',
  }
}

/**
 * Returns the comment form for the page of a post, or null if the REST API does not expose its type, or without the
 * plugins `login` and `comments`.
 */
export function commentForm(
  { branding, has, services, urls }: PluginContext,
  post: Post,
  { query, user, form = {} }: { query: URLSearchParams; user: CurrentUser; form?: FormState | undefined },
): CommentForm | null {
  if (!has('login') || !has('comments') || services.contentTypes.get(post.type)?.show_in_rest !== true) return null
  const {
    password = '',
    values = {},
    problems = [],
    parent = idIn(query.get(REPLY_TO_PARAM) ?? ''),
    isHeld = false,
  } = form
  return {
    action: urls.site(branding.commentsPath),
    hidden: {
      ...(user.id !== 0 && { [branding.nonceParameter]: services.nonces.create(nonceOf(post.id), user) }),
      ...(password !== '' && { [PASSWORD_FIELD]: password }),
    },
    trap: COMMENT_TRAP,
    values,
    problems,
    parent,
    isHeld,
  }
}

/** Creates comments that are submitted with forms on pages, through the REST API. */
export class CommentForms {
  readonly #plugin: PluginContext
  readonly #ownRequests: WeakSet<RestRequest>

  /** @param ownRequests receives the REST requests that this class creates; visitors may comment with these */
  constructor(plugin: PluginContext, ownRequests: WeakSet<RestRequest>) {
    this.#plugin = plugin
    this.#ownRequests = ownRequests
  }

  /**
   * Creates a comment through the REST API. Refuses a form from another site or with an expired nonce (403), and one
   * with a filled honeypot (400).
   * @param post a post that the user may read
   * @returns a redirect to the comment, or the status and the problems if the comment was refused
   * @throws the error of the REST API if its status is 500 or higher
   */
  async send(
    request: SiteRequest,
    post: Post,
    sent: SentComment,
  ): Promise<SitePage | { status: number; problems: CommentProblem[] }> {
    const { branding, server, services } = this.#plugin
    const { user } = request
    const words = await services.translations.site()
    const refused = (status: number, message: string) => ({ status, problems: [{ field: null, message }] })
    if (services.plainPages.isForeign(request))
      return refused(403, words.t('This form was sent from another site. Submit it again here.'))
    if (user.id !== 0 && services.nonces.verify(sent.nonce, nonceOf(post.id), user) === false)
      return refused(403, words.t('This page has expired. Submit your comment again.'))
    if (sent.isTrapped)
      return refused(400, words.t('A hidden field was filled in. Leave it empty and submit your comment again.'))
    const { author = '', email = '', url = '', comment = '' } = sent.values
    const signed = {
      author_name: author,
      author_email: email.trim(),
      ...(url.trim() !== '' && { author_url: url.trim() }),
    }
    const restRequest = new RestRequest('POST', `/${branding.namespace('v2')}/comments`, {
      json: {
        post: post.id,
        parent: sent.parent,
        content: comment,
        ...(sent.password !== '' && { password: sent.password }),
        ...(user.id === 0 && signed),
      },
      headers: new HeaderMap({ 'User-Agent': request.headers.get('user-agent') ?? '' }),
      parent: request.parent,
    })
    this.#ownRequests.add(restRequest)
    const response = await server.dispatch(restRequest)
    if (response.isError) {
      const { error } = response
      if (error === null || error === undefined || error.status >= 500)
        throw error ?? new Error('The REST API did not create the comment.')
      return { status: error.status, problems: problemsOf(error, sent, words) }
    }
    const { id } = server.responseToData(response) as { id: number }
    return seeOther(await this.#urlOf(id, post, request))
  }

  async #urlOf(id: number, post: Post, { parent, user }: SiteRequest): Promise<string> {
    const { branding, services } = this.#plugin
    const { scope } = parent
    const comment = await services.comments.get(id, scope)
    const url = await services.permalinks.post(post, scope)
    if (comment?.approved === '1')
      return `${await urlOfComment(this.#plugin, comment, url, scope)}#comment-${comment.id}`
    const nonce = services.nonces.create(heldNonce(id), user)
    return `${addQuery(url, { [HELD_PARAM]: id, [branding.nonceParameter]: nonce })}#comment-held`
  }

  /**
   * Whether the page shows the author of a comment that it awaits moderation. The nonce in the URL proves that the
   * author was redirected here after sending it.
   */
  async isHeld({ query, user, parent }: SiteRequest, post: Post): Promise<boolean> {
    const { branding, has, services } = this.#plugin
    const id = idIn(query.get(HELD_PARAM) ?? '')
    const nonce = query.get(branding.nonceParameter) ?? ''
    if (id === 0 || !has('login') || services.nonces.verify(nonce, heldNonce(id), user) === false) return false
    const comment = await services.comments.get(id, parent.scope)
    return comment?.post_id === post.id && comment.approved !== '1'
  }

  /** Whether the URL changes the form on the page, so that the page cannot come from the cache. */
  static hasFormParams(query: URLSearchParams): boolean {
    return query.has(HELD_PARAM) || query.has(REPLY_TO_PARAM)
  }
}

const nonceOf = (post: number) => `comment on ${post}`
const heldNonce = (id: number) => `comment ${id} is held`

function idIn(text: string): number {
  return ID.test(text) ? Number(text) : 0
}

function seeOther(url: string): SitePage {
  return { status: 303, headers: new HeaderMap({ Location: url, 'Cache-Control': 'private, no-store' }), body: null }
}

/** Form fields by the error code of the REST API. */
const FIELDS_BY_ERROR_CODE: Readonly<Record<string, CommentField>> = {
  rest_comment_content_invalid: 'comment',
  comment_content_column_length: 'comment',
  rest_content_too_large: 'comment',
  comment_author_column_length: 'author',
  comment_author_email_column_length: 'email',
  comment_author_url_column_length: 'url',
}
const FIELDS_BY_PARAMETER: Readonly<Record<string, CommentField>> = {
  content: 'comment',
  author_name: 'author',
  author_email: 'email',
  author_url: 'url',
}
/** Messages for values that the REST API refuses. */
const INVALID_VALUE_MESSAGES = {
  comment: 'Enter a comment.',
  author: 'Enter your name.',
  email: 'Enter a valid email address, such as name@example.com.',
  url: 'Enter the full URL of your website, such as https://example.com.',
} as const satisfies Readonly<Record<CommentField, string>>

/** Translates an error of the REST API into problems of the form fields. */
function problemsOf(error: RestError, { values }: SentComment, words: Words): CommentProblem[] {
  const { code, message, data } = error
  if (code === 'rest_comment_author_data_required') {
    const empty = (['author', 'email'] as const).filter((name) => (values[name] ?? '').trim() === '')
    return empty.map((field) => ({ field, message: words.t(INVALID_VALUE_MESSAGES[field]) }))
  }
  const named = Object.keys(data['params'] ?? {}).flatMap((name) => FIELDS_BY_PARAMETER[name] ?? [])
  if (named.length > 0) return named.map((field) => ({ field, message: words.t(INVALID_VALUE_MESSAGES[field]) }))
  if (code === 'rest_comment_content_invalid')
    return [{ field: 'comment', message: words.t(INVALID_VALUE_MESSAGES.comment) }]
  return [{ field: FIELDS_BY_ERROR_CODE[code] ?? null, message: words.t(message) }]
}
