import { RequestCache, type PluginContext } from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import type { Post } from '../posts/index.ts'

const MAX_ATTACHMENTS_PER_PAGE = 100
const ATTACHMENTS_PER_PAGE = 40

/** A page of attachments for media dialogs, and the total numbers of attachments and pages. */
export interface ShownAttachments {
  readonly data: readonly Record<string, unknown>[]
  readonly total: number
  readonly pages: number
}

/** Returns the attachments that match a media dialog's query and that its user may read. */
export async function queryAttachments(
  plugin: PluginContext,
  params: Readonly<Record<string, unknown>>,
  { user }: SiteRequest,
): Promise<ShownAttachments> {
  const { posts } = plugin.services
  const scope = new RequestCache()
  const limit =
    Math.min(numberOf(params['posts_per_page']) ?? ATTACHMENTS_PER_PAGE, MAX_ATTACHMENTS_PER_PAGE) ||
    MAX_ATTACHMENTS_PER_PAGE
  const page = numberOf(params['paged']) || 1
  const types = [params['post_mime_type']]
    .flat()
    .filter((type): type is string => typeof type === 'string' && type !== '')
  const [mediaType] = types
  const parent = numberOf(params['post_parent'])
  const author = numberOf(params['author'])
  const include = [params['post__in']].flat().flatMap((id) => numberOf(id) ?? [])
  const orderby = String(params['orderby'])
  const query = posts.forUser(
    {
      types: ['attachment'],
      statuses: ['inherit', 'private'],
      ...(typeof params['s'] === 'string' && params['s'].trim() !== '' && { search: params['s'].slice(0, 200) }),
      ...(mediaType !== undefined && (mediaType.includes('/') ? { mimeTypes: types } : { mediaType })),
      ...(parent !== undefined && { parent: [parent] }),
      ...(author !== undefined && { author: [author] }),
      ...(include.length > 0 && { include: include.slice(0, MAX_ATTACHMENTS_PER_PAGE) }),
      orderby: orderby === 'title' || orderby === 'modified' ? orderby : 'date',
      order: String(params['order']).toLowerCase() === 'asc' ? 'asc' : 'desc',
      limit,
      offset: (page - 1) * limit,
    },
    user,
  )
  const { items, total } = await posts.query(query, scope)
  const shown = await Promise.all(
    items.map(async (post) => ((await posts.isReadable(post, user, scope)) ? toModel(plugin, post, scope) : null)),
  )
  return { data: shown.filter((one) => one !== null), total, pages: Math.ceil(total / limit) }
}

async function toModel(plugin: PluginContext, post: Post, scope: RequestCache): Promise<Record<string, unknown>> {
  const { media, permalinks, users } = plugin.services
  const { url, alt, details, sizes } = await media.data(post, scope)
  const [type = '', subtype = ''] = post.mime_type.split('/')
  const author = await users.get(post.author_id, scope)
  const versions = Object.entries(sizes).map(([name, size]) => [
    name,
    { url: size.source_url, width: size.width, height: size.height, orientation: orientation(size.width, size.height) },
  ])
  const [width, height] = [Number(details['width']) || 0, Number(details['height']) || 0]
  return {
    id: post.id,
    title: post.title,
    filename: url.slice(url.lastIndexOf('/') + 1),
    url,
    link: await permalinks.post(post, scope),
    alt,
    author: String(post.author_id),
    authorName: author?.name ?? '',
    description: post.content,
    caption: post.excerpt,
    name: post.slug,
    status: post.status,
    uploadedTo: post.parent_id,
    date: Date.parse(`${post.date_gmt.replace(' ', 'T')}Z`) || 0,
    modified: Date.parse(`${post.modified_gmt.replace(' ', 'T')}Z`) || 0,
    menuOrder: post.menu_order,
    mime: post.mime_type,
    type,
    subtype,
    filesizeInBytes: Number(details['filesize']) || 0,
    ...(width > 0 && { width, height, orientation: orientation(width, height), sizes: Object.fromEntries(versions) }),
  }
}

function orientation(width: number, height: number): 'portrait' | 'landscape' {
  return height > width ? 'portrait' : 'landscape'
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined
}
