import type { CurrentUser, DatePair, RequestCache } from '../../../kernel/index.ts'
import type { NewRow, Row } from '../../storage/store/index.ts'
import type { Post, PostReading } from './reader.ts'

/** What is to change of a post; what is left out stays. */
export interface PostChange {
  title?: string
  content?: string
  excerpt?: string
  /** Made unique where the post has an address; '' asks for one that the title gives. */
  slug?: string
  status?: string
  /** Private content keeps none. */
  password?: string
  author_id?: number
  parent_id?: number
  menu_order?: number
  comment_status?: string
  ping_status?: string
  /** When it was, or will be, published; null forgets it, so that it is published now, or when it will be. */
  date?: DatePair | null
  /** Terms by taxonomy, in place of those that the post has; what is no term of the taxonomy is left out. */
  terms?: ReadonlyMap<string, readonly number[]>
  /** One of the forms of posts. */
  format?: string
  /** Whether it stays at the top of lists. */
  sticky?: boolean
  /** Id of the image that stands for it; 0 for none. */
  featured_media?: number
  /** '' for that of its type. */
  template?: string
}

/** A post about to be stored. A draft of the person who makes it unless it says otherwise. */
export interface NewPost extends PostChange, Partial<Pick<NewRow<'posts'>, 'guid' | 'mime_type' | 'content_filtered'>> {
  type: string
}

/** On whose behalf something is written. */
export interface PostWrite {
  /** Who writes: author of new posts and of versions. VISITOR for the site itself. */
  user: CurrentUser
  /** What the request has read; it is forgotten. */
  scope: RequestCache
  /** Called with the post as it is before it changes, when nobody else can change it any more; may refuse by throwing. */
  check?: (current: Post) => Promise<void>
  /** Whether an editor saves without having been asked to: no version is made of it. */
  autosave?: boolean
}

/** The texts of a post that its versions keep. */
export type PostTexts = Pick<Post, 'title' | 'content' | 'excerpt'>

/**
 * Writing content of every type. Each call is one transaction; within one it joins it. Nobody's rights are asked for.
 */
export interface PostWriting {
  /**
   * Stores a new post.
   * @throws empty_content
   */
  create(post: NewPost, write: PostWrite): Promise<Post>
  /**
   * Changes a post.
   * @throws rest_post_invalid_id when it is gone, empty_content
   */
  update(id: number, change: PostChange, write: PostWrite): Promise<Post>
  /**
   * Moves a post to the trash, from where `update` brings it back with another status.
   * @throws rest_post_invalid_id when it is gone, rest_already_trashed
   */
  trash(id: number, write: PostWrite): Promise<Post>
  /**
   * Deletes a post for good, with its versions, meta and comments. What is below it moves up; what is attached to it
   * is attached no longer.
   * @throws rest_post_invalid_id when it is gone
   */
  remove(id: number, write: PostWrite): Promise<void>
  /** Makes everything that one person wrote somebody else's. */
  reassign(from: number, to: number): Promise<void>
  /** Moves what a person wrote to the trash: content of the types that go with their author. */
  trashOf(author: number, write: PostWrite): Promise<void>
  /**
   * Keeps what a post is now as a version, unless the newest version says the same.
   * @param most how many versions are kept, the newest; -1 for all
   */
  addVersion(post: Post, most: number, write: PostWrite): Promise<void>
  /**
   * Keeps what a person has saved of a post without changing it: one version for each person. New ones have no more
   * than what is given. What is no other than the post is forgotten.
   * @returns null when the texts given are those of the post
   */
  autosave(post: Post, texts: Partial<PostTexts>, write: PostWrite): Promise<Post | null>
}

/** Content of every type: reading and writing it. */
export interface Posts extends PostReading, PostWriting {}

/** Columns that a change gives as they are stored. */
export const PLAIN_COLUMNS = [
  'title', 'content', 'excerpt', 'password', 'author_id', 'parent_id', 'menu_order', 'comment_status', 'ping_status',
] as const satisfies readonly (keyof PostChange & keyof Row<'posts'>)[] // prettier-ignore
