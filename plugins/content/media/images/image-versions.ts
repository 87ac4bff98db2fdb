import type Sharp from 'sharp'
import type { FormatEnum } from 'sharp'
import { currentWork } from '../../../../kernel/index.ts'
import { errors } from '../errors.ts'
import { fitted, exceeds, type Dimensions, type ImageSize } from './image-sizes.ts'

/** One version of an image, as a file. */
interface EncodedImage extends Dimensions {
  data: Buffer
}

/** The versions that were made of an image, which is this large as it is shown. */
export interface ImageVersions extends Dimensions {
  /** What is shown in place of the original: upright, and no larger than the limit; null for the original. */
  shown: (EncodedImage & { suffix: 'rotated' | 'scaled' }) | null
  /** The smaller versions by the name of their size. */
  versions: ReadonlyMap<string, EncodedImage>
}

export interface ImageLimits {
  /** The most pixels of an image. */
  maxPixels: number
  /** The most pixels of the longer side of what is shown; 0 for any. */
  maxSide: number
  /** Whether the image itself stays as it is, neither upright nor smaller: who sends it does that. */
  asItIs?: boolean
}

/** Quality of JPEG and WebP, from 1 to 100. */
export const IMAGE_QUALITY = 82

/** How versions are encoded, by the MIME type of the original; images of other types have none. */
export const ENCODERS: Readonly<Record<string, readonly [format: keyof FormatEnum, options: object]>> = {
  'image/jpeg': ['jpeg', { quality: IMAGE_QUALITY }],
  'image/png': ['png', {}],
  'image/gif': ['gif', {}],
  'image/webp': ['webp', { quality: IMAGE_QUALITY }],
  'image/avif': ['heif', { compression: 'av1', effort: 2 }],
}
/** Types that are made smaller to be shown: the others are drawings, or animated. */
const SCALED = new Set(['image/jpeg', 'image/webp', 'image/avif'])

/** Types whose pixels take so many times the memory of others to decode (measured): they may have fewer pixels. */
const MEMORY_FACTOR: Readonly<Record<string, number>> = { 'image/avif': 2 }

/** The most pixels of images of a type. */
export function pixelLimit(type: string, maxPixels: number): number {
  return Math.floor(maxPixels / (MEMORY_FACTOR[type] ?? 1))
}

/** Whether versions can be made of images of a type. */
export function isReadable(type: string): boolean {
  return Object.hasOwn(ENCODERS, type)
}

/**
 * Makes the versions of an image. It is decoded once, no larger than the largest version wants it.
 * @param type MIME type of the image, one that `isReadable`
 * @throws rest_upload_too_many_pixels before anything is decoded; rest_upload_sideload_error when it is damaged
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
    // Only the header is read: no limit is needed.
    const metadata = await sharp(data, { limitInputPixels: false }).metadata()
    if (metadata.format !== format) throw errors.rest_upload_sideload_error('it is another kind of image')
    if (metadata.width * metadata.height > limit) throw errors.rest_upload_too_many_pixels(limit)
    const { width, height } = asItIs ? metadata : metadata.autoOrient
    const isLarge = !asItIs && maxSide > 0 && Math.max(width, height) > maxSide && SCALED.has(type)
    const full = isLarge ? fitted({ width, height }, { width: maxSide, height: maxSide }) : { width, height }
    const wanted = sizes.flatMap((size) => {
      const version = exceeds(full, size) ? versionOf(size, full) : full
      return version.width === full.width && version.height === full.height ? [] : [{ name: size.name, ...version }]
    })
    const isTurned = !asItIs && (metadata.orientation ?? 1) > 1
    const suffix = isLarge ? 'scaled' : isTurned ? 'rotated' : null
    const largest = largestOf(full, suffix === null ? wanted : [full])
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
    for (const size of wanted) {
      currentWork()?.throwIfAborted()
      versions.set(size.name, await encode(size))
    }
    return { ...full, shown: suffix === null ? null : { ...(await encode(full)), suffix }, versions }
  } catch (cause) {
    currentWork()?.throwIfAborted()
    if (cause instanceof Error && 'data' in cause) throw cause
    throw errors.rest_upload_sideload_error('the image cannot be read', { cause })
  }
}

/** Loads sharp with the first image: most processes never need it. */
export async function loadSharp(): Promise<typeof Sharp> {
  const { default: sharp } = await import('sharp')
  // The cache would hold the pixels of images that nobody opens twice.
  sharp.cache(false)
  // The other cores are left for requests.
  sharp.concurrency(1)
  return sharp
}

/** The dimensions of a version: cropped to the size, or fitted into it. */
function versionOf({ width, height, crop }: ImageSize, full: Dimensions): Dimensions {
  if (!crop || width === 0 || height === 0) return fitted(full, { width, height })
  return { width: Math.min(width, full.width), height: Math.min(height, full.height) }
}

/** The smallest dimensions out of which every version can be made. */
function largestOf(full: Dimensions, versions: readonly Dimensions[]): Dimensions {
  const scale = Math.max(0, ...versions.flatMap(({ width, height }) => [width / full.width, height / full.height]))
  return { width: Math.max(Math.ceil(full.width * scale), 1), height: Math.max(Math.ceil(full.height * scale), 1) }
}
