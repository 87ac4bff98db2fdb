import { LRUCache } from 'lru-cache'
import { RequestCache, runDetached, VISITOR, type CurrentUser, type PluginContext } from '../../../../kernel/index.ts'
import { collectDependencies, dependsOn } from '../../../library/caching/index.ts'
import type { LeanPost } from '../../posts/index.ts'
import { attachmentsOfFile, isSiteImage, postsWithFeaturedImage } from '../attachment-queries.ts'
import { fileMentions } from './file-mentions.ts'
import { originalPath, originalsOf } from './file-versions.ts'

/** Users who may read a file: every visitor, only some users including the requesting user, or only other users. */
export type Audience = 'everybody' | 'user' | 'others'

/** Maximum number of files whose public visibility is cached, because finding out takes a search. */
const MAX_CACHED_FILES = 1000
/** Maximum number of posts read per search. */
const MAX_POSTS = 50

/**
 * Cached result whether published content shows a file, with its cache tags; the tags are null while the search runs.
 */
interface CachedResult {
  readonly outcome: Promise<boolean>
  readonly at: number
  tags: readonly string[] | null
}

/**
 * Decides who may read the files of the uploads folder. Users who may read an attachment may read its file and all
 * versions of it. Every visitor may, if published content shows the file and the author of that content may read the
 * attachment: images are often shown in other posts than the one they were uploaded to. Every visitor may read a file
 * without an attachment.
 */
export class FileAccess {
  readonly #plugin: PluginContext
  readonly #shown = new LRUCache<string, CachedResult>({ max: MAX_CACHED_FILES })

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** @param name relative to the folder, with slashes: `2025/01/photo-300x200.jpg` */
  async audienceOf(name: string, user: CurrentUser): Promise<Audience> {
    const { posts, store } = this.#plugin.services
    const scope = new RequestCache()
    const ids = await attachmentsOfFile(store, originalsOf(name))
    const attachments = (await Promise.all(ids.map((id) => posts.getAttached(id, scope)))).filter(
      (post) => post !== undefined,
    )
    if (attachments.length === 0 || (await this.#isReadable(attachments, VISITOR, scope))) return 'everybody'
    if (await this.#isShown(name, attachments, scope)) return 'everybody'
    return user.id !== 0 && (await this.#isReadable(attachments, user, scope)) ? 'user' : 'others'
  }

  async #isReadable(attachments: readonly LeanPost[], user: CurrentUser, scope: RequestCache): Promise<boolean> {
    const { posts } = this.#plugin.services
    return (await Promise.all(attachments.map(async (post) => posts.isReadable(post, user, scope)))).includes(true)
  }

  #isShown(name: string, attachments: readonly LeanPost[], scope: RequestCache): Promise<boolean> {
    const { path, extension } = originalPath(name)
    const ids = attachments.map(({ id }) => id)
    const key = `${path}.${extension} ${ids.join()}`
    const { changes } = this.#plugin.services.store
    const at = changes.state()
    const cached = this.#shown.get(key)
    // A running search is shared only until the next change.
    const isCurrent =
      cached?.tags === null ? cached.at === at : cached !== undefined && changes.unchanged(cached.tags, cached.at)
    if (cached !== undefined && at !== null && isCurrent) return cached.outcome
    const search = async () => {
      // Explicit, because the attachments were loaded before dependencies are collected. A change of an attachment's
      // parent can change which authors may show the attachment in their posts.
      dependsOn(...ids.map((id) => `post:${id}`))
      return (await this.#isFeatured(attachments, scope)) || this.#isInContent(name, attachments, scope)
    }
    return collectDependencies((dependencies) => {
      if (at === null) return search()
      // Detached: other requests may wait for the same search.
      const outcome = runDetached(search)
      const shown: CachedResult = { outcome, at, tags: null }
      this.#shown.set(key, shown)
      outcome.then(
        () => (dependencies.isOfTagsAlone ? void (shown.tags = [...dependencies.tags]) : this.#shown.delete(key)),
        () => this.#shown.delete(key),
      )
      return outcome
    })
  }

  /** Checks whether one of the attachments is the site icon or logo, or the featured image of a public post. */
  async #isFeatured(attachments: readonly LeanPost[], scope: RequestCache): Promise<boolean> {
    const { options, posts, store } = this.#plugin.services
    const ids = attachments.map(({ id }) => id)
    if (await isSiteImage(options, ids)) return true
    const featuring = await Promise.all(
      (await postsWithFeaturedImage(store, ids)).map(async (id) => posts.get(id, scope)),
    )
    const featured = featuring.map(
      async (post) =>
        post !== undefined &&
        (await posts.isReadable(post, VISITOR, scope)) &&
        this.#mayAuthorRead(post.author_id, attachments, scope),
    )
    return (await Promise.all(featured)).includes(true)
  }

  /**
   * Checks whether the author of a post may read the attachments in it: a user cannot publish a file that they may not
   * read.
   */
  async #mayAuthorRead(author: number, attachments: readonly LeanPost[], scope: RequestCache): Promise<boolean> {
    const user = this.#plugin.has('users') ? await this.#plugin.services.users.current(author) : undefined
    // A deleted user can no longer publish anything.
    return user === undefined || this.#isReadable(attachments, user, scope)
  }

  /** Checks whether public content contains the URL of the file or of one of its versions. */
  async #isInContent(name: string, attachments: readonly LeanPost[], scope: RequestCache): Promise<boolean> {
    const { posts } = this.#plugin.services
    const { searches: texts, isIn } = fileMentions(name)
    const searches = posts
      .readScopeAbove(VISITOR)
      .flatMap(({ types, any: { statuses } }) => texts.map((search) => ({ types, statuses, search })))
    for (const search of searches) {
      const { items } = await posts.query(
        { ...search, readScope: null, opens: null, order: 'desc', limit: MAX_POSTS },
        scope,
      )
      for (const post of items) {
        if (isIn(post) && (await this.#mayAuthorRead(post.author_id, attachments, scope))) return true
      }
    }
    return false
  }
}
