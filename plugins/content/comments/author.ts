import { sanitizeValue } from '../../requests/arguments/index.ts'
import type { PluginContext, RestRequest } from '../../../kernel/index.ts'
import type { Comment, CommentChange } from './comment.ts'
import { errors } from './errors.ts'

type Author = Pick<CommentChange, 'author_id' | 'author_name' | 'author_email' | 'author_url'>

/**
 * Returns the author whose account ID the request names, or an empty object if it names none.
 * @param before the stored comment, the account of whose author can have been deleted; null for a new one
 */
export async function namedAuthor(
  plugin: PluginContext,
  request: RestRequest,
  before: Pick<Comment, 'author_id'> | null,
): Promise<Author> {
  const id = request.get('author') as number | undefined
  if (id === undefined) return {}
  if (id === before?.author_id && (await plugin.services.users.get(id, request.scope)) === undefined) return {}
  return id === 0 ? { author_id: 0 } : authorByAccount(plugin, id, request)
}

/**
 * Returns the requesting user as the author of a new comment, or an empty object for visitors and for requests that
 * name an author themselves.
 * @param change the fields that the request sets
 */
export async function defaultAuthor(
  plugin: PluginContext,
  change: CommentChange,
  request: RestRequest,
): Promise<Author> {
  const { user } = request
  if (user.id === 0) return {}
  const isSigned = [change.author_name, change.author_email, change.author_url].some((text) => text)
  const moderates = plugin.services.capabilities.can(user, 'moderate_comments')
  if (change.author_id !== undefined || (isSigned && moderates)) return {}
  return authorByAccount(plugin, user.id, request)
}

/** Sanitizes an author name to one line without HTML. */
export function authorName({ services }: PluginContext, text: string): string {
  return services.html.filter(singleLine(text), 'strip')
}

/** Sanitizes a text to one line without tags. */
export function singleLine(text: string): string {
  return sanitizeValue(text, { type: 'string', format: 'text-field' }) as string
}

async function authorByAccount(plugin: PluginContext, id: number, request: RestRequest): Promise<Author> {
  const user = await plugin.services.users.get(id, request.scope)
  if (user === undefined) throw errors.rest_comment_author_invalid()
  const { name, email, url } = user
  return { author_id: id, author_name: authorName(plugin, name), author_email: email, author_url: url }
}
