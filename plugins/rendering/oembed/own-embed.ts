import { addQuery, RequestCache, VISITOR, type PluginContext } from '../../../kernel/index.ts'
import { escapeHtml } from '../../library/markup/index.ts'
import type { Post } from '../../content/posts/index.ts'
import { plainText } from '../html/index.ts'
import type { EmbedBounds, OembedAnswer } from './answer.ts'

/** Size limits of embedded posts. */
const MIN_WIDTH_PIXELS = 200
const MAX_WIDTH_PIXELS = 600
const MIN_HEIGHT_PIXELS = 200

/** Returns the oEmbed response for a post of the site. */
export async function embedOfPost(plugin: PluginContext, post: Post, bounds: EmbedBounds): Promise<OembedAnswer> {
  const { services, urls } = plugin
  const scope = new RequestCache()
  const width = Math.min(Math.max(bounds.width, MIN_WIDTH_PIXELS), MAX_WIDTH_PIXELS)
  const height = Math.max(Math.ceil((width / 16) * 9), MIN_HEIGHT_PIXELS)
  const link = await services.permalinks.post(post, scope)
  const title = plainText(await services.contentRendering.pageTitle(post))
  const author = await services.users.get(post.author_id, scope)
  return {
    version: '1.0',
    provider_name: String(await services.options.get('title', '')),
    provider_url: urls.home,
    ...(author === undefined
      ? { author_name: String(await services.options.get('title', '')), author_url: urls.home }
      : { author_name: author.name, author_url: await services.permalinks.author(author, scope) }),
    title,
    type: 'rich',
    width,
    height,
    html: frameOf(plugin, link, title, { width, height }),
    ...(await thumbnailOf(plugin, post, width, scope)),
  }
}

/** Returns the URL of the embeddable page of a post. @param link permalink of the post */
export function embedUrl(link: string): string {
  if (link.includes('?')) return addQuery(link, { embed: 'true' })
  return link.endsWith('/') ? `${link}embed/` : `${link}/embed`
}

/** Returns a link as fallback, and a sandboxed frame without scripts. */
function frameOf({ branding }: PluginContext, link: string, title: string, { width, height }: EmbedBounds): string {
  const mark = `${branding.word}-embedded-content`
  return (
    `<blockquote class="${mark}"><a href="${escapeHtml(link)}">${escapeHtml(title)}</a></blockquote>` +
    `<iframe class="${mark}" sandbox="allow-popups allow-popups-to-escape-sandbox" src="${escapeHtml(embedUrl(link))}" ` +
    `width="${width}" height="${height}" title="${escapeHtml(title)}" frameborder="0" scrolling="no" loading="lazy"></iframe>`
  )
}

/** Returns the featured image of a post at the width of its frame, if it is public. */
async function thumbnailOf(
  plugin: PluginContext,
  post: Post,
  width: number,
  scope: RequestCache,
): Promise<Pick<OembedAnswer, 'thumbnail_url' | 'thumbnail_width' | 'thumbnail_height'>> {
  const { services } = plugin
  if (!plugin.has('media') || post.password !== '') return {}
  const isImage = post.type === 'attachment' && post.mime_type.startsWith('image/')
  const id = isImage ? post.id : await services.posts.featuredMedia(post.id, scope)
  const image = id > 0 ? await services.posts.getAttached(id, scope) : undefined
  if (image === undefined || !(await services.posts.isReadable(image, VISITOR, scope))) return {}
  const { url, details, sizes } = await services.media.data(image, scope)
  const [fullWidth, fullHeight] = [Number(details['width']), Number(details['height'])]
  if (!(fullWidth > 0 && fullHeight > 0)) return {}
  const shown = Math.min(width, fullWidth)
  const height = Math.max(Math.round((fullHeight * shown) / fullWidth), 1)
  const fits = Object.values(sizes)
    .filter((one) => one.width >= shown && Math.abs((one.width * fullHeight) / fullWidth - one.height) <= 1)
    .sort((one, other) => one.width - other.width)
  return { thumbnail_url: fits[0]?.source_url ?? url, thumbnail_width: shown, thumbnail_height: height }
}
