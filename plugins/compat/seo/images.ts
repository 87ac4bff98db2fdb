import { VISITOR, type RequestCache, type Services } from '../../public.ts'
import type { HeadImage } from './page.ts'

/** Returns the image of an attachment; null if visitors may not read it. */
export async function imageOf(services: Services, id: number, scope: RequestCache): Promise<HeadImage | null> {
  const { media, posts } = services
  const post = id > 0 ? await posts.get(id, scope) : undefined
  if (post?.type !== 'attachment' || !post.mime_type.startsWith('image/')) return null
  if (!(await posts.isReadable(post, VISITOR, scope))) return null
  const { url, details, alt } = await media.data(post, scope)
  return {
    url,
    width: Number(details['width']) || 0,
    height: Number(details['height']) || 0,
    type: post.mime_type,
    alt,
  }
}

/** Returns an image by its ID; otherwise by its URL, whose size is not known. */
export async function imageFrom(
  services: Services,
  { id, url }: { id: unknown; url: unknown },
  scope: RequestCache,
): Promise<HeadImage | null> {
  const image = await imageOf(services, Number(id) || 0, scope)
  if (image !== null) return image
  return isWebUrl(url) ? { url, width: 0, height: 0, type: '', alt: '' } : null
}

/** Whether a value is an absolute URL of a web page or image. */
export function isWebUrl(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 2000) return false
  const url = URL.parse(value)
  return url?.protocol === 'https:' || url?.protocol === 'http:'
}
