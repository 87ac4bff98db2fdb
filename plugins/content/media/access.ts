import { LRUCache } from 'lru-cache'
import { RequestCache, VISITOR, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'
import type { LeanPost } from '../posts/index.ts'
import { escapeRegExp, originalsOf, partsOf, VERSION } from './file-versions.ts'
import { attachmentsWith, postsStoodForBy } from './model.ts'

/** Who may have a file: everybody, the person who asks and others like them, or not even the person who asks. */
export type Audience = 'everybody' | 'person' | 'others'

/** Milliseconds for which it is remembered whether published content shows a file: finding out takes a search. */
const REMEMBERED = 60_000
/** How many files that is remembered of. */
const MOST = 1000
/** How much content is looked at that holds the beginning of a file's name. */
const MOST_POSTS = 50

/**
 * Tells who may have the files of the uploads folder. The file of an attachment, with all its versions, is for those who
 * may see the attachment, and for everybody where published content shows it whose author may: an image is often shown
 * elsewhere than in the post that it was uploaded to. A file of no attachment is for everybody.
 */
export class FileAccess {
  readonly #plugin: PluginContext
  readonly #shown = new LRUCache<string, Promise<boolean>>({ max: MOST, ttl: REMEMBERED })

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** @param name below the folder, with slashes: `2025/01/photo-300x200.jpg` */
  async of(name: string, user: CurrentUser): Promise<Audience> {
    const { posts, store } = this.#plugin.services
    const scope = new RequestCache()
    const ids = await attachmentsWith(store, originalsOf(name))
    const attachments = (await Promise.all(ids.map((id) => posts.getAttached(id, scope)))).filter((one) => one !== undefined) // prettier-ignore
    const isSeenBy = async (person: CurrentUser) =>
      (await Promise.all(attachments.map((one) => posts.isReadable(one, person, scope)))).includes(true)
    if (attachments.length === 0 || (await isSeenBy(VISITOR))) return 'everybody'
    if (await this.#isShown(name, attachments, scope)) return 'everybody'
    return user.id !== 0 && (await isSeenBy(user)) ? 'person' : 'others'
  }

  #isShown(name: string, attachments: readonly LeanPost[], scope: RequestCache): Promise<boolean> {
    const { path, ending } = partsOf(name)
    const key = `${path}.${ending}`
    const known = this.#shown.get(key)
    if (known !== undefined) return known
    const shown = this.#standsForSomething(attachments, scope).then(
      (stands) => stands || this.#isInContent(name, attachments, scope),
    )
    this.#shown.set(key, shown)
    shown.catch(() => this.#shown.delete(key))
    return shown
  }

  /** Whether one of the attachments stands for the site, or for a post that everybody may read. */
  async #standsForSomething(attachments: readonly LeanPost[], scope: RequestCache): Promise<boolean> {
    const { options, posts, store } = this.#plugin.services
    const ids = attachments.map(({ id }) => id)
    const ofSite = await options.many(['site_icon', 'site_logo'])
    if (Object.values(ofSite).some((id) => ids.includes(Number(id)))) return true
    const found = await Promise.all((await postsStoodForBy(store, ids)).map((id) => posts.get(id, scope)))
    const seen = found.map(
      async (post) =>
        post !== undefined &&
        (await posts.isReadable(post, VISITOR, scope)) &&
        this.#maySee(post.author_id, attachments, scope),
    )
    return (await Promise.all(seen)).includes(true)
  }

  /** Whether the author of content may see what it shows: nobody gives to all what is kept from themselves. */
  async #maySee(author: number, attachments: readonly LeanPost[], scope: RequestCache): Promise<boolean> {
    const { posts, users } = this.#plugin.services
    const user = this.#plugin.has('users') ? await users.current(author) : undefined
    // Who is gone does nothing any more.
    if (user === undefined) return true
    return (await Promise.all(attachments.map((one) => posts.isReadable(one, user, scope)))).includes(true)
  }

  /** Whether content that everybody may read names the file, or a version of it. */
  async #isInContent(name: string, attachments: readonly LeanPost[], scope: RequestCache): Promise<boolean> {
    const { posts } = this.#plugin.services
    const { path, ending } = partsOf(name)
    if (path.includes('"')) return false
    const paths = [...new Set([path, encodeURI(path.toWellFormed())])]
    const versions = paths.map((one) => new RegExp(`/${escapeRegExp(one)}${VERSION}\\.${escapeRegExp(ending)}(?![\\w-])`, 'i')) // prettier-ignore
    const searches = posts
      .readScopeAbove(VISITOR)
      .flatMap(({ types, any: { statuses } }) =>
        paths.flatMap((one) => [`${one}.`, `${one}-`].map((text) => ({ types, statuses, search: `"/${text}"` }))),
      )
    for (const search of searches) {
      const { items } = await posts.query(
        { ...search, readScope: null, opens: null, order: 'desc', limit: MOST_POSTS },
        scope,
      )
      for (const { content, excerpt, author_id: author } of items) {
        const shows = versions.some((one) => one.test(content) || one.test(excerpt))
        if (shows && (await this.#maySee(author, attachments, scope))) return true
      }
    }
    return false
  }
}
