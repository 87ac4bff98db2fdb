import type { Store } from '../../storage/store/index.ts'
import type { Awaitable, CurrentUser, PluginContext, RequestCache, RestRequest } from '../../../kernel/index.ts'
import type { PostSubject } from '../../people/roles/index.ts'
import type { PostMoment } from '../../storage/changes/index.ts'
import { classList } from './class-list.ts'
import { opensPost } from './password.ts'
import { PastPosts } from './past-posts.ts'
import type { LeanPost, NewPost, Post, PostChange, PostKey, PostTexts, PostWrite } from './post.ts'
import type { PostQuery, ReadScope, ScopedPostQuery } from './query/index.ts'
import { ReadScopes } from './read-scope.ts'
import { PostReader } from './reader.ts'
import { addRevision, postsOfRevisions, pruneRevisions, saveAutosave } from './revisions.ts'
import { ServedType } from './served-type.ts'
import { stickyPosts } from './sticky.ts'
import { TRASHED_STATUS_KEY } from '../meta-keys.ts'
import { PostVisibility } from './visibility.ts'
import { inTurn } from './write-turn.ts'
import { PostWriter } from './writer.ts'

/**
 * Content of every type: reading and writing it, and who may read or change a post. What one request reads of many posts
 * comes from one statement. Each write is one transaction; within one it joins it.
 */
export class PostService extends PostReader {
  /**
   * What controllers of posts work in. A plugin that extends one of them, or `PostsController`, passes this on, so that it
   * need not need what posts need.
   */
  readonly context: PluginContext
  /** Creates and updates posts for a caller who has the turn of the writers. @internal */
  readonly writer: PostWriter
  readonly #visibility: PostVisibility
  readonly #readScopes: ReadScopes

  constructor(plugin: PluginContext) {
    super(plugin.services)
    this.context = plugin
    this.writer = new PostWriter(plugin)
    this.#visibility = new PostVisibility(plugin.services, {
      get: (id, scope) => this.get(id, scope),
      firstOwnStatus: (post, scope) => this.firstOwnStatus(post, scope),
      trashedStatus: (id, scope) => plugin.services.meta.single('post', id, TRASHED_STATUS_KEY, scope),
    })
    this.#readScopes = new ReadScopes(plugin.services)
  }

  /** IDs of the posts that stay at the top of lists. */
  sticky(): Promise<readonly number[]> {
    return stickyPosts(this.context.services.options)
  }

  /** Whether a post is one of them, as the request has first read it. */
  async isSticky(post: LeanPost, scope: RequestCache): Promise<boolean> {
    const sticky = await scope.getLater('posts: sticky', async () => new Set(await this.sticky()))
    return sticky.has(post.id)
  }

  /** The classes by which themes tell posts apart: `post-12 type-post has-post-thumbnail category-news`. */
  async classes(post: LeanPost, scope: RequestCache): Promise<string[]> {
    const { contentTypes, terms } = this.context.services
    const type = contentTypes.get(post.type)
    if (type === undefined) return []
    const served = new ServedType(this.context, type)
    const [ofPost, media] = await Promise.all([
      served.publicTaxonomies.length > 0 ? terms.ofPosts(scope).load(post.id) : undefined,
      this.featuredMedia(post.id, scope),
    ])
    return classList(served, post, ofPost, media)
  }

  // Who may

  /** Whether a user may read a post; its password is another matter. Attachments follow the post above. */
  isReadable(post: PostKey, user: CurrentUser, scope: RequestCache): Awaitable<boolean> {
    return this.#visibility.isReadable(post, user, scope)
  }

  /** Whether a user may change a post. */
  isEditable(post: PostKey, user: CurrentUser, scope: RequestCache): Awaitable<boolean> {
    return this.#visibility.isEditable(post, user, scope)
  }

  /**
   * Whether a user may read a post as editors do: with its texts as they are stored, whatever its status and its password.
   * Roles may have rights to change what they may not read.
   */
  async isReadableForEditing(post: PostKey, user: CurrentUser, scope: RequestCache): Promise<boolean> {
    return (await this.isEditable(post, user, scope)) && this.isReadable(post, user, scope)
  }

  /** What a capability about the post needs to know of it. */
  subject(post: PostKey, scope: RequestCache): Awaitable<PostSubject> {
    return this.#visibility.subject(post, scope)
  }

  /**
   * Posts right after changes, and who could read them: what is attached to a post, or written about it, is seen by those
   * who could see the post. Needs the plugin `changes`.
   */
  past(moments: readonly PostMoment[]): Promise<PastPosts> {
    return PastPosts.read(this.context.services, moments)
  }

  /**
   * Whether a password opens the post; one without a password is open. Takes the same time for every password. After too
   * many wrong ones a client has to wait before the next is compared.
   * @param request who asks: from where, and what was found out already in the same scope
   * @throws rest_post_too_many_attempts
   */
  opens(post: LeanPost, password: unknown, request: Pick<RestRequest, 'ip' | 'scope'>): Awaitable<boolean> {
    return opensPost(this.context.services, post, password, request)
  }

  /**
   * The query limited to what a user may read, and its search to the texts that are open to them. What it says of that
   * already stays.
   */
  forUser(query: PostQuery, user: CurrentUser): ScopedPostQuery {
    return this.#readScopes.forUser(query, user)
  }

  /** What a user may read that other items are attached to, for the query that lists those. */
  readScopeAbove(user: CurrentUser): readonly ReadScope[] {
    return this.#readScopes.above(user)
  }

  // Writing; asks for no permission

  /** Stores a new post. @throws empty_content */
  create(post: NewPost, write: PostWrite): Promise<Post> {
    return inTurn(this.context.services.store, write, () => this.writer.create(post, write))
  }

  /** Changes a post. @throws rest_post_invalid_id when it is gone, empty_content */
  update(id: number, change: PostChange, write: PostWrite): Promise<Post> {
    return inTurn(this.context.services.store, write, () => this.writer.update(id, change, write))
  }

  /**
   * Moves a post to the trash, from where `update` brings it back with another status.
   * @throws rest_post_invalid_id when it is gone, rest_already_trashed
   */
  trash(id: number, write: PostWrite): Promise<Post> {
    return this.writer.trash(id, write)
  }

  /**
   * Deletes a post for good, with its revisions, meta and comments. What is below it moves up; what is attached to it is
   * attached no longer.
   * @throws rest_post_invalid_id when it is gone
   */
  remove(id: number, write: PostWrite): Promise<void> {
    return this.writer.remove(id, write)
  }

  /** Makes everything that one user wrote somebody else's. */
  reassign(from: number, to: number): Promise<void> {
    return this.writer.reassign(from, to)
  }

  /** Moves what a user wrote to the trash: posts of the types that go with their author. */
  trashOf(author: number, write: PostWrite): Promise<void> {
    return this.writer.trashOf(author, write)
  }

  /**
   * Keeps what a post is now as a revision, unless the newest revision says the same.
   * @param most how many revisions are kept, the newest; -1 for all
   * @param anyway whether texts like those of the newest one are kept too, where meta differs
   * @returns the ID of the revision; null where none was made
   */
  addVersion(post: Post, most: number, write: PostWrite, anyway = false): Promise<number | null> {
    return addRevision(this.context, post, most, write, anyway)
  }

  /**
   * Deletes the oldest revisions of the posts of revisions that an import has stored; the transaction is open.
   * @param after ID of the newest post before the import
   * @param keepOf how many revisions a post keeps; -1 for all
   * @returns the IDs of the deleted revisions
   */
  async pruneVersions(
    tx: Store,
    after: number,
    keepOf: (post: Pick<Post, 'id' | 'type'>) => number,
  ): Promise<number[]> {
    const deleted: number[] = []
    for await (const page of postsOfRevisions(tx, after)) {
      const byKeep = Map.groupBy(page, keepOf)
      for (const [keep, posts] of byKeep)
        if (keep >= 0)
          deleted.push(
            ...(await pruneRevisions(
              tx,
              posts.map(({ id }) => id),
              keep,
            )),
          )
    }
    return deleted
  }

  /**
   * Stores the texts that a user has saved without changing the post: one autosave for each user. A new autosave has only
   * the given texts. If the texts equal those of the post, an earlier autosave is deleted.
   * @param keepsMeta whether the autosave has meta of its own, which may differ from the meta of the post
   * @returns null when the texts given are those of the post
   */
  autosave(post: Post, texts: Partial<PostTexts>, write: PostWrite, keepsMeta = false): Promise<Post | null> {
    return saveAutosave(this.context, post.id, texts, write, keepsMeta)
  }
}
