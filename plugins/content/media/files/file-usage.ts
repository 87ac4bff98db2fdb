import { RequestCache, type CurrentUser, type PluginContext } from '../../../../kernel/index.ts'
import type { ListedPost, Post } from '../../posts/index.ts'
import { postsWithFeaturedImage, siteImagesOf } from '../attachment-queries.ts'
import { fileMentions } from './file-mentions.ts'

/**
 * How a post uses a file: in its text, in a gallery, as its featured image, or as the parent post of the attachment.
 */
export type FileUse = 'content' | 'gallery' | 'featured' | 'attached'

/** The uses of a file that a user may see. */
export interface FileUsage {
  readonly posts: readonly { readonly post: Post; readonly uses: readonly FileUse[] }[]
  /** The site options that hold the image: `site_icon`, `site_logo`. */
  readonly site: readonly string[]
  /** Whether the list is complete: no search reached its limit. */
  readonly complete: boolean
}

/** Maximum number of posts per search. */
const MAX_POSTS = 100
const GALLERY = '"[gallery"'
/** Types that are excluded because editors do not look there for a file. */
const EXCLUDED_TYPES = new Set(['attachment', 'revision', 'nav_menu_item'])

/** Finds where the file of an attachment is used. */
export class UsageFinder {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** Returns the posts and site options that use a file, limited to posts that the user may read. */
  async find({ id, parent_id: parent }: Post, user: CurrentUser, scope = new RequestCache()): Promise<FileUsage> {
    const { media, options, posts, store } = this.#plugin.services
    const [file] = await media.files(id, scope)
    const usages = new Map<number, { post: Post; uses: Set<FileUse> }>()
    const add = (post: ListedPost, use: FileUse) => {
      const usage = usages.get(post.id) ?? { post: post as Post, uses: new Set() }
      usages.set(post.id, { ...usage, uses: usage.uses.add(use) })
    }
    const featured = await postsWithFeaturedImage(store, [id])
    const references = [...featured.map((post) => [post, 'featured'] as const), [parent, 'attached'] as const]
    for (const [post, use] of references) {
      const referenced = post === 0 ? undefined : await posts.get(post, scope)
      if (
        referenced !== undefined &&
        referenced.status !== 'trash' &&
        (await posts.isReadable(referenced, user, scope))
      )
        add(referenced, use)
    }
    const { searches, isIn } = file === undefined ? { searches: [], isIn: () => false } : fileMentions(file)
    const full: boolean[] = [featured.length >= MAX_POSTS]
    for (const search of searches) {
      const items = await this.#search(search, user, scope)
      full.push(items.length === MAX_POSTS)
      for (const post of items) if (isIn(post)) add(post, 'content')
    }
    const galleries = await this.#search(GALLERY, user, scope)
    full.push(galleries.length === MAX_POSTS)
    for (const post of galleries) if (hasGalleryOf(post.content, id)) add(post, 'gallery')
    return {
      posts: [...usages.values()].map(({ post, uses }) => ({ post, uses: [...uses] })),
      site: await siteImagesOf(options, id),
      complete: !full.includes(true),
    }
  }

  async #search(search: string, user: CurrentUser, scope: RequestCache): Promise<readonly Post[]> {
    const { contentTypes, posts, statuses } = this.#plugin.services
    const types = contentTypes.all().flatMap(({ name }) => (EXCLUDED_TYPES.has(name) ? [] : [name]))
    const all = statuses.all().flatMap(({ name, internal }) => (internal ? [] : [name]))
    const query = { types, statuses: all, search, orderby: 'date' as const, order: 'desc' as const, limit: MAX_POSTS }
    const { items } = await posts.query(posts.forUser(query, user), scope)
    return items
  }
}

/** Checks whether a gallery in the text names the attachment. */
function hasGalleryOf(content: string, id: number): boolean {
  return [...content.matchAll(/\[gallery\b[^\]]*?\b(?:ids|include)\s*=\s*["']?([\d,\s]+)/g)].some(([, ids = '']) =>
    ids.split(',').map(Number).includes(id),
  )
}
