import type { CurrentUser, RequestCache } from '../../../kernel/index.ts'
import type { DatePair, ListCursor } from '../../resources/index.ts'
import type { NewRow, Row } from '../../storage/store/index.ts'

/** A post of whatever type, as it is stored. */
export type Post = Row<'posts'>
/** A post without its texts, which are long. */
export type LeanPost = Omit<Post, 'content' | 'excerpt' | 'content_filtered'>
/** What tells a post from others, and who may read it. */
export type PostKey = Pick<Post, (typeof KEY_COLUMNS)[number]>
/** A post as a list has it: without its texts where nothing asks for them. */
export type ListedPost = Post | LeanPost

/** Posts, and how many there are without `limit` and `offset`. */
export interface PostList<P = Post> {
  items: P[]
  total: number
  /** Of a query with a cursor: where the list goes on, null at its end. Behind the first page nobody counts, and `total` is that of the page. */
  next?: ListCursor | null
}

/** The texts of a post that its revisions keep. */
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

/** Columns that a change gives as they are stored. */
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
 * What is to change of a post; what is left out stays. `slug` is made unique where the post has a URL; '' asks for one that
 * the title gives. Private posts keep no `password`.
 */
export interface PostChange extends Partial<Pick<Post, (typeof PLAIN_COLUMNS)[number] | 'slug' | 'status'>> {
  /** When it was, or will be, published; null forgets it, so that it is published now, or when it will be. */
  date?: DatePair | null
  /** Term IDs by taxonomy, in place of those that the post has; what is no term of the taxonomy is left out. */
  terms?: ReadonlyMap<string, readonly number[]>
  /** One of the post formats. */
  format?: string
  /** Whether it stays at the top of lists. */
  sticky?: boolean
  /** ID of its featured image; 0 for none. */
  featured_media?: number
  /** '' for that of its type. */
  template?: string
}

/** A post about to be stored. A draft of the user who creates it unless it says otherwise. */
export interface NewPost extends PostChange, Partial<Pick<NewRow<'posts'>, 'guid' | 'mime_type' | 'content_filtered'>> {
  type: string
}

/** On whose behalf something is written. */
export interface PostWrite {
  /** Who writes: author of new posts and of revisions. VISITOR for the site itself. */
  user: CurrentUser
  /** What the request has read; it is forgotten. */
  scope: RequestCache
  /** Called with the post as it is before it changes, when nobody else can change it any more; may refuse by throwing. */
  check?: (current: Post) => Promise<void>
  /** Whether an editor saves without having been asked to: no revision is made of it. */
  autosave?: boolean
}
