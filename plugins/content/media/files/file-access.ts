import { LRUCache } from 'lru-cache'
import { RequestCache, VISITOR, type CurrentUser, type PluginContext } from '../../../../kernel/index.ts'
import { collectDependencies, dependsOn } from '../../../library/caching/index.ts'
import type { LeanPost } from '../../posts/index.ts'
import { attachmentsOfFile, isSiteImage, postsWithFeaturedImage } from '../attachment-queries.ts'
import { fileMentions } from './file-mentions.ts'
import { originalPath, originalsOf } from './file-versions.ts'

/** Who may read a file: all visitors, only some users with the requesting user among them, or only other users. */
export type Audience = 'everybody' | 'user' | 'others'

/** The most files of which it is kept whether published content shows them: finding out takes a search. */
const CACHE_SIZE = 1000
/** The most posts that are read for one beginning of a file's name. */
const MAX_POSTS = 50

/** Whether published content shows a file, and what that depends on; no tags while it is being found out. */
interface Shown {
  readonly outcome: Promise<boolean>
  readonly at: number
  tags: readonly string[] | null
}

/**
 * Decides who may read the files of the uploads folder. Users who may read an attachment may read its file and all versions
 * of it. All visitors may, if published content shows the file and the author of that content may read the attachment: an
 * image is often shown in other posts than the one it was uploaded to. All visitors may read a file without an attachment.
 */
export class FileAccess {
  readonly #plugin: PluginContext
  readonly #shown = new LRUCache<string, Shown>({ max: CACHE_SIZE })

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** @param name below the folder, with slashes: `2025/01/photo-300x200.jpg` */
  async audienceOf(name: string, user: CurrentUser): Promise<Audience> {
    const { posts, store } = this.#plugin.services
    const scope = new RequestCache()
    const ids = await attachmentsOfFile(store, originalsOf(name))
    const attachments = (await Promise.all(ids.map((id) => posts.getAttached(id, scope)))).filter(
      (one) => one !== undefined,
    )
    if (attachments.length === 0 || (await this.#isReadable(attachments, VISITOR, scope))) return 'everybody'
    if (await this.#isShown(name, attachments, scope)) return 'everybody'
    return user.id !== 0 && (await this.#isReadable(attachments, user, scope)) ? 'user' : 'others'
  }

  async #isReadable(attachments: readonly LeanPost[], user: CurrentUser, scope: RequestCache): Promise<boolean> {
    const { posts } = this.#plugin.services
    return (await Promise.all(attachments.map(async (one) => posts.isReadable(one, user, scope)))).includes(true)
  }

  #isShown(name: string, attachments: readonly LeanPost[], scope: RequestCache): Promise<boolean> {
    const { path, extension } = originalPath(name)
    const ids = attachments.map(({ id }) => id)
    const key = `${path}.${extension} ${ids.join()}`
    const { changes } = this.#plugin.services.store
    const at = changes.state()
    const known = this.#shown.get(key)
    // One that is being found out is good for those who ask before anything changes.
    const isGood =
      known?.tags === null ? known.at === at : known !== undefined && changes.unchanged(known.tags, known.at)
    if (known !== undefined && at !== null && isGood) return known.outcome
    const search = async () => {
      // They have been read already: what they are attached to decides whose content may show them.
      dependsOn(...ids.map((id) => `post:${id}`))
      return (await this.#isFeatured(attachments, scope)) || this.#isInContent(name, attachments, scope)
    }
    return collectDependencies((dependencies) => {
      const outcome = search()
      if (at === null) return outcome
      const shown: Shown = { outcome, at, tags: null }
      this.#shown.set(key, shown)
      outcome.then(
        () => (dependencies.isOfTagsAlone ? void (shown.tags = [...dependencies.tags]) : this.#shown.delete(key)),
        () => this.#shown.delete(key),
      )
      return outcome
    })
  }

  /** Whether one of the attachments is an image of the site, or the featured image of a post that everybody may read. */
  async #isFeatured(attachments: readonly LeanPost[], scope: RequestCache): Promise<boolean> {
    const { options, posts, store } = this.#plugin.services
    const ids = attachments.map(({ id }) => id)
    if (await isSiteImage(options, ids)) return true
    const found = await Promise.all((await postsWithFeaturedImage(store, ids)).map(async (id) => posts.get(id, scope)))
    const featured = found.map(
      async (post) =>
        post !== undefined &&
        (await posts.isReadable(post, VISITOR, scope)) &&
        this.#mayAuthorRead(post.author_id, attachments, scope),
    )
    return (await Promise.all(featured)).includes(true)
  }

  /** Whether the author of a post may read the attachments in it: a user cannot publish a file that they may not read. */
  async #mayAuthorRead(author: number, attachments: readonly LeanPost[], scope: RequestCache): Promise<boolean> {
    const user = this.#plugin.has('users') ? await this.#plugin.services.users.current(author) : undefined
    // A deleted user can no longer publish anything.
    return user === undefined || this.#isReadable(attachments, user, scope)
  }

  /** Whether content that everybody may read contains the URL of the file, or of a version of it. */
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
