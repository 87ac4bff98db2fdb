import { VISITOR, type PluginContext, type RequestCache } from '../../../kernel/index.ts'
import type { Post } from '../../content/posts/index.ts'

/** The image that other sites show with a link to a page. */
export interface ShareImage {
  readonly url: string
  /** Size in pixels; 0 if it is not known. */
  readonly width: number
  readonly height: number
  readonly alt: string
}

/** Number of characters at the start of a content that are searched for an image. */
const SEARCHED_LENGTH = 50_000
const IMAGE_TAG = /<img\b[^<>]{0,4000}>/gi
const ATTRIBUTE = (name: string) => new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i')
const [SRC, WIDTH, HEIGHT, ALT] = ['src', 'width', 'height', 'alt'].map(ATTRIBUTE) as [RegExp, RegExp, RegExp, RegExp]

/** Returns the featured image of a post, else the first image in its content; null if it has neither. */
export async function imageOfPost(plugin: PluginContext, post: Post, scope: RequestCache): Promise<ShareImage | null> {
  const featured = await imageOf(plugin, await plugin.services.posts.featuredMedia(post.id, scope), scope)
  return featured ?? firstImageIn(post.content, plugin.urls.site('/'))
}

/** Returns the logo of the site, else its icon; null if it has neither. */
export async function logoOf(plugin: PluginContext, scope: RequestCache): Promise<ShareImage | null> {
  const set = await plugin.services.options.many(['site_logo', 'site_icon'])
  return (
    (await imageOf(plugin, Number(set.site_logo) || 0, scope)) ?? imageOf(plugin, Number(set.site_icon) || 0, scope)
  )
}

/** Returns the image of an attachment; null if visitors may not read it. */
async function imageOf({ services }: PluginContext, id: number, scope: RequestCache): Promise<ShareImage | null> {
  const image = id > 0 ? await services.posts.getAttached(id, scope) : undefined
  if (image?.type !== 'attachment' || !(await services.posts.isReadable(image, VISITOR, scope))) return null
  const { url, details, alt } = await services.media.data(image, scope)
  return { url, alt, width: Number(details['width']) || 0, height: Number(details['height']) || 0 }
}

/**
 * Returns the first image in HTML that has an absolute URL or one of this site; null if there is none.
 * @param base URL that relative ones start from
 */
export function firstImageIn(content: string, base: string): ShareImage | null {
  for (const [tag] of content.slice(0, SEARCHED_LENGTH).matchAll(IMAGE_TAG)) {
    const value = (pattern: RegExp) => {
      const [, quoted, single] = pattern.exec(tag) ?? []
      return (quoted ?? single ?? '').replaceAll('&amp;', '&').replaceAll('&quot;', '"')
    }
    const url = URL.parse(value(SRC), base)
    // Networks do not show SVG images.
    if (url === null || !/^https?:$/.test(url.protocol) || url.pathname.endsWith('.svg')) continue
    const [width, height] = [WIDTH, HEIGHT].map((pattern) => Number(value(pattern)) || 0) as [number, number]
    // Smileys and counters.
    if (value(SRC) === '' || (width > 0 && width < 50)) continue
    return { url: url.href, width, height, alt: value(ALT) }
  }
  return null
}
