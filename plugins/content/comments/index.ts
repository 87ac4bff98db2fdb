import {
  action,
  definePlugin,
  filter,
  giveWay,
  syncFilter,
  type CurrentUser,
  type RequestCache,
} from '../../../kernel/index.ts'
import { CommentsController } from './controller.ts'
import './hooks.ts'
import { linkAddresses } from './autolink.ts'
import { CommentModel, type Comment, type CommentList, type CommentQuery } from './reader.ts'
import { registerCommentSettings } from './settings.ts'
import { CommentWriter, type CommentChange, type NewComment } from './writer.ts'

export type { Comment, CommentList, CommentOrder, CommentQuery } from './reader.ts'
export type { Sight } from './visibility.ts'
export type { CommentChange, CommentState, NewComment } from './writer.ts'

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
  hooks: {
    comment_text: filter('text', 'comment'),
    rest_allow_anonymous_comments: filter('allowed', 'request'),
    rest_preprocess_comment: filter('change', 'request'),
    rest_pre_insert_comment: filter('comment', 'request'),
    pre_comment_approved: filter('state', 'comment'),
    rest_insert_comment: action('comment', 'request', 'creating'),
    rest_after_insert_comment: action('comment', 'request', 'creating'),
    transition_comment_status: action('state', 'before', 'comment'),
    rest_comment_trashable: syncFilter('trashable', 'comment'),
    rest_delete_comment: action('comment', 'response', 'request'),
  },
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
      const turn = giveWay()
      return turn === undefined ? shown(text) : turn.then(() => shown(text))
    })

    // Late, so that meta and fields that other plugins register in the same hook are known.
    hooks.rest_api_init.tapPromise({ name: 'comments', stage: 100 }, async (server) => {
      const avatars = Boolean(await services.options.get('show_avatars', true))
      new CommentsController(plugin, { avatars }).register(server)
    })
  },
})
