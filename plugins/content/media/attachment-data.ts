import { isObject, type PluginContext } from '../../../kernel/index.ts'
import type { LeanPost } from '../posts/index.ts'
import type { Dimensions } from './images/image-sizes.ts'

/** Stored meta values of an attachment, unvalidated. */
export interface AttachmentMeta {
  file: unknown
  metadata: unknown
  alt: unknown
  focalPoint: unknown
  decorative: unknown
}

/** One version of an image. */
export interface ImageVersion extends Dimensions {
  /** Name of the file, which is in the same folder as the original. */
  file: string
  source_url: string
  [property: string]: unknown
}

/** A point of an image, from 0 (left, top) to 1 (right, bottom). */
export interface FocalPoint {
  readonly x: number
  readonly y: number
}

/** Data of an attachment's file for clients and templates. */
export interface AttachmentData {
  /** URL of the file. */
  url: string
  /** Alternative text of an image. */
  alt: string
  /** The point that stays visible when the image is cropped; null if none is set. */
  focalPoint: FocalPoint | null
  /** Whether the image is decorative and therefore needs no alternative text. */
  isDecorative: boolean
  /** Details in the REST format: width, height, file, sizes …; an empty object if none are stored. */
  details: Record<string, unknown>
  /** Versions of an image by size name, with `full` last; empty if it has no versions. */
  sizes: Record<string, ImageVersion>
}

/** Builds the data of an attachment from its meta values. */
export function attachmentData(
  plugin: Pick<PluginContext, 'urls' | 'branding'>,
  { guid, mime_type: type }: Pick<LeanPost, 'guid' | 'mime_type'>,
  { file, metadata, alt, focalPoint, decorative }: AttachmentMeta,
): AttachmentData {
  const url = typeof file === 'string' && file !== '' ? fileUrl(plugin, file) : guid
  const stored = isObject(metadata) ? metadata : {}
  const sizes = versionsOf(stored, url, type)
  return {
    url,
    alt: typeof alt === 'string' ? alt : '',
    focalPoint: focalPointOf(focalPoint),
    isDecorative: decorative === '1',
    details: Object.keys(stored).length === 0 ? {} : { ...stored, sizes },
    sizes,
  }
}

/** Converts a value to a focal point, or null if it is not a valid point. */
export function focalPointOf(value: unknown): FocalPoint | null {
  if (!isObject(value)) return null
  const [x, y] = [Number(value['x']), Number(value['y'])]
  return x >= 0 && x <= 1 && y >= 0 && y <= 1 ? { x, y } : null
}

/** Returns the URL of a file in the uploads folder. @param path relative to the folder, with slashes */
export function fileUrl({ urls, branding }: Pick<PluginContext, 'urls' | 'branding'>, path: string): string {
  return urls.site(`${branding.uploadsPaths[0]}/${encodePath(path)}`)
}

/** Returns the paths of all files of an attachment, relative to the uploads folder. */
export function filesOf({ file, metadata }: Pick<AttachmentMeta, 'file' | 'metadata'>): string[] {
  if (typeof file !== 'string' || file === '') return []
  const folder = file.slice(0, file.lastIndexOf('/') + 1)
  const { sizes, original_image: original } = (metadata ?? {}) as { sizes?: unknown; original_image?: unknown }
  const versions = Object.values(sizes ?? {}).map((size: { file?: unknown } | null) => size?.file)
  const names = [original, ...versions].filter((name): name is string => typeof name === 'string' && name !== '')
  return [...new Set([file, ...names.map((name) => `${folder}${name.slice(name.lastIndexOf('/') + 1)}`)])]
}

export function isImage({ mime_type: type }: Pick<LeanPost, 'mime_type'>): boolean {
  return type.startsWith('image/')
}

/** Returns the dimensions of the original, or null if they are unknown. */
export function dimensionsOf({ width, height }: Readonly<Record<string, unknown>>): Dimensions | null {
  const [w, h] = [Number(width), Number(height)]
  return w > 0 && h > 0 ? { width: w, height: h } : null
}

function versionsOf(
  metadata: Readonly<Record<string, unknown>>,
  url: string,
  type: string,
): Record<string, ImageVersion> {
  const stored = isObject(metadata['sizes']) ? Object.entries(metadata['sizes']) : []
  const folder = url.slice(0, url.lastIndexOf('/') + 1)
  const versions = stored.flatMap(([name, size]): [string, ImageVersion][] => {
    if (!isObject(size) || typeof size['file'] !== 'string') return []
    const { 'mime-type': sizeType, ...properties } = size
    const file = size['file'].slice(size['file'].lastIndexOf('/') + 1)
    const dimensions = { width: Number(size['width']) || 0, height: Number(size['height']) || 0 }
    const version = { ...properties, file, ...dimensions, ...(sizeType !== undefined && { mime_type: sizeType }) }
    return [[name, { ...version, source_url: `${folder}${encodePath(file)}` }]]
  })
  if (versions.length === 0) return {}
  const original = dimensionsOf(metadata)
  const file = decodeURIComponent(url.slice(folder.length))
  if (original !== null) versions.push(['full', { file, ...original, mime_type: type, source_url: url }])
  return Object.fromEntries(versions)
}

/** Encodes a path for a URL: non-ASCII characters and the delimiters `?`, `#` and `'`. */
function encodePath(path: string): string {
  return encodeURI(path.toWellFormed()).replace(/[?#']/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}
