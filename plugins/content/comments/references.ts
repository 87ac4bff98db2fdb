import type { PluginContext, RestRequest } from '../../../kernel/index.ts'
import { referencedId } from '../../resources/index.ts'
import type { Comment } from './comment.ts'
import { errors } from './errors.ts'
import { CommentPermissions } from './permissions.ts'
import { NOTE } from './visibility.ts'

/**
 * Registers the sources of the author, the post and the parent of a comment. The stored ones are accepted, because clients
 * send back items that they have read.
 */
export function registerReferences(plugin: PluginContext): void {
  const { comments, posts, resources, users } = plugin.services
  const permissions = new CommentPermissions(plugin)
  const storedComment = async ({ captures, scope }: RestRequest): Promise<Comment | undefined> =>
    comments.get(referencedId(captures['id']), scope)
  resources.registerReference('comment_author', async (value, request) => {
    if (value === (await storedComment(request))?.author_id) return null
    const exists = (await users.get(referencedId(value), request.scope)) !== undefined
    return exists ? null : errors.rest_comment_author_invalid()
  })
  resources.registerReference('comment_post', async (value, request) => {
    if (value === (await storedComment(request))?.post_id) return null
    const exists = (await posts.get(referencedId(value), request.scope)) !== undefined
    return exists ? null : errors.rest_comment_invalid_post_id()
  })
  // A comment on the same post that the user may reply to.
  resources.registerReference('comment_parent', async (value, request) => {
    const before = await storedComment(request)
    if (value === before?.parent_id) return null
    const parent = await comments.get(referencedId(value), request.scope)
    if (parent === undefined) return errors.rest_comment_invalid_parent()
    const post = request.get('post') ?? before?.post_id
    const type = before?.type ?? request.get('type')
    // A public reply would reveal the note.
    const fits = parent.post_id === post && (parent.type !== NOTE || type === NOTE)
    return fits && (await permissions.mayReplyTo(parent, request)) ? null : errors.rest_comment_invalid_parent()
  })
}
