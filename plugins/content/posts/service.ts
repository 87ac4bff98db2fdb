import type { Store } from '../../storage/store/index.ts'
import {
  applyFilter,
  VISITOR,
  type Awaitable,
  type CurrentUser,
  type PluginContext,
  type RequestCache,
  type RestRequest,
} from '../../../kernel/index.ts'
import { PRIVACY_PAGE } from '../../foundation/settings/index.ts'
import { addDeprecatedMembers } from '../../library/deprecated-names/index.ts'
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
 * Reads and writes content of every type, and decides who may read or change it. Reads of many posts within one request
 * are batched into one statement. Each write is one transaction, or joins an open one.
 */
export class PostService extends PostReader {
  /** @deprecated Use `postsAt`. */
  declare readonly past: PostService['postsAt']
  /** @deprecated Use `checkPassword`. */
  declare readonly opens: PostService['checkPassword']
  /**
   * Context for controllers of posts. A plugin that extends `PostsController` or a subclass passes it on, so that it
   * does not have to declare the dependencies of the posts plugin itself.
   */
  readonly context: PluginContext
  /** Creates and updates posts for a caller that already holds the write turn. @internal */
  readonly writer: PostWriter
  readonly #visibility: PostVisibility
  readonly #readScopes: ReadScopes

  constructor(plugin: PluginContext) {
    super(plugin)
    this.context = plugin
    this.writer = new PostWriter(plugin)
    this.#visibility = new PostVisibility(plugin.services, {
      get: (id, scope) => this.get(id, scope),
      firstOwnStatus: (post, scope) => this.firstOwnStatus(post, scope),
      trashedStatus: (id, scope) => plugin.services.meta.single('post', id, TRASHED_STATUS_KEY, scope),
    })
    this.#readScopes = new ReadScopes(plugin.services)
  }

  /** IDs of the sticky posts. */
  sticky(): Promise<readonly number[]> {
    return stickyPosts(this.context.services.options)
  }

  /** Whether a post is sticky. The list is read once per request. */
  async isSticky(post: LeanPost, scope: RequestCache): Promise<boolean> {
    const sticky = await scope.getLater('posts: sticky', async () => new Set(await this.sticky()))
    return sticky.has(post.id)
  }

  /** CSS classes of a post for themes: `post-12 type-post has-post-thumbnail category-news`. */
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

  /** Returns the page with the privacy policy; null if none is chosen, or if visitors cannot read it. */
  async privacyPage(scope: RequestCache): Promise<Post | null> {
    const id = Number(await this.context.services.options.get(PRIVACY_PAGE)) || 0
    const page = id === 0 ? undefined : await this.get(id, scope)
    return page?.type === 'page' && page.status === 'publish' ? page : null
  }

  // Permissions

  /** Whether a user may read a post, without regard to its password. Attachments follow their parent. */
  isReadable(post: PostKey, user: CurrentUser, scope: RequestCache): Awaitable<boolean> {
    return this.#visibility.isReadable(post, user, scope)
  }

  /** Whether a user may edit a post. */
  isEditable(post: PostKey, user: CurrentUser, scope: RequestCache): Awaitable<boolean> {
    return this.#visibility.isEditable(post, user, scope)
  }

  /**
   * Whether a user may read a post as editors do, with its stored texts, regardless of its status and password. Roles
   * can have the right to edit posts that they cannot read.
   */
  async isReadableForEditing(post: PostKey, user: CurrentUser, scope: RequestCache): Promise<boolean> {
    return (await this.isEditable(post, user, scope)) && this.isReadable(post, user, scope)
  }

  /** The properties of a post that capability checks need. */
  subject(post: PostKey, scope: RequestCache): Awaitable<PostSubject> {
    return this.#visibility.subject(post, scope)
  }

  /**
   * Loads posts as they were right after changes, with checks of who could read them. Attachments, comments and other
   * items that belong to a post are visible to users who could see the post. Requires the plugin `changes`.
   */
  postsAt(moments: readonly PostMoment[]): Promise<PastPosts> {
    return PastPosts.read(this.context.services, moments)
  }

  /**
   * Checks the password of a post; a post without one is open. Takes the same time for every password. After too many
   * wrong attempts, a client has to wait before the next check.
   * @param request provides the client address and the cache for repeated checks
   * @throws rest_post_too_many_attempts
   */
  checkPassword(post: LeanPost, password: unknown, request: Pick<RestRequest, 'ip' | 'scope'>): Awaitable<boolean> {
    return opensPost(this.context.services, post, password, request)
  }

  /**
   * Limits a query to posts that the user may read, and its search to texts that are open to them. Limits that the
   * query already sets are preserved.
   */
  forUser(query: PostQuery, user: CurrentUser): ScopedPostQuery {
    return this.#readScopes.forUser(query, user)
  }

  /** Returns the query of a list on a page of the site, with the posts that visitors may read. @param scope cache of the page */
  async forPage(query: PostQuery, scope: RequestCache): Promise<ScopedPostQuery> {
    return this.forUser(await applyFilter(this.context.hooks.site_posts_query, query, scope), VISITOR)
  }

  /** Read scopes of a user over all types, for queries of items that belong to posts. */
  readScopeAbove(user: CurrentUser): readonly ReadScope[] {
    return this.#readScopes.above(user)
  }

  // Writing. These methods do not check permissions.

  /** Creates a post. @throws empty_content */
  create(post: NewPost, write: PostWrite): Promise<Post> {
    return inTurn(this.context.services.store, write, () => this.writer.create(post, write))
  }

  /** Changes a post. @throws rest_post_invalid_id if it has been deleted, empty_content */
  update(id: number, change: PostChange, write: PostWrite): Promise<Post> {
    return inTurn(this.context.services.store, write, () => this.writer.update(id, change, write))
  }

  /**
   * Replaces the terms of a post in some taxonomies, without a new date of modification: for terms that are no content of
   * the post, such as its language. @throws rest_post_invalid_id if it has been deleted
   */
  setTerms(id: number, terms: ReadonlyMap<string, readonly number[]>, write: PostWrite): Promise<void> {
    return this.writer.setTerms(id, terms, write)
  }

  /**
   * Moves a post to the trash. `update` with another status restores it.
   * @throws rest_post_invalid_id if it has been deleted, rest_already_trashed
   */
  trash(id: number, write: PostWrite): Promise<Post> {
    return this.writer.trash(id, write)
  }

  /**
   * Permanently deletes a post with its revisions, meta and comments. Its children move up to its parent; its
   * attachments are detached.
   * @throws rest_post_invalid_id if it has been deleted
   */
  remove(id: number, write: PostWrite): Promise<void> {
    return this.writer.remove(id, write)
  }

  /** Reassigns all posts of one user to another. */
  reassign(from: number, to: number): Promise<void> {
    return this.writer.reassign(from, to)
  }

  /** Moves the posts of a user to the trash, for types that are deleted with their author. */
  trashOf(author: number, write: PostWrite): Promise<void> {
    return this.writer.trashOf(author, write)
  }

  /**
   * Stores the current post as a revision, unless the newest revision has the same texts.
   * @param maxRevisions maximum number of revisions to keep; -1 for all
   * @param force creates the revision even if the texts are unchanged, because meta differs
   * @returns the ID of the revision, or null if none was created
   */
  addVersion(post: Post, maxRevisions: number, write: PostWrite, force = false): Promise<number | null> {
    return addRevision(this.context, post, maxRevisions, write, force)
  }

  /**
   * Deletes the oldest revisions of posts whose revisions an import has stored. Call it in the open transaction.
   * @param after ID of the newest post before the import
   * @param keepOf maximum number of revisions of a post; -1 for all
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
   * Stores texts as the autosave of a user, without changing the post. Each user has one autosave per post; a new one
   * replaces all texts of the former. Before revision 6.3, if they equal the texts of the post, the former autosave is
   * deleted.
   * @returns null if a former autosave was deleted
   */
  autosave(post: Post, texts: Partial<PostTexts>, write: PostWrite): Promise<Post | null> {
    return saveAutosave(this.context, post.id, texts, write)
  }
}

addDeprecatedMembers(PostService.prototype, 'services.posts', { past: 'postsAt', opens: 'checkPassword' })
