import type Sharp from 'sharp'
import type { FormatEnum } from 'sharp'
import { currentWork } from '../../../../kernel/index.ts'
import { errors } from '../errors.ts'
import { fitted, isSmaller, type Dimensions, type ImageSize } from './image-sizes.ts'

/** One file made of an image. */
export interface MadeVersion extends Dimensions {
  data: Buffer
}

/** What was made of an image. */
export interface MadeImage extends Dimensions {
  /** What is shown in place of the original: upright, and no larger than images are shown; null for the original. */
  shown: (MadeVersion & { suffix: 'rotated' | 'scaled' }) | null
  /** The smaller versions by the name of their size. */
  versions: ReadonlyMap<string, MadeVersion>
}

export interface ImageLimits {
  /** Pixels of an image at most. */
  pixels: number
  /** Pixels of the longer side of what is shown at most; 0 for any. */
  longest: number
}

/** How versions are written, by the MIME type of the original; images of other types have none. */
const WRITERS: Readonly<Record<string, readonly [format: keyof FormatEnum, options: object]>> = {
  'image/jpeg': ['jpeg', { quality: 82 }],
  'image/png': ['png', {}],
  'image/gif': ['gif', {}],
  'image/webp': ['webp', { quality: 82 }],
  'image/avif': ['heif', { compression: 'av1', effort: 2 }],
}
/** Those that are made smaller to be shown: the others are drawings, or move. */
const SCALED = new Set(['image/jpeg', 'image/webp', 'image/avif'])

/** How many times the memory of others images take to decode, pixel by pixel (measured): they may have fewer. */
const HEAVY: Readonly<Record<string, number>> = { 'image/avif': 2 }

/** Whether versions can be made of images of a type. */
export function isReadable(type: string): boolean {
  return Object.hasOwn(WRITERS, type)
}

/**
 * Makes the versions of an image. It is decoded once, no larger than the largest version wants it.
 * @param type MIME type of the image, one that `isReadable`
 * @throws rest_upload_too_many_pixels before anything is decoded; rest_upload_sideload_error when it is damaged
 */
export async function makeImage(
  data: Buffer,
  type: string,
  sizes: readonly ImageSize[],
  { pixels: usual, longest }: ImageLimits,
): Promise<MadeImage> {
  const [format, options] = WRITERS[type]!
  const pixels = Math.floor(usual / (HEAVY[type] ?? 1))
  const sharp = await loadSharp()
  try {
    // Of a header alone no limit is asked.
    const facts = await sharp(data, { limitInputPixels: false }).metadata()
    if (facts.format !== format) throw errors.rest_upload_sideload_error('it is another kind of image')
    if (facts.width * facts.height > pixels) throw errors.rest_upload_too_many_pixels(pixels)
    const { width, height } = facts.autoOrient
    const isLarge = longest > 0 && Math.max(width, height) > longest && SCALED.has(type)
    const full = isLarge ? fitted({ width, height }, { width: longest, height: longest }) : { width, height }
    const wanted = sizes.flatMap((size) => {
      const made = isSmaller(size, full) ? versionOf(size, full) : full
      return made.width === full.width && made.height === full.height ? [] : [{ name: size.name, ...made }]
    })
    const suffix = isLarge ? 'scaled' : (facts.orientation ?? 1) > 1 ? 'rotated' : null
    const largest = largestOf(full, suffix === null ? wanted : [full])
    const { data: decoded, info } = await sharp(data, { limitInputPixels: pixels, failOn: 'error' })
      .autoOrient()
      .resize({ ...largest, fit: 'fill' })
      .raw()
      .toBuffer({ resolveWithObject: true })
    const { channels } = info
    const make = async (size: Dimensions): Promise<MadeVersion> => {
      const image = sharp(decoded, { raw: { width: info.width, height: info.height, channels } })
      const resized = image.resize({ width: size.width, height: size.height, fit: 'cover' })
      return { width: size.width, height: size.height, data: await resized.toFormat(format, options).toBuffer() }
    }
    const versions = new Map<string, MadeVersion>()
    for (const size of wanted) {
      currentWork()?.throwIfAborted()
      versions.set(size.name, await make(size))
    }
    return { ...full, shown: suffix === null ? null : { ...(await make(full)), suffix }, versions }
  } catch (cause) {
    currentWork()?.throwIfAborted()
    if (cause instanceof Error && 'data' in cause) throw cause
    throw errors.rest_upload_sideload_error('the image cannot be read', { cause })
  }
}

/** Loaded at the first image: most processes never see one. */
async function loadSharp(): Promise<typeof Sharp> {
  const { default: sharp } = await import('sharp')
  // What it keeps of images that were opened holds their pixels, and nobody opens the same one twice.
  sharp.cache(false)
  // Processors are left for requests.
  sharp.concurrency(1)
  return sharp
}

/** How large a version becomes: cut to the size, or made to fit into it. */
function versionOf({ width, height, crop }: ImageSize, full: Dimensions): Dimensions {
  if (!crop || width === 0 || height === 0) return fitted(full, { width, height })
  return { width: Math.min(width, full.width), height: Math.min(height, full.height) }
}

/** The size at which every version can be cut out of an image. */
function largestOf(full: Dimensions, versions: readonly Dimensions[]): Dimensions {
  const scale = Math.max(0, ...versions.flatMap(({ width, height }) => [width / full.width, height / full.height]))
  return { width: Math.max(Math.ceil(full.width * scale), 1), height: Math.max(Math.ceil(full.height * scale), 1) }
}
