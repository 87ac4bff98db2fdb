import { definePlugin } from '../../../kernel/index.ts'
import { yieldToEventLoop } from '../../library/long-work/index.ts'
import { autolink } from './autolink.ts'
import { CommentChangeReader } from './change-reader.ts'
import { CommentsController } from './controller.ts'
import { commentHooks } from './hooks.ts'
import { registerReferences } from './references.ts'
import { CommentService } from './service.ts'
import { registerCommentSettings } from './settings.ts'

export { markLinks } from './autolink.ts'
export type { Comment, CommentChange, CommentList, CommentState, NewComment } from './comment.ts'
export type { CommentOrder, CommentQuery } from './query.ts'
export type { CommentService } from './service.ts'
export { NOTE, NOTE_STATUSES, noteStatusName, type PostScope, type PostSet, type Visibility } from './visibility.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Comments on posts.
     * @example
     * const { items, total } = await services.comments.query(
     *   { visibility: null, posts: [12], approved: ['1'], orderby: 'date', order: 'desc', limit: 10, offset: 0 },
     *   request.scope,
     * )
     */
    comments: CommentService
  }
}

/** Provides the comments service, renders comment texts and registers the routes of comments. */
export default definePlugin({
  name: 'comments',
  provides: ['comments'],
  needs: [
    'resources',
    'store',
    'field-index',
    'settings',
    'roles',
    'content-types',
    'meta',
    'html',
    'users',
    'posts',
    'permalinks',
    'content-rendering',
  ],
  after: ['extra-fields', 'changes'],
  hooks: commentHooks,
  apply(plugin) {
    const { has, hooks, provide, services, urls } = plugin
    registerCommentSettings(services.settings)
    provide('comments', new CommentService(plugin))
    registerReferences(plugin)
    if (has('changes')) services.changeReaders.set('comment', new CommentChangeReader(services))

    const render = async (text: string) => {
      const { contentRendering: rendering } = services
      const linked = rendering.changeLongText(text, (plain) => autolink(plain, urls.home), ['a'])
      return rendering.longParagraphs(await linked)
    }
    hooks.comment_text.tapPromise('comments', (text) => {
      // Rendering many comments would otherwise block the event loop.
      const pause = yieldToEventLoop()
      return pause === undefined ? render(text) : pause.then(() => render(text))
    })

    // At a late stage, so that meta and fields that other plugins register in this hook are in the schema.
    hooks.rest_api_init.tap({ name: 'comments', stage: 100 }, (server) => {
      new CommentsController(plugin).register(server)
    })
  },
})
