import { Controller, definePlugin } from '../../../kernel/index.ts'
import { BlocksController } from './blocks.ts'
import { PostsController } from './controller.ts'
import { postHooks } from './hooks.ts'
import { TEMPLATE_KEY, THUMBNAIL_KEY } from './model.ts'
import { SitePosts } from './posts.ts'
import { TRASHED_STATUS_KEY } from './query.ts'
import { TRASHED_SLUG_KEY, TRASHED_TIME_KEY } from './writer.ts'
import type { Posts } from './writing.ts'

export { PostsController } from './controller.ts'
export { cut } from './names.ts'
export { THUMBNAIL_KEY } from './model.ts'
export { withoutPassword } from './writer.ts'
export type { PostTypes } from './hooks.ts'
export type { LeanPost, Post, PostList, Versions } from './model.ts'
export type { NewPost, PostChange, Posts, PostTexts, PostWrite } from './writing.ts'
export type { PostOrder, PostQuery, ReadScope, TermClause } from './query.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /** Content of every type. */
    posts: Posts
  }
}

/** Content of every type: reading and writing it, and the routes of every content type that the interface serves. */
export default definePlugin({
  name: 'posts',
  needs: [
    'store', 'settings', 'roles', 'content-types', 'taxonomies', 'meta', 'extra-fields', 'terms', 'permalinks', 'html',
    'rendering', 'attempts',
  ], // prettier-ignore
  // Authors are people; people who go leave their content to others, or to the trash.
  uses: ['users'],
  hooks: postHooks,
  apply(plugin) {
    const { hooks, log, provide, services, branding } = plugin
    const { contentTypes, meta } = services
    provide('posts', new SitePosts(plugin))
    // Not shown in `meta`; known here, they are read with what is.
    meta.register('post', THUMBNAIL_KEY, { type: 'integer', single: true })
    meta.register('post', TEMPLATE_KEY, { type: 'string', single: true })
    for (const key of [TRASHED_STATUS_KEY, TRASHED_TIME_KEY, TRASHED_SLUG_KEY])
      meta.register('post', key, { type: 'string', single: true })
    contentTypes.change(branding.typeName('block'), { rest_controller_class: BlocksController })

    // Late, so that types, taxonomies, meta and fields that other plugins register in the same hook are known.
    hooks.rest_api_init.tap({ name: 'posts', stage: 100 }, (server) => {
      for (const type of contentTypes.exposed()) {
        const Class = type.rest_controller_class ?? PostsController
        if (typeof Class === 'function' && Class.prototype instanceof Controller)
          new Class(plugin, type.name).register(server)
        else log.debug({ type: type.name }, 'a content type without a usable controller is not served')
      }
    })
  },
})
