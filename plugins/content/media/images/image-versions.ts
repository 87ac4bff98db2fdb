import type Sharp from 'sharp'
import type { FormatEnum } from 'sharp'
import { currentWork } from '../../../../kernel/index.ts'
import { errors } from '../errors.ts'
import { fitted, exceeds, type Dimensions, type ImageSize } from './image-sizes.ts'

/** An encoded version of an image. */
interface EncodedImage extends Dimensions {
  data: Buffer
}

/** The versions created from an image, with the dimensions of the displayed image. */
export interface ImageVersions extends Dimensions {
  /** Image displayed instead of the original: upright and within the size limit; null if the original is displayed. */
  shown: (EncodedImage & { suffix: 'rotated' | 'scaled' }) | null
  /** The smaller versions by size name. */
  versions: ReadonlyMap<string, EncodedImage>
}

export interface ImageLimits {
  /** Maximum pixels of an image. */
  maxPixels: number
  /** Maximum pixels of the longer side of the displayed image; 0 for no limit. */
  maxSide: number
  /** Whether to leave the image unchanged, neither rotated nor scaled, because the client does that. */
  asItIs?: boolean
}

/** Quality of WebP, from 1 to 100. */
const WEBP_QUALITY = 86
/** Quality of the other types, from 1 to 100. */
const IMAGE_QUALITY = 82

/** Returns the quality of images of a MIME type, from 1 to 100. */
export function qualityOf(type: string): number {
  return type === 'image/webp' ? WEBP_QUALITY : IMAGE_QUALITY
}

/** Encoders by MIME type of the original; images of other types get no versions. */
export const ENCODERS: Readonly<Record<string, readonly [format: keyof FormatEnum, options: object]>> = {
  'image/jpeg': ['jpeg', { quality: IMAGE_QUALITY }],
  'image/png': ['png', {}],
  'image/gif': ['gif', {}],
  'image/webp': ['webp', { quality: WEBP_QUALITY }],
  'image/avif': ['heif', { compression: 'av1', effort: 2 }],
}
/** Types whose displayed image is scaled; images of other types are drawings, or animated. */
const SCALED = new Set(['image/jpeg', 'image/webp', 'image/avif'])

/** Memory for decoding a pixel compared to other types (measured); reduces the pixel limit. */
const MEMORY_FACTOR: Readonly<Record<string, number>> = { 'image/avif': 2 }

/** Returns the maximum pixels for images of a type. */
export function pixelLimit(type: string, maxPixels: number): number {
  return Math.floor(maxPixels / (MEMORY_FACTOR[type] ?? 1))
}

/** Checks whether versions can be created from images of a type. */
export function isReadable(type: string): boolean {
  return Object.hasOwn(ENCODERS, type)
}

/**
 * Creates the versions of an image. The image is decoded once, at the size of the largest version.
 * @param type MIME type of the image, supported by `isReadable`
 * @throws rest_upload_too_many_pixels before decoding; rest_upload_sideload_error for a damaged image
 */
export async function makeVersions(
  data: Buffer,
  type: string,
  sizes: readonly ImageSize[],
  { maxPixels, maxSide, asItIs = false }: ImageLimits,
): Promise<ImageVersions> {
  const [format, options] = ENCODERS[type]!
  const limit = pixelLimit(type, maxPixels)
  const sharp = await loadSharp()
  try {
    // Reads only the header, so no pixel limit is needed.
    const metadata = await sharp(data, { limitInputPixels: false }).metadata()
    if (metadata.format !== format) throw errors.rest_upload_sideload_error('its content does not match its image type')
    if (metadata.width * metadata.height > limit) throw errors.rest_upload_too_many_pixels(limit)
    const { width, height } = asItIs ? metadata : metadata.autoOrient
    const isLarge = !asItIs && maxSide > 0 && Math.max(width, height) > maxSide && SCALED.has(type)
    const full = isLarge ? fitted({ width, height }, { width: maxSide, height: maxSide }) : { width, height }
    const versionSizes = sizes.flatMap((size) => {
      const version = exceeds(full, size) ? versionOf(size, full) : full
      return version.width === full.width && version.height === full.height ? [] : [{ name: size.name, ...version }]
    })
    const isTurned = !asItIs && (metadata.orientation ?? 1) > 1
    const suffix = isLarge ? 'scaled' : isTurned ? 'rotated' : null
    const largest = largestOf(full, suffix === null ? versionSizes : [full])
    const { data: decoded, info } = await sharp(data, { limitInputPixels: limit, failOn: 'error' })
      .autoOrient()
      .resize({ ...largest, fit: 'fill' })
      .raw()
      .toBuffer({ resolveWithObject: true })
    const { channels } = info
    const encode = async (size: Dimensions): Promise<EncodedImage> => {
      const image = sharp(decoded, { raw: { width: info.width, height: info.height, channels } })
      const resized = image.resize({ width: size.width, height: size.height, fit: 'cover' })
      return { width: size.width, height: size.height, data: await resized.toFormat(format, options).toBuffer() }
    }
    const versions = new Map<string, EncodedImage>()
    for (const size of versionSizes) {
      currentWork()?.throwIfAborted()
      versions.set(size.name, await encode(size))
    }
    return { ...full, shown: suffix === null ? null : { ...(await encode(full)), suffix }, versions }
  } catch (cause) {
    currentWork()?.throwIfAborted()
    if (cause instanceof Error && 'data' in cause) throw cause
    throw errors.rest_upload_sideload_error('the image cannot be decoded', { cause })
  }
}

/**
 * Converts an image to JPEG. The decoder for HEVC, with which phones compress HEIC images, is not part of all builds of
 * sharp.
 * @throws rest_upload_image_type_not_supported if the image cannot be decoded
 */
export async function toJpeg(data: Buffer, maxPixels: number): Promise<Buffer> {
  const sharp = await loadSharp()
  const image = sharp(data, { limitInputPixels: pixelLimit('image/avif', maxPixels), failOn: 'error' })
  try {
    return await image.autoOrient().jpeg({ quality: IMAGE_QUALITY }).toBuffer()
  } catch (cause) {
    throw errors.rest_upload_image_type_not_supported({ cause })
  }
}

/** Loads sharp on first use, because most processes never need it. */
export async function loadSharp(): Promise<typeof Sharp> {
  const { default: sharp } = await import('sharp')
  // Images are rarely opened twice, so a pixel cache would only hold memory.
  sharp.cache(false)
  // Leaves the other cores to requests.
  sharp.concurrency(1)
  return sharp
}

/** Returns the dimensions of a version: cropped to the size, or fitted into it. */
function versionOf({ width, height, crop }: ImageSize, full: Dimensions): Dimensions {
  if (!crop || width === 0 || height === 0) return fitted(full, { width, height })
  return { width: Math.min(width, full.width), height: Math.min(height, full.height) }
}

/** Returns the smallest dimensions from which every version can be created. */
function largestOf(full: Dimensions, versions: readonly Dimensions[]): Dimensions {
  const scale = Math.max(0, ...versions.flatMap(({ width, height }) => [width / full.width, height / full.height]))
  return { width: Math.max(Math.ceil(full.width * scale), 1), height: Math.max(Math.ceil(full.height * scale), 1) }
}
