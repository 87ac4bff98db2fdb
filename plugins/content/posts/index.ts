import { Controller, registerFor } from '../../resources/index.ts'
import { definePlugin } from '../../../kernel/index.ts'
import { TEMPLATE_KEY, THUMBNAIL_KEY, TRASHED_SLUG_KEY, TRASHED_STATUS_KEY, TRASHED_TIME_KEY } from '../meta-keys.ts'
import { BlocksController, registerSyncStatus } from './blocks-controller.ts'
import { PostsController } from './controller.ts'
import { postHooks } from './hooks.ts'
import { registerFootnotes } from './footnotes.ts'
import { PostChangeReader, shownWhilePublished } from './change-reader.ts'
import { registerReferences } from './references.ts'
import { PostService } from './service.ts'

export { PostChangeReader, shownWhilePublished } from './change-reader.ts'
export type { ShownSides } from './change-reader.ts'
export { hasPostsController, postsControllerOf } from './controller-of.ts'
export { methodsKeyOf, PostsController } from './controller.ts'
export { commentDefaults, type CommentDefaults } from './comment-defaults.ts'
export { checkOrder } from './collection-query.ts'
export { declaredValue } from './declared-value.ts'
export { shownDates } from './dates.ts'
export { shownGuid } from './shape.ts'
export { withoutPassword } from './write-turn.ts'
export type { PostTypes } from './hooks.ts'
export { PostInput, rawText, type GivenPost } from './input.ts'
export { PostPermissions } from './permissions.ts'
export type {
  LeanPost,
  ListedPost,
  NewPost,
  Post,
  PostChange,
  PostKey,
  PostList,
  PostTexts,
  PostWrite,
} from './post.ts'
export type { PastPost, PastPosts } from './past-posts.ts'
export type {
  PostOrder,
  PostQuery,
  ReadScope,
  ScopedPostQuery,
  StatusSet,
  TermClause,
  SearchColumn,
} from './query/index.ts'
export type { PeriodUnit, PublishedPeriod } from './published-periods.ts'
export { isAutosave, type RevisionCount } from './revisions.ts'
export { ServedType } from './served-type.ts'
export type { PostService } from './service.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Posts of every type.
     * @example
     * const write = { user: request.user, scope: request.scope }
     * const { id } = await services.posts.create({ type: 'post', title: 'Hello', status: 'publish' }, write)
     * const hello = await services.posts.get(id, request.scope)
     * const recent = await services.posts.query(
     *   services.posts.forUser(
     *     { types: ['post'], statuses: ['publish'], orderby: 'date', order: 'desc', limit: 10, offset: 0 },
     *     request.user,
     *   ),
     *   request.scope,
     * )
     */
    posts: PostService
  }
}

/** Reads and writes posts of every type, and registers the routes of all content types that the REST API serves. */
export default definePlugin({
  name: 'posts',
  provides: ['posts'],
  needs: [
    'resources',
    'store',
    'settings',
    'roles',
    'content-types',
    'taxonomies',
    'field-index',
    'meta',
    'extra-fields',
    'terms',
    'permalinks',
    'html',
    'content-rendering',
    'login-attempts',
  ],
  after: ['changes'],
  // Authors are users; when a user is deleted, their posts are reassigned or trashed.
  uses: ['users'],
  hooks: postHooks,
  apply(plugin) {
    const { has, hooks, log, provide, services, branding } = plugin
    const { contentTypes, meta } = services
    provide('posts', new PostService(plugin))
    if (has('changes')) {
      services.changeReaders.set('post', new PostChangeReader(plugin))
      const shown = new PostChangeReader(plugin, shownWhilePublished)
      services.changeReaders.set(`post:${branding.typeName('block')}`, shown)
    }
    // Registered without a field in `meta`, so that these keys are loaded together with the visible meta.
    meta.register('post', THUMBNAIL_KEY, { type: 'integer', single: true })
    for (const key of [TEMPLATE_KEY, TRASHED_STATUS_KEY, TRASHED_TIME_KEY, TRASHED_SLUG_KEY])
      meta.register('post', key, { type: 'string', single: true })
    contentTypes.change(branding.typeName('block'), { rest_controller_class: BlocksController })
    registerSyncStatus(plugin)
    registerReferences(plugin)

    // Runs late, so that types, taxonomies, meta and fields that other plugins register in the same hook are known.
    hooks.rest_api_init.tap({ name: 'posts', stage: 100 }, (server) => {
      registerFootnotes(plugin)
      for (const type of contentTypes.exposed()) {
        const Class = type.rest_controller_class ?? PostsController
        if (typeof Class === 'function' && Class.prototype instanceof Controller)
          registerFor(Class, () => new Class(plugin, type.name).register(server))
        else log.debug({ type: type.name }, 'a content type without a usable controller is not served')
      }
    })
  },
})
