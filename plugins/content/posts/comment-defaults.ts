import type { PluginContext } from '../../../kernel/index.ts'
import type { NewPost } from './post.ts'

/** Whether a new post of a type is open for comments and pings. */
export type CommentDefaults = Required<Pick<NewPost, 'comment_status' | 'ping_status'>>

/**
 * Returns a function from the name of a type to the comment and ping status of new posts, by the settings of the site.
 */
export async function commentDefaults({
  contentTypes,
  options,
}: Pick<PluginContext['services'], 'contentTypes' | 'options'>): Promise<(type: string) => CommentDefaults> {
  const defaults = await options.many(['default_comment_status', 'default_ping_status'])
  return (type) => {
    const of = (feature: string, value: unknown) =>
      type === 'page' || !contentTypes.supports(type, feature) || value === 'closed' ? 'closed' : 'open'
    return {
      comment_status: of('comments', defaults.default_comment_status),
      ping_status: of('trackbacks', defaults.default_ping_status),
    }
  }
}
