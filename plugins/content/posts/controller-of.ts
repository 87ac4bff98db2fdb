import type { PluginContext } from '../../../kernel/index.ts'
import type { ContentType } from '../content-types/index.ts'
import { PostsController } from './controller.ts'

type PostsControllerClass = new (plugin: PluginContext, name: string) => PostsController

/**
 * Returns a controller for the posts of a type, for routes below theirs. Uses the class of the type if it extends
 * `PostsController`.
 * @param context the context of the posts plugin: `services.posts.context`
 */
export function postsControllerOf(context: PluginContext, type: ContentType): PostsController {
  const Own = hasPostsController(type) ? type.rest_controller_class : undefined
  return typeof Own === 'function'
    ? new (Own as PostsControllerClass)(context, type.name)
    : new PostsController(context, type.name)
}

/** Whether the routes of a type are served by `PostsController` or a subclass. */
export function hasPostsController({ rest_controller_class: Own }: ContentType): boolean {
  if (Own === undefined || Own === PostsController) return true
  return typeof Own === 'function' && Own.prototype instanceof PostsController
}
