import { applyFilter, applySyncFilter, cleanText, type PluginContext, type RestRequest } from '../../../kernel/index.ts'
import { formatUtc, localFromUtc, type ResourceInput } from '../../resources/index.ts'
import { rawText } from '../posts/index.ts'
import { authorName, defaultAuthor, namedAuthor, singleLine } from './author.ts'
import { markLinks } from './autolink.ts'
import { collectionQuery } from './collection-query.ts'
import type { Comment, CommentChange, CommentState, NewComment } from './comment.ts'
import { dateOf, zoneOf } from './dates.ts'
import { errors } from './errors.ts'
import type { CommentQuery } from './query.ts'
import { NOTE, NOTE_STATUSES, noteStatusName } from './visibility.ts'

/** Maximum lengths in characters; for `content` in bytes. */
const MAX_LENGTH = { author_name: 245, author_email: 100, author_url: 200, content: 65_525 } as const
/** Characters of a user agent that are stored. */
const AGENT_LENGTH = 254

/** Stored states for the values of `status`. */
const STATES: Readonly<Record<string, CommentState | 'previous'>> = {
  approved: '1',
  approve: '1',
  '1': '1',
  hold: '0',
  unapproved: '0',
  unapprove: '0',
  '0': '0',
  spam: 'spam',
  trash: 'trash',
  unspam: 'previous',
  untrash: 'previous',
}

/** Validates and sanitizes the parameters of comment requests. */
export class CommentInput implements ResourceInput<Comment, CommentQuery, CommentChange> {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  queryOf(request: RestRequest): Promise<CommentQuery> {
    return collectionQuery(this.#plugin.services, request)
  }

  /**
   * Returns the comment that a request creates. The requesting user is its author unless a moderator names another one.
   * @throws rest_comment_exists, rest_comment_content_invalid, rest_comment_author_data_required,
   * comment_content_column_length …
   */
  async #newComment(request: RestRequest): Promise<NewComment> {
    // Forms send empty values for fields that are not set.
    const { id, type } = request.requestParams()
    if (id) throw errors.rest_comment_exists()
    const types = applySyncFilter(this.#plugin.hooks.rest_comment_types, ['comment'])
    if (type && !types.includes(type as string)) throw errors.rest_invalid_comment_type()
    const { approved, ...fields } = await this.#readFields(request, null)
    if (approved === 'previous') throw errors.rest_comment_failed_edit(String(request.get('status')))
    const comment: NewComment = {
      ...(await this.#defaults(request)),
      ...(await defaultAuthor(this.#plugin, fields, request)),
      ...fields,
      ...(type === NOTE && { type: NOTE, approved: '1' }),
      ...(approved !== undefined && { approved }),
    }
    if (type !== NOTE || !setsNoteStatus(this.#plugin, request)) checkContent(comment)
    const required = await this.#plugin.services.options.get('require_name_email', true)
    if (required && comment.author_id === 0 && (comment.author_name === '' || comment.author_email === ''))
      throw errors.rest_comment_author_data_required()
    checkLengths(comment)
    return comment
  }

  /**
   * Returns the changes that a request makes to a comment, or the comment that it creates.
   * @throws rest_comment_invalid_type, rest_comment_content_invalid …
   */
  async changeOf(request: RestRequest, before: Comment | null): Promise<CommentChange> {
    if (before === null) return this.#newComment(request)
    const { type } = request.requestParams()
    if ((type ?? before.type) !== before.type) throw errors.rest_comment_invalid_type()
    const change = await this.#readFields(request, before)
    if (change.content !== undefined) checkContent(change)
    checkLengths(change)
    return change
  }

  /**
   * Reads the fields that a request sets.
   * @param before the stored comment; null for a new one
   * @throws rest_comment_failed_edit for an unknown status
   */
  async #readFields(request: RestRequest, before: Comment | null): Promise<CommentChange> {
    const plugin = this.#plugin
    const change: CommentChange = {}
    const setIfPresent = <V>(name: string, set: (value: V) => void) => {
      const value = request.hasParam(name) ? (request.get(name) as V | undefined) : undefined
      if (value !== undefined) set(value)
    }
    const raw = request.hasParam('content') ? rawText(request.get('content')) : undefined
    if (raw !== undefined) change.content = await this.#safeContent(raw, request)
    setIfPresent<number>('post', (id) => (change.post_id = id))
    setIfPresent<number>('parent', (id) => (change.parent_id = id))
    Object.assign(change, await namedAuthor(plugin, request, before))
    setIfPresent<string>('author_name', (name) => (change.author_name = authorName(plugin, name)))
    setIfPresent<string>('author_email', (email) => (change.author_email = email))
    setIfPresent<string>('author_url', (url) => (change.author_url = url))
    setIfPresent<string>('author_ip', (ip) => (change.author_ip = ip))
    setIfPresent<string>('author_user_agent', (agent) => (change.author_agent = agentOf(agent)))
    Object.assign(change, await dateOf(plugin.services, request, before))
    setIfPresent<string>('status', (status) => (change.approved = stateOf(status)))
    return applyFilter(plugin.hooks.rest_preprocess_comment, change, request)
  }

  /** Returns a new comment with the defaults of a visitor's request. */
  async #defaults(request: RestRequest): Promise<NewComment> {
    const now = formatUtc(Math.floor(Date.now() / 1000))
    return {
      post_id: 0,
      parent_id: 0,
      author_id: 0,
      author_name: '',
      author_email: '',
      author_url: '',
      author_ip: request.ip,
      author_agent: agentOf(request.headers.get('user-agent') ?? ''),
      date: localFromUtc(now, await zoneOf(this.#plugin.services)) ?? now,
      date_gmt: now,
      content: '',
      type: 'comment',
    }
  }

  /**
   * Filters the HTML of a comment. Users with `unfiltered_html` may use the HTML allowed in posts, all others the HTML
   * allowed in comments.
   * @throws comment_content_column_length
   */
  async #safeContent(raw: string, { user }: RestRequest): Promise<string> {
    const { services, urls } = this.#plugin
    const trusted = services.capabilities.can(user, 'unfiltered_html')
    const content = await services.html.filterLong(raw.trim(), trusted ? 'post' : 'comment')
    checkLengths({ content })
    return markLinks(content, urls.home)
  }
}

/** Checks whether a note resolves or reopens its thread; such a note needs no text. */
function setsNoteStatus({ branding }: PluginContext, request: RestRequest): boolean {
  const meta = request.get('meta') as Readonly<Record<string, unknown>> | undefined
  return NOTE_STATUSES.includes(meta?.[noteStatusName(branding)] as never)
}

function stateOf(status: string): CommentState | 'previous' {
  const state = Object.hasOwn(STATES, status) ? STATES[status] : undefined
  if (state === undefined) throw errors.rest_comment_failed_edit(status)
  return state
}

function checkContent({ content = '' }: CommentChange): void {
  if (content.trim() === '') throw errors.rest_comment_content_invalid()
}

function checkLengths({ author_name = '', author_email = '', author_url = '', content = '' }: CommentChange): void {
  if (Array.from(author_name).length > MAX_LENGTH.author_name) throw errors.comment_author_column_length()
  if (Array.from(author_email).length > MAX_LENGTH.author_email) throw errors.comment_author_email_column_length()
  if (Array.from(author_url).length > MAX_LENGTH.author_url) throw errors.comment_author_url_column_length()
  if (Buffer.byteLength(content) > MAX_LENGTH.content) throw errors.comment_content_column_length()
}

function agentOf(text: string): string {
  return cleanText(singleLine(text).slice(0, AGENT_LENGTH))
}
