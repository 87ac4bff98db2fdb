import type { PluginContext, RequestCache } from '../../../kernel/index.ts'
import { ALT_KEY, FILE_KEY, METADATA_KEY } from '../meta-keys.ts'
import type { LeanPost } from '../posts/index.ts'
import type { Dimensions } from './sizes.ts'

export { ALT_KEY, FILE_KEY, METADATA_KEY } from '../meta-keys.ts'

/** One version of an image. */
export interface ImageVersion extends Dimensions {
  /** Name of the file, which is in the folder of the original. */
  file: string
  source_url: string
  [fact: string]: unknown
}

/** What is known of the file of an attachment. */
export interface MediaFacts {
  /** Address of the file. */
  url: string
  /** What an image shows, in words. */
  alt: string
  /** As clients read it: width, height, file, sizes … An empty object where nothing is known. */
  details: Record<string, unknown>
  /** Versions of an image by the name of their size, `full` last; empty where nothing is known of them. */
  sizes: Record<string, ImageVersion>
}

/** Reads what is known of the file of an attachment. What one request reads of many comes from one statement. */
export async function factsOf(
  plugin: PluginContext,
  post: Pick<LeanPost, 'id' | 'guid' | 'mime_type'>,
  scope: RequestCache,
): Promise<MediaFacts> {
  const single = (key: string) => plugin.services.meta.single('post', post.id, key, scope)
  const [file, metadata, alt] = await Promise.all([single(FILE_KEY), single(METADATA_KEY), single(ALT_KEY)])
  const path = typeof file === 'string' && file !== '' ? file : null
  const url = path === null ? post.guid : addressOf(plugin, path)
  const known = isRecord(metadata) ? metadata : {}
  const sizes = versionsOf(known, url, post.mime_type)
  return {
    url,
    alt: typeof alt === 'string' ? alt : '',
    details: isEmpty(known) ? {} : { ...known, sizes },
    sizes,
  }
}

/** Address of a file of the uploads folder. @param path below it, with slashes */
export function addressOf({ urls, branding }: Pick<PluginContext, 'urls' | 'branding'>, path: string): string {
  return urls.site(`${branding.uploadsPaths[0]}/${encodePath(path)}`)
}

/** Whether an attachment is an image. */
export function isImage({ mime_type: type }: Pick<LeanPost, 'mime_type'>): boolean {
  return type.startsWith('image/')
}

/** Width and height of the original; null where they are not known. */
export function dimensionsOf({ width, height }: Readonly<Record<string, unknown>>): Dimensions | null {
  const [w, h] = [Number(width), Number(height)]
  return w > 0 && h > 0 ? { width: w, height: h } : null
}

function versionsOf(known: Readonly<Record<string, unknown>>, url: string, type: string): Record<string, ImageVersion> {
  const stored = isRecord(known['sizes']) ? Object.entries(known['sizes']) : []
  const folder = url.slice(0, url.lastIndexOf('/') + 1)
  const versions = stored.flatMap(([name, size]): [string, ImageVersion][] => {
    if (!isRecord(size) || typeof size['file'] !== 'string') return []
    const { 'mime-type': sizeType, ...facts } = size
    const file = size['file'].slice(size['file'].lastIndexOf('/') + 1)
    const dimensions = { width: Number(size['width']) || 0, height: Number(size['height']) || 0 }
    const told = { ...facts, file, ...dimensions, ...(sizeType !== undefined && { mime_type: sizeType }) }
    return [[name, { ...told, source_url: `${folder}${encodePath(file)}` }]]
  })
  if (versions.length === 0) return {}
  const original = dimensionsOf(known)
  const file = decodeURIComponent(url.slice(folder.length))
  if (original !== null) versions.push(['full', { file, ...original, mime_type: type, source_url: url }])
  return Object.fromEntries(versions)
}

/** A path as it stands in an address: what would end it, and all that is not ASCII, is encoded. */
function encodePath(path: string): string {
  return encodeURI(path.toWellFormed()).replace(/[?#']/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0
}
