import { definePlugin, yieldToEventLoop, type CurrentUser, type RequestCache } from '../../../kernel/index.ts'
import { CommentsController } from './controller.ts'
import { commentHooks } from './hooks.ts'
import { linkAddresses } from './links.ts'
import { CommentModel, type Comment, type CommentList, type CommentQuery } from './model.ts'
import { registerCommentSettings } from './settings.ts'
import { CommentWriter, type CommentChange, type NewComment } from './write.ts'

export { markLinks } from './links.ts'
export type { Comment, CommentList, CommentOrder, CommentQuery } from './model.ts'
export type { Sight } from './sight.ts'
export type { CommentChange, CommentState, NewComment } from './write.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /** What people and sites say about content. */
    comments: Comments
  }
}

/** Comments. What one request reads of many comments, or about many posts, comes from one statement. */
export interface Comments {
  /** A comment; undefined when there is none of this id. Asks for no rights. Concurrent calls share a statement. */
  get(id: number, scope: RequestCache): Promise<Comment | undefined>
  /**
   * The comments that a query asks for, as its `sight` sees them, and how many there are without its limit. Concurrent
   * calls that differ in the one post, or the one parent, alone share a statement.
   */
  query(query: CommentQuery, scope: RequestCache): Promise<CommentList>
  /**
   * Stores a new comment, judged by what the site wants of comments unless it has a state. Asks for no rights, and
   * takes the HTML as it is.
   * @param author who wrote it; null for somebody without an account
   * @throws comment_duplicate, comment_flood, rest_comment_invalid_post_id
   */
  create(comment: NewComment, author: CurrentUser | null): Promise<Comment>
  /**
   * Changes a comment. Asks for no rights, and takes the HTML as it is.
   * @throws rest_comment_invalid_id, rest_comment_invalid_parent when it would answer itself
   */
  update(id: number, change: CommentChange): Promise<Comment>
  /**
   * Deletes a comment for good. What answered it answers what it answered.
   * @throws rest_comment_invalid_id
   */
  delete(id: number): Promise<void>
}

/** Comments: reading and writing them, and their routes. */
export default definePlugin({
  name: 'comments',
  needs: [
    'store',
    'settings',
    'roles',
    'content-types',
    'meta',
    'extra-fields',
    'html',
    'users',
    'posts',
    'permalinks',
    'rendering',
  ],
  hooks: commentHooks,
  apply(plugin) {
    const { hooks, provide, services, urls } = plugin
    const model = new CommentModel(services.store)
    const writer = new CommentWriter(plugin, model)
    registerCommentSettings(services.settings)
    provide('comments', {
      get: (id, scope) => (id === 0 ? Promise.resolve(undefined) : model.byId(scope).load(id)),
      query: (query, scope) => model.query(query, scope),
      create: (comment, author) => writer.create(comment, author),
      update: (id, change) => writer.update(id, change),
      delete: (id) => writer.delete(id),
    })
    const shown = (text: string) => {
      const { rendering } = services
      const linked = rendering.changeText(text, (plain) => linkAddresses(plain, urls.home), ['a'])
      return rendering.paragraphs(linked)
    }
    hooks.comment_text.tapPromise('comments', (text) => {
      // One comment is short; a list of them may not be.
      const turn = yieldToEventLoop()
      return turn === undefined ? shown(text) : turn.then(() => shown(text))
    })

    // Late, so that meta and fields that other plugins register in the same hook are known.
    hooks.rest_api_init.tapPromise({ name: 'comments', stage: 100 }, async (server) => {
      const avatars = Boolean(await services.options.get('show_avatars', true))
      new CommentsController(plugin, { avatars }).register(server)
    })
  },
})
