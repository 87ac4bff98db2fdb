import {
  applyFilter,
  cleanText,
  datePair,
  formatUtc,
  localFromUtc,
  sanitizeValue,
  type PluginContext,
  type RestRequest,
  type TimeZone,
} from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import { markLinks } from './autolink.ts'
import type { Comment } from './reader.ts'
import type { CommentChange, CommentState, NewComment } from './writer.ts'

/** What the parts of a comment hold at most: characters, and bytes for its content. */
const LONGEST = { author_name: 245, author_email: 100, author_url: 200, content: 65_525 } as const
/** Programs tell as much of themselves as they like. */
const LONGEST_AGENT = 254

/** Who wrote a comment. */
type Author = Pick<CommentChange, 'author_id' | 'author_name' | 'author_email' | 'author_url'>

/** What requests call the states. */
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

/** A text as a name: one line without HTML, safe to stand in a page. */
export function plainName({ services }: PluginContext, text: string): string {
  return services.html.filter(textOf(text), 'strip')
}

/**
 * What a request gives of a comment, made safe to store.
 * @param before the comment that changes; null for a new one
 * @throws rest_comment_author_invalid for a user who is not there, rest_comment_failed_edit for an unknown status
 */
export async function givenComment(
  plugin: PluginContext,
  request: RestRequest,
  before: Comment | null,
): Promise<CommentChange> {
  const change: CommentChange = {}
  const given = (name: string) => (request.given(name) ? request.get(name) : undefined)
  const text = (name: string) => given(name) as string | undefined
  const number = (name: string) => given(name) as number | undefined

  const content = given('content') as string | { raw?: string } | undefined
  const raw = typeof content === 'string' ? content : content?.raw
  if (raw !== undefined) change.content = await safeContent(plugin, raw, request)
  if (number('post') !== undefined) change.post_id = number('post')!
  if (number('parent') !== undefined) change.parent_id = number('parent')!
  Object.assign(change, await givenAuthor(plugin, request))
  if (text('author_name') !== undefined) change.author_name = plainName(plugin, text('author_name')!)
  if (text('author_email') !== undefined) change.author_email = text('author_email')!
  if (text('author_url') !== undefined) change.author_url = text('author_url')!
  if (text('author_ip') !== undefined) change.author_ip = text('author_ip')!
  if (text('author_user_agent') !== undefined) change.author_agent = agentOf(text('author_user_agent')!)
  Object.assign(change, await givenDate(plugin, request, before))
  const status = text('status')
  if (status !== undefined) {
    const state = Object.hasOwn(STATES, status) ? STATES[status] : undefined
    if (state === undefined) throw errors.rest_comment_failed_edit(status)
    change.approved = state
  }
  return applyFilter(plugin.hooks.rest_preprocess_comment, change, request)
}

/**
 * The comment that a request makes. Who is logged in signs with their account, unless somebody who moderates says who
 * the author is.
 * @throws rest_comment_content_invalid, rest_comment_author_data_required, comment_content_column_length …
 */
export async function newComment(plugin: PluginContext, request: RestRequest): Promise<NewComment> {
  const { services } = plugin
  const { approved, ...given } = await givenComment(plugin, request, null)
  if (approved === 'previous') throw errors.rest_comment_failed_edit(String(request.get('status')))
  const now = formatUtc(Math.floor(Date.now() / 1000))
  const zone = await services.options.get<TimeZone>('timezone', 'UTC')
  const comment: NewComment = {
    post_id: 0,
    parent_id: 0,
    author_id: 0,
    author_name: '',
    author_email: '',
    author_url: '',
    author_ip: request.ip,
    author_agent: agentOf(request.headers.get('user-agent') ?? ''),
    date: localFromUtc(now, zone) ?? now,
    date_gmt: now,
    content: '',
    type: 'comment',
    ...(await ownName(plugin, given, request)),
    ...given,
    ...(approved !== undefined && { approved }),
  }
  checkContent(comment)
  const required = await services.options.get('require_name_email', true)
  if (required && comment.author_id === 0 && (comment.author_name === '' || comment.author_email === '')) {
    throw errors.rest_comment_author_data_required()
  }
  checkLengths(comment)
  return comment
}

/** @throws rest_comment_content_invalid, comment_content_column_length … */
export function checkChange(change: CommentChange): void {
  if (change.content !== undefined) checkContent(change)
  checkLengths(change)
}

/**
 * A date of a request as it is stored, in the time zone of the site and in UTC; null where it gives none, or the one
 * that the comment has: the site may have been in another zone then.
 */
export async function givenDate(
  { services }: PluginContext,
  request: RestRequest,
  before: Pick<Comment, 'date'> | null,
): Promise<Pick<Comment, 'date' | 'date_gmt'> | null> {
  const zone = await services.options.get<TimeZone>('timezone', 'UTC')
  const [local, utc] = [request.get('date'), request.get('date_gmt')]
  const pair = local !== undefined ? datePair(local, zone) : datePair(utc, zone, { utc: true })
  const isUnchanged = local !== undefined && pair?.[0] === before?.date
  return pair === null || isUnchanged ? null : { date: pair[0], date_gmt: pair[1] }
}

async function givenAuthor(plugin: PluginContext, request: RestRequest): Promise<Author> {
  const id = request.get('author') as number | undefined
  if (id === undefined) return {}
  if (id === 0) return { author_id: 0 }
  return accountOf(plugin, id, request)
}

async function accountOf(plugin: PluginContext, id: number, request: RestRequest): Promise<Author> {
  const user = await plugin.services.users.get(id, request.scope)
  if (user === undefined) throw errors.rest_comment_author_invalid()
  const { name, email, url } = user
  return { author_id: id, author_name: plainName(plugin, name), author_email: email, author_url: url }
}

/** The account of who asks, where the request says nothing else of the author. */
async function ownName(plugin: PluginContext, given: CommentChange, request: RestRequest): Promise<Author> {
  const { user } = request
  if (user.id === 0) return {}
  const named = [given.author_name, given.author_email, given.author_url].some(
    (text) => text !== undefined && text !== '',
  )
  const moderates = plugin.services.capabilities.can(user, 'moderate_comments')
  if (given.author_id !== undefined || (named && moderates)) return {}
  return accountOf(plugin, user.id, request)
}

/**
 * Nobody writes just any HTML in comments; who may write it elsewhere may use here what stands in posts.
 * @throws comment_content_column_length
 */
async function safeContent({ services, urls }: PluginContext, raw: string, { user }: RestRequest): Promise<string> {
  const trusted = services.capabilities.can(user, 'unfiltered_html')
  const content = await services.html.filterLong(raw.trim(), trusted ? 'post' : 'comment')
  checkLengths({ content })
  return markLinks(content, urls.home)
}

function checkContent({ content = '' }: CommentChange): void {
  if (content.trim() === '') throw errors.rest_comment_content_invalid()
}

function checkLengths({ author_name = '', author_email = '', author_url = '', content = '' }: CommentChange): void {
  if (Array.from(author_name).length > LONGEST.author_name) throw errors.comment_author_column_length()
  if (Array.from(author_email).length > LONGEST.author_email) throw errors.comment_author_email_column_length()
  if (Array.from(author_url).length > LONGEST.author_url) throw errors.comment_author_url_column_length()
  if (Buffer.byteLength(content) > LONGEST.content) throw errors.comment_content_column_length()
}

function textOf(text: string): string {
  return sanitizeValue(text, { type: 'string', format: 'text-field' }) as string
}

function agentOf(text: string): string {
  return cleanText(textOf(text).slice(0, LONGEST_AGENT))
}
