import { checkRegistration, shapeMistake } from '../../../library/advice/index.ts'
import { OwnedMap } from '../../../../kernel/index.ts'
import { errors } from '../errors.ts'

/** The largest dimensions of a smaller version of an image. */
export interface ImageSize {
  readonly name: string
  /** In pixels; 0 for any. */
  readonly width: number
  /** In pixels; 0 for any. */
  readonly height: number
  /** Whether the image is cropped to fill the size, rather than fitted into it. */
  readonly crop: boolean
}

/** The sizes in which images are stored beside the original. The sizes of a plugin are removed with it. */
export interface ImageSizes {
  /** Registers a size, or replaces the one of the same name. @throws IMAGE_SIZE_INVALID */
  register(name: string, size: Omit<ImageSize, 'name'>): void
  /** The size of a name; undefined where none is registered. */
  get(name: string): ImageSize | undefined
  /** In order of registration. */
  all(): ImageSize[]
}

/** The size of the original. */
export const FULL_SIZE: ImageSize = { name: 'full', width: 0, height: 0, crop: false }

/** Width and height in pixels. */
export interface Dimensions {
  width: number
  height: number
}

/** The registry, with the sizes of every site. */
export function createImageSizes(): ImageSizes {
  const sizes = new OwnedMap<ImageSize>('image size')
  const registry: ImageSizes = {
    register(name, size) {
      checkRegistration(
        () => sizeMistake(name, size),
        (plugin, why) => errors.IMAGE_SIZE_INVALID(plugin, name, why),
      )
      sizes.set(name, { ...size, name })
    },
    get: (name) => sizes.get(name),
    all: () => sizes.values(),
  }
  const size = (width: number, height: number, crop = false) => ({ width, height, crop })
  registry.register('thumbnail', size(150, 150, true))
  registry.register('medium', size(300, 300))
  registry.register('medium_large', size(768, 0))
  registry.register('large', size(1024, 1024))
  registry.register('1536x1536', size(1536, 1536))
  registry.register('2048x2048', size(2048, 2048))
  return registry
}

function sizeMistake(name: unknown, size: Omit<ImageSize, 'name'>): string | null {
  if (typeof name !== 'string' || !/^[\w-]+$/.test(name))
    return 'has a name that is no text of letters, digits, hyphens and underscores'
  const wrong = shapeMistake<typeof size>(size, { width: 'number', height: 'number', crop: 'flag' })
  const lacks = (['width', 'height', 'crop'] as const).find((key) => size[key] === undefined)
  if (wrong !== null || lacks !== undefined) return wrong ?? `has no ${lacks}`
  const { width, height, crop } = size
  if (![width, height].every((side) => Number.isInteger(side) && side >= 0))
    return `has the sides ${width} and ${height}: give whole numbers of pixels, 0 for a side without limit`
  if (width + height === 0 || (crop && width * height === 0)) return 'limits nothing: give its sides in pixels'
  return null
}

/** The dimensions of an image fitted into a box, its proportions kept; it is never enlarged. A side of 0 limits nothing. */
export function fitted({ width, height }: Dimensions, box: Dimensions): Dimensions {
  const scale = Math.min(1, ratio(box.width, width), ratio(box.height, height))
  return { width: Math.max(Math.round(width * scale), 1), height: Math.max(Math.round(height * scale), 1) }
}

/** Whether an image is larger than a size, so that a version of that size can be made of it. */
export function exceeds({ width, height }: Dimensions, size: ImageSize): boolean {
  return ratio(size.width, width) < 1 || ratio(size.height, height) < 1
}

/** Whether two versions of an image have the same proportions: made as large as each other, they differ by a pixel at most. */
export function haveSameRatio(one: Dimensions, other: Dimensions): boolean {
  const [small, large] = one.width <= other.width ? [one, other] : [other, one]
  return Math.abs(Math.round((large.height * small.width) / large.width) - small.height) <= 1
}

function ratio(limit: number, side: number): number {
  return limit === 0 || side === 0 ? Number.POSITIVE_INFINITY : limit / side
}
