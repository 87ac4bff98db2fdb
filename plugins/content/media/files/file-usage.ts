import { RequestCache, type CurrentUser, type PluginContext } from '../../../../kernel/index.ts'
import type { ListedPost, Post } from '../../posts/index.ts'
import { postsWithFeaturedImage, siteImagesOf } from '../attachment-queries.ts'
import { fileMentions } from './file-mentions.ts'

/** How a post uses a file: it shows it in its text, in a gallery, or as its featured image; or it is what the file is attached to. */
export type FileUse = 'content' | 'gallery' | 'featured' | 'attached'

/** Where a file is used, as far as one user may see it. */
export interface FileUsage {
  readonly posts: readonly { readonly post: Post; readonly uses: readonly FileUse[] }[]
  /** The options of the site that hold the image: `site_icon`, `site_logo`. */
  readonly site: readonly string[]
  /** Whether that is all: no search has found more than is looked at. */
  readonly complete: boolean
}

/** The most posts that are looked at for one search. */
const MOST_POSTS = 100
const GALLERY = '"[gallery"'
/** Types whose posts are no places where somebody looks for a file. */
const NO_PLACES = new Set(['attachment', 'revision', 'nav_menu_item'])

/** Finds where the file of an attachment is used. */
export class UsageFinder {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** Where a file is used, among what a user may read. */
  async find({ id, parent_id: parent }: Post, user: CurrentUser, scope = new RequestCache()): Promise<FileUsage> {
    const { media, options, posts, store } = this.#plugin.services
    const [file] = await media.files(id, scope)
    const found = new Map<number, { post: Post; uses: Set<FileUse> }>()
    const add = (post: ListedPost, use: FileUse) => {
      const known = found.get(post.id) ?? { post: post as Post, uses: new Set() }
      found.set(post.id, { ...known, uses: known.uses.add(use) })
    }
    const featured = await postsWithFeaturedImage(store, [id])
    const known = [...featured.map((post) => [post, 'featured'] as const), [parent, 'attached'] as const]
    for (const [post, use] of known) {
      const one = post === 0 ? undefined : await posts.get(post, scope)
      if (one !== undefined && one.status !== 'trash' && (await posts.isReadable(one, user, scope))) add(one, use)
    }
    const { searches, isIn } = file === undefined ? { searches: [], isIn: () => false } : fileMentions(file)
    const full: boolean[] = [featured.length >= MOST_POSTS]
    for (const search of searches) {
      const items = await this.#search(search, user, scope)
      full.push(items.length === MOST_POSTS)
      for (const post of items) if (isIn(post)) add(post, 'content')
    }
    const galleries = await this.#search(GALLERY, user, scope)
    full.push(galleries.length === MOST_POSTS)
    for (const post of galleries) if (hasGalleryOf(post.content, id)) add(post, 'gallery')
    return {
      posts: [...found.values()].map(({ post, uses }) => ({ post, uses: [...uses] })),
      site: await siteImagesOf(options, id),
      complete: !full.includes(true),
    }
  }

  async #search(search: string, user: CurrentUser, scope: RequestCache): Promise<readonly Post[]> {
    const { contentTypes, posts, statuses } = this.#plugin.services
    const types = contentTypes.all().flatMap(({ name }) => (NO_PLACES.has(name) ? [] : [name]))
    const all = statuses.all().flatMap(({ name, internal }) => (internal ? [] : [name]))
    const query = { types, statuses: all, search, orderby: 'date' as const, order: 'desc' as const, limit: MOST_POSTS }
    const { items } = await posts.query(posts.forUser(query, user), scope)
    return items
  }
}

/** Whether one of the galleries of a text names an attachment. */
function hasGalleryOf(content: string, id: number): boolean {
  return [...content.matchAll(/\[gallery\b[^\]]*?\b(?:ids|include)\s*=\s*["']?([\d,\s]+)/g)].some(([, ids = '']) =>
    ids.split(',').map(Number).includes(id),
  )
}
