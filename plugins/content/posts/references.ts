import { applySyncFilter, invalidParam, type PluginContext, type RestRequest } from '../../../kernel/index.ts'
import { referencedId } from '../../resources/index.ts'
import { errors } from './errors.ts'
import type { Post } from './post.ts'

/**
 * Registers the sources of posts, and of their authors, parents and templates. The stored author, parent and template are
 * accepted, because clients send back items that they have read.
 */
export function registerReferences({ hooks, services }: PluginContext): void {
  const { resources } = services
  const storedPost = async ({ captures, scope }: RestRequest): Promise<Post | undefined> => {
    const id = Number(captures['id'])
    return id > 0 ? services.posts.get(id, scope) : undefined
  }
  resources.registerReference('post', async (value, { scope }, argument, type) => {
    const post = await services.posts.get(referencedId(value), scope)
    const exists = post?.type === type && post.status !== 'trash'
    return exists ? null : invalidParam(argument, `${argument} must be the ID of an existing object: ${type}.`)
  })
  resources.registerReference('post_template', async (name, request, argument, type) => {
    const templates = applySyncFilter(hooks.theme_templates, [], services.contentTypes.get(type)!)
    if (templates.includes(String(name))) return null
    const post = await storedPost(request)
    if (post?.type === type && name === (await services.posts.template(post.id, request.scope))) return null
    const names = templates.length === 0 ? 'none' : templates.join(', ')
    return invalidParam(argument, `The theme has no template with this name. Available templates: ${names}.`)
  })
  resources.registerReference('post_author', async (author, request) => {
    const { scope, user } = request
    if (author === user.id || author === (await storedPost(request))?.author_id) return null
    return (await services.users.get(referencedId(author), scope)) !== undefined ? null : errors.rest_invalid_author()
  })
  resources.registerReference('post_parent', async (parent, request) => {
    const { scope, user } = request
    if (parent === (await storedPost(request))?.parent_id) return null
    const above = await services.posts.get(referencedId(parent), scope)
    const isObject = above !== undefined && above.type !== 'revision'
    const readable = isObject && (await services.posts.isReadable(above, user, scope))
    // The same error as for a missing post, so that the response does not reveal that it exists; the URL of the post
    // would contain its slug.
    return readable ? null : errors.rest_post_invalid_id({ data: { status: 400 } })
  })
}
