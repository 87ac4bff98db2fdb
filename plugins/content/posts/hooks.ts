import {
  action,
  filter,
  syncFilter,
  type Action,
  type Family,
  type Filter,
  type ItemTypes,
  type ItemTypeOf,
  type MemberOf,
  type HookSpecs,
  type RequestCache,
  type RestRequest,
  type SyncFilter,
} from '../../../kernel/index.ts'
import type { ContentType } from '../content-types/index.ts'
import type { LeanPost, Post, PostChange, PostWrite } from './post.ts'
import type { PostQuery } from './query/index.ts'

/**
 * Types of the values that taps receive for posts of a content type. The texts are missing from `shown` unless a field
 * needs them.
 */
export interface PostTypes {
  shown: LeanPost & Partial<Post>
  item: Post
  change: PostChange
  query: PostQuery
}

/** The hooks of posts of every type. */
interface PostHooks {
  /**
   * Action: a post has been stored with its terms. Runs in the open transaction; an error rolls everything back.
   * `before` is null for a new post. @since 0.1.0
   */
  save_post: Action<[post: Post, before: Post | null, write: PostWrite], 'type'>
  /**
   * Action: the status of a post has changed. Runs in the open transaction. `from` is `new` for a new post. @since
   * 0.1.0
   */
  transition_post_status: Action<[to: string, from: string, post: Post], 'type'>
  /**
   * Action: a post is about to be permanently deleted, with its revisions, meta and comments. Runs in the open
   * transaction. @since 0.1.0
   */
  before_delete_post: Action<[post: Post], 'type'>
  /** Action: a post has been permanently deleted. Runs in the open transaction. @since 0.1.0 */
  deleted_post: Action<[post: Post], 'type'>
  /** Family: whether a post can be moved to the trash (`rest_post_trashable`) or only be deleted. @since 0.1.0 */
  rest_trashable: Family<'rest_*_trashable', SyncFilter<boolean, [item: unknown]>>
  [trashable: `rest_${string}_trashable`]: MemberOf<PostHooks['rest_trashable']>
  /**
   * Filter: the post that a GET request for a single post of a type shows in place of the stored one. Every client gets
   * it, without a check of permissions or of the password. null shows the stored post, with the usual checks. The
   * response is not cached. A thrown error refuses the request. @since 0.1.0
   */
  rest_shown_post: Filter<Post | null, [request: RestRequest, type: ContentType], 'type' | 'request'>
  /**
   * Filter: the query of a list of posts on a page of the site, in a block or in a feed. `scope` is the cache of that
   * page. Visitors read the list, also if a user is logged in. @since 0.1.0
   */
  site_posts_query: Filter<PostQuery, [scope: RequestCache]>
  /** Filter: names of the templates available to posts of a type, in addition to its default template. @since 0.1.0 */
  theme_templates: SyncFilter<readonly string[], [type: ContentType], 'type'>
}

type TrashableHooks = {
  [N in keyof ItemTypes as `rest_${N}_trashable`]: SyncFilter<boolean, [item: ItemTypeOf<N, 'item'>]>
}

declare module '../../../kernel/index.ts' {
  interface ItemTypes {
    post: PostTypes
    page: PostTypes
  }
  interface Hooks extends PostHooks, TrashableHooks {}
}

export const postHooks: HookSpecs<PostHooks> = {
  save_post: { ...action('post', 'before', 'write'), about: { type: ({ type }) => type } },
  transition_post_status: { ...action('to', 'from', 'post'), about: { type: (_to, _from, { type }) => type } },
  before_delete_post: { ...action('post'), about: { type: ({ type }) => type } },
  deleted_post: { ...action('post'), about: { type: ({ type }) => type } },
  'rest_*_trashable': syncFilter('trashable', 'post'),
  rest_shown_post: {
    ...filter('shown', 'request', 'type'),
    about: { type: (_shown, _request, { name }) => name, request: (_shown, request) => request },
  },
  site_posts_query: { ...filter('query', 'scope'), accepts: (query) => typeof query === 'object' && query !== null },
  theme_templates: { ...syncFilter('templates', 'type'), about: { type: (_templates, { name }) => name } },
}
