import { sanitizeValue } from '../../requests/arguments/index.ts'
import type { PluginContext, RestRequest } from '../../../kernel/index.ts'
import type { CommentChange } from './comment.ts'
import { errors } from './errors.ts'

type Author = Pick<CommentChange, 'author_id' | 'author_name' | 'author_email' | 'author_url'>

/**
 * The author whom a request names by the ID of an account; nothing where it names none.
 * @throws rest_comment_author_invalid for a user who is not there
 */
export async function namedAuthor(plugin: PluginContext, request: RestRequest): Promise<Author> {
  const id = request.get('author') as number | undefined
  if (id === undefined) return {}
  return id === 0 ? { author_id: 0 } : authorByAccount(plugin, id, request)
}

/**
 * The user who asks, as the author of a new comment; nothing for visitors, and where the request says who the author is.
 * @param given what the request gives of the comment
 */
export async function defaultAuthor(
  plugin: PluginContext,
  given: CommentChange,
  request: RestRequest,
): Promise<Author> {
  const { user } = request
  if (user.id === 0) return {}
  const isSigned = [given.author_name, given.author_email, given.author_url].some((text) => text)
  const moderates = plugin.services.capabilities.can(user, 'moderate_comments')
  if (given.author_id !== undefined || (isSigned && moderates)) return {}
  return authorByAccount(plugin, user.id, request)
}

/** A text as the name of an author: one line without HTML, safe to stand in a page. */
export function authorName({ services }: PluginContext, text: string): string {
  return services.html.filter(singleLine(text), 'strip')
}

export function singleLine(text: string): string {
  return sanitizeValue(text, { type: 'string', format: 'text-field' }) as string
}

async function authorByAccount(plugin: PluginContext, id: number, request: RestRequest): Promise<Author> {
  const user = await plugin.services.users.get(id, request.scope)
  if (user === undefined) throw errors.rest_comment_author_invalid()
  const { name, email, url } = user
  return { author_id: id, author_name: authorName(plugin, name), author_email: email, author_url: url }
}
