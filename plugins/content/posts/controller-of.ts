import type { PluginContext } from '../../../kernel/index.ts'
import type { ContentType } from '../content-types/index.ts'
import { PostsController } from './controller.ts'

type PostsControllerClass = new (plugin: PluginContext, name: string) => PostsController

/**
 * A controller of the posts of a type, for what has routes below theirs: its own, where that is one of posts.
 * @param context that of posts: `services.posts.context`
 */
export function postsControllerOf(context: PluginContext, type: ContentType): PostsController {
  const Own = hasPostsController(type) ? type.rest_controller_class : undefined
  return typeof Own === 'function'
    ? new (Own as PostsControllerClass)(context, type.name)
    : new PostsController(context, type.name)
}

/** Whether a type has the routes of posts, or those of a class that extends theirs. */
export function hasPostsController({ rest_controller_class: Own }: ContentType): boolean {
  if (Own === undefined || Own === PostsController) return true
  return typeof Own === 'function' && Own.prototype instanceof PostsController
}
