import type { CurrentUser, RequestCache } from '../../../kernel/index.ts'
import type { DatePair, ListCursor } from '../../resources/index.ts'
import type { NewRow, Row } from '../../storage/store/index.ts'

/** A stored post of any type. */
export type Post = Row<'posts'>
/** A post without its long texts. */
export type LeanPost = Omit<Post, 'content' | 'excerpt' | 'content_filtered'>
/** The columns that identify a post and decide who may read it. */
export type PostKey = Pick<Post, (typeof KEY_COLUMNS)[number]>
/** A post in a list; its texts are present only if a field needs them. */
export type ListedPost = Post | LeanPost

/** A page of posts and the total number without `limit` and `offset`. */
export interface PostList<P = Post> {
  items: P[]
  total: number
  /**
   * For queries with a cursor: cursor of the next page, null on the last one. Pages after the first are not counted,
   * and `total` is the number of items on the page.
   */
  next?: ListCursor | null
}

/** The texts of a post that revisions store. */
export type PostTexts = Pick<Post, 'title' | 'content' | 'excerpt'>

export const KEY_COLUMNS = ['id', 'type', 'status', 'author_id', 'parent_id'] as const
export const LEAN_COLUMNS = [
  'id',
  'type',
  'status',
  'slug',
  'title',
  'password',
  'author_id',
  'parent_id',
  'menu_order',
  'date',
  'date_gmt',
  'modified',
  'modified_gmt',
  'comment_status',
  'ping_status',
  'comment_count',
  'guid',
  'mime_type',
] as const
export const COLUMNS = [...LEAN_COLUMNS, 'content', 'excerpt', 'content_filtered'] as const

/** Columns that a change sets without conversion. */
export const PLAIN_COLUMNS = [
  'title',
  'content',
  'excerpt',
  'password',
  'author_id',
  'parent_id',
  'menu_order',
  'comment_status',
  'ping_status',
] as const

/**
 * Changes to a post; omitted properties stay as they are. `slug` is made unique if the post has a URL; '' generates it
 * from the title. `password` is cleared on private posts.
 */
export interface PostChange extends Partial<Pick<Post, (typeof PLAIN_COLUMNS)[number] | 'slug' | 'status'>> {
  /** Date of publication; null removes it, so that the post gets the current date when it is published. */
  date?: DatePair | null
  /**
   * Term IDs by taxonomy; they replace the current terms of that taxonomy. IDs that are not terms of it are ignored.
   */
  terms?: ReadonlyMap<string, readonly number[]>
  /** One of the post formats. */
  format?: string
  /** Whether the post stays at the top of lists. */
  sticky?: boolean
  /** ID of its featured image; 0 for none. */
  featured_media?: number
  /** '' for the default template of the type. */
  template?: string
}

/** A post to be created. Defaults to a draft of the user who creates it. */
export interface NewPost extends PostChange, Partial<Pick<NewRow<'posts'>, 'guid' | 'mime_type' | 'content_filtered'>> {
  type: string
}

/** The user and request on whose behalf a write runs. */
export interface PostWrite {
  /** Author of new posts and revisions. VISITOR for the site itself. */
  user: CurrentUser
  /** Cache of the request; the write clears it. */
  scope: RequestCache
  /** Called with the current post inside the write turn, before the change. Throws to refuse the write. */
  check?: (current: Post) => Promise<void>
  /** True for an automatic save by an editor, which creates no revision. */
  autosave?: boolean
}
