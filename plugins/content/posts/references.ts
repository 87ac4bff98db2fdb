import type { PluginContext, RestRequest } from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { Post } from './post.ts'

/**
 * Registers the sources of authors and parents of posts. The stored author and parent are accepted, because clients send
 * back items that they have read.
 */
export function registerReferences({ services }: PluginContext): void {
  const { resources } = services
  const storedPost = async ({ captures, scope }: RestRequest): Promise<Post | undefined> => {
    const id = Number(captures['id'])
    return id > 0 ? services.posts.get(id, scope) : undefined
  }
  resources.registerReference('post_author', async (author, request) => {
    const { scope, user } = request
    if (author === user.id || author === (await storedPost(request))?.author_id) return null
    const exists = Number.isSafeInteger(author) && (await services.users.get(Number(author), scope)) !== undefined
    return exists ? null : errors.rest_invalid_author()
  })
  resources.registerReference('post_parent', async (parent, request) => {
    const { scope, user } = request
    if (parent === (await storedPost(request))?.parent_id) return null
    const above = Number(parent) > 0 ? await services.posts.get(Number(parent), scope) : undefined
    const readable = above !== undefined && (await services.posts.isReadable(above, user, scope))
    // The same error as for a missing post, so that the response does not reveal that it exists; the URL of the post
    // would contain its slug.
    return readable ? null : errors.rest_post_invalid_id({ data: { status: 400 } })
  })
}
