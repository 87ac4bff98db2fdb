import { escapeHtml, type PluginContext, type Post, type RestRequest } from '../../public.ts'
import { permits, userRow } from './user-rows.ts'

/** Objects in the form of the format `standard`. Objects that the requesting user cannot read are left out. */
export class ObjectRows {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** Returns an attachment as an object, as its URL, or as its ID; false if it does not exist. */
  async file(id: number, format: string, request: RestRequest): Promise<unknown> {
    const { media, permalinks, posts } = this.#plugin.services
    const { scope, user } = request
    if (!Number.isSafeInteger(id) || id <= 0) return false
    if (format === 'id') return id
    const post = await posts.get(id, scope)
    if (post?.type !== 'attachment' || !(await posts.isReadable(post, user, scope))) return false
    const data = await media.data(post, scope)
    if (format === 'url') return data.url
    const { details, url } = data
    const [type = '', subtype = ''] = post.mime_type.split('/')
    return {
      ID: id,
      id,
      title: post.title,
      filename: decodeURIComponent(url.slice(url.lastIndexOf('/') + 1)),
      filesize: Number(details['filesize'] ?? 0),
      url,
      link: await permalinks.post(post, scope),
      alt: data.alt,
      author: String(post.author_id),
      description: post.content,
      caption: post.excerpt,
      name: post.slug,
      status: post.status,
      uploaded_to: post.parent_id,
      date: post.date,
      modified: post.modified,
      menu_order: post.menu_order,
      mime_type: post.mime_type,
      type,
      subtype,
      icon: this.#icon(type),
      ...(type === 'image' && this.#sizes(url, details, data.sizes)),
    }
  }

  #icon(type: string): string {
    const { branding, urls } = this.#plugin
    return urls.site(`${branding.mediaIconsPath}/${MEDIA_ICONS.includes(type) ? type : 'default'}.png`)
  }

  /** Sizes that the image lacks have the URL and the size of the image itself. */
  #sizes(url: string, details: Readonly<Record<string, unknown>>, versions: Readonly<Record<string, Version>>) {
    const [width, height] = [Number(details['width'] ?? 0), Number(details['height'] ?? 0)]
    const names = new Set([...SIZE_NAMES, ...this.#plugin.services.imageSizes.all().map(({ name }) => name)])
    const sizes = [...names].flatMap((name) => {
      const { source_url: source = url, width: w = width, height: h = height } = versions[name] ?? {}
      return [
        [name, source],
        [`${name}-width`, w],
        [`${name}-height`, h],
      ] as const
    })
    return { width, height, sizes: Object.fromEntries(sizes) }
  }

  /** Returns posts as rows or as IDs. */
  async posts(ids: readonly number[], format: string, request: RestRequest): Promise<unknown[]> {
    const { posts } = this.#plugin.services
    const { scope, user } = request
    const rows = await Promise.all(
      ids.map(async (id) => {
        const post = await posts.get(id, scope)
        if (post === undefined || !(await posts.isReadable(post, user, scope))) return null
        if (format === 'id') return id
        const isEditor = post.password === '' || (await posts.isEditable(post, user, scope))
        return postRow(post, isEditor)
      }),
    )
    return rows.filter((row) => row !== null)
  }

  /** Returns the URL of a post, or a URL unchanged; null if the post does not exist. */
  async url(value: unknown, { scope, user }: RestRequest): Promise<string | null> {
    const id = Number(value)
    if (!Number.isSafeInteger(id)) return typeof value === 'string' ? value : null
    const { permalinks, posts } = this.#plugin.services
    const post = await posts.get(id, scope)
    if (post === undefined || !(await posts.isReadable(post, user, scope))) return null
    return await permalinks.post(post, scope)
  }

  /** Returns terms as rows or as IDs. */
  async terms(ids: readonly number[], taxonomy: string, format: string, { scope }: RestRequest): Promise<unknown[]> {
    const { terms } = this.#plugin.services
    if (format === 'id') return [...ids]
    const found = await Promise.all(ids.map(async (id) => terms.get(id, scope)))
    return found.flatMap((term) =>
      term === undefined || (taxonomy !== '' && term.taxonomy !== taxonomy)
        ? []
        : [
            {
              term_id: term.id,
              name: term.name,
              slug: term.slug,
              term_group: 0,
              term_taxonomy_id: term.id,
              taxonomy: term.taxonomy,
              description: term.description,
              parent: term.parent_id,
              count: term.count,
              filter: 'raw',
            },
          ],
    )
  }

  /** Returns users as IDs or as objects with what the requesting user may see of them. */
  async users(ids: readonly number[], format: string, request: RestRequest): Promise<unknown[]> {
    if (format === 'id') return [...ids]
    const { users } = this.#plugin.services
    const rows = await Promise.all(
      ids.map(async (id) => {
        const user = await users.get(id, request.scope)
        if (user === undefined) return null
        return userRow(this.#plugin, user, { format, isPermitted: permits(this.#plugin, request.user, id), request })
      }),
    )
    return rows.filter((row) => row !== null)
  }

  /** Returns a link as HTML. */
  link(url: string): string {
    const isHttp = url.startsWith('http://') || url.startsWith('https://')
    return isHttp ? `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>` : escapeHtml(url)
  }
}

interface Version {
  readonly source_url?: string
  readonly width?: number
  readonly height?: number
}

/** Sizes that images have in WordPress, also without a version of the size. */
const SIZE_NAMES = ['thumbnail', 'medium', 'medium_large', 'large', '1536x1536', '2048x2048']

/** Media types with an icon of their own. */
const MEDIA_ICONS = ['text', 'audio', 'video']

/** Returns a post as its row in WordPress. */
function postRow(post: Post, showsTexts: boolean) {
  return {
    ID: post.id,
    post_author: String(post.author_id),
    post_date: post.date ?? '0000-00-00 00:00:00',
    post_date_gmt: post.date_gmt ?? '0000-00-00 00:00:00',
    post_content: showsTexts ? post.content : '',
    post_title: post.title,
    post_excerpt: showsTexts ? post.excerpt : '',
    post_status: post.status,
    comment_status: post.comment_status,
    ping_status: post.ping_status,
    post_password: '',
    post_name: post.slug,
    to_ping: '',
    pinged: '',
    post_modified: post.modified,
    post_modified_gmt: post.modified_gmt,
    post_content_filtered: '',
    post_parent: post.parent_id,
    guid: post.guid,
    menu_order: post.menu_order,
    post_type: post.type,
    post_mime_type: post.mime_type,
    comment_count: String(post.comment_count),
    filter: 'raw',
  }
}
