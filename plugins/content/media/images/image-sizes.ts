import { isDeepStrictEqual } from 'node:util'
import { checkRegistration, shapeMistake } from '../../../library/advice/index.ts'
import { dependsOn } from '../../../library/caching/index.ts'
import { OwnedMap } from '../../../../kernel/index.ts'
import { errors } from '../errors.ts'

/** Maximum dimensions of a smaller version of an image. */
export interface ImageSize {
  readonly name: string
  /** In pixels; 0 for no limit. */
  readonly width: number
  /** In pixels; 0 for no limit. */
  readonly height: number
  /** Whether to crop the image to fill the size instead of fitting it inside. */
  readonly crop: boolean
}

/** Sizes of the image versions that are stored with each image. Sizes of a plugin are removed with the plugin. */
export interface ImageSizes {
  /** Registers a size, or replaces the size with the same name. @throws IMAGE_SIZE_INVALID */
  register(name: string, size: Omit<ImageSize, 'name'>): void
  /** Returns the size with a name, or undefined. */
  get(name: string): ImageSize | undefined
  /** Returns the sizes in order of registration. */
  all(): ImageSize[]
}

/** The size of the original. */
export const FULL_SIZE: ImageSize = { name: 'full', width: 0, height: 0, crop: false }

/** Width and height in pixels. */
export interface Dimensions {
  width: number
  height: number
}

/** Cache tag of responses that depend on the dimensions of the sizes. */
export const SIZES_TAG = 'image_sizes'

/**
 * Creates the registry with the default sizes.
 * @returns the registry, and a function that sets the dimensions of default sizes, and returns whether they changed;
 * sizes without width and height are left out. Sizes of plugins with the same names take precedence.
 */
export function createImageSizes(): {
  registry: ImageSizes
  configure: (sizes: readonly ImageSize[]) => boolean
} {
  const sizes = new OwnedMap<ImageSize>('image size')
  const defaults = new Set<ImageSize>()
  let configured: ReadonlyMap<string, ImageSize> = new Map()
  /** Returns a size with the configured dimensions; none if it is not created. */
  const current = (size: ImageSize): ImageSize[] => {
    const own = defaults.has(size) ? (configured.get(size.name) ?? size) : size
    return own.width + own.height === 0 ? [] : [own]
  }
  const registry: ImageSizes = {
    register(name, size) {
      checkRegistration(
        () => sizeMistake(name, size),
        (plugin, reason) => errors.IMAGE_SIZE_INVALID(plugin, name, reason),
      )
      sizes.set(name, { ...size, name })
    },
    get(name) {
      dependsOn(SIZES_TAG)
      const size = sizes.get(name)
      return size === undefined ? undefined : current(size)[0]
    },
    all() {
      dependsOn(SIZES_TAG)
      return sizes.values().flatMap(current)
    },
  }
  const size = (width: number, height: number, crop = false) => ({ width, height, crop })
  registry.register('thumbnail', size(150, 150, true))
  registry.register('medium', size(300, 300))
  registry.register('medium_large', size(768, 0))
  registry.register('large', size(1024, 1024))
  registry.register('1536x1536', size(1536, 1536))
  registry.register('2048x2048', size(2048, 2048))
  for (const one of sizes.values()) defaults.add(one)
  return {
    registry,
    configure(next) {
      const before = registry.all()
      configured = new Map(next.map((one) => [one.name, one]))
      return !isDeepStrictEqual(before, registry.all())
    },
  }
}

function sizeMistake(name: unknown, size: Omit<ImageSize, 'name'>): string | null {
  if (typeof name !== 'string' || !/^[\w-]+$/.test(name))
    return 'must have a name of letters, digits, hyphens and underscores'
  const wrong = shapeMistake<typeof size>(size, { width: 'number', height: 'number', crop: 'flag' })
  const missingKey = (['width', 'height', 'crop'] as const).find((key) => size[key] === undefined)
  if (wrong !== null || missingKey !== undefined) return wrong ?? `has no ${missingKey}`
  const { width, height, crop } = size
  if (![width, height].every((side) => Number.isInteger(side) && side >= 0))
    return `has the dimensions ${width} × ${height}: use whole numbers of pixels, 0 for no limit`
  if (width + height === 0 || (crop && width * height === 0))
    return 'needs a width or height in pixels, and both to crop'
  return null
}

/**
 * Returns the dimensions of an image fitted into a box, with the same proportions and never enlarged. A side of 0 is no
 * limit.
 */
export function fitted({ width, height }: Dimensions, box: Dimensions): Dimensions {
  const scale = Math.min(1, ratio(box.width, width), ratio(box.height, height))
  return { width: Math.max(Math.round(width * scale), 1), height: Math.max(Math.round(height * scale), 1) }
}

/** Checks whether an image is larger than a size, so that a version of that size can be created. */
export function exceeds({ width, height }: Dimensions, size: ImageSize): boolean {
  return ratio(size.width, width) < 1 || ratio(size.height, height) < 1
}

/**
 * Checks whether two versions have the same proportions: scaled to the same width, their heights differ by at most one
 * pixel.
 */
export function haveSameRatio(one: Dimensions, other: Dimensions): boolean {
  const [small, large] = one.width <= other.width ? [one, other] : [other, one]
  return Math.abs(Math.round((large.height * small.width) / large.width) - small.height) <= 1
}

function ratio(limit: number, side: number): number {
  return limit === 0 || side === 0 ? Number.POSITIVE_INFINITY : limit / side
}
