import { OwnedMap } from '../../../../kernel/index.ts'

/** How large a smaller version of an image is at most. */
export interface ImageSize {
  readonly name: string
  /** In pixels; 0 for any. */
  readonly width: number
  /** In pixels; 0 for any. */
  readonly height: number
  /** Whether it is cut to fill the size, rather than made to fit into it. */
  readonly crop: boolean
}

/** The sizes in which images are kept beside the original. A plugin's sizes go with it. */
export interface ImageSizes {
  /** Registers a size, or replaces the one of the same name. */
  register(name: string, size: Omit<ImageSize, 'name'>): void
  get(name: string): ImageSize | undefined
  /** In order of registration. */
  all(): ImageSize[]
}

/** Width and height in pixels. */
export interface Dimensions {
  width: number
  height: number
}

/** The sizes of every site. */
export function createImageSizes(): ImageSizes {
  const sizes = new OwnedMap<ImageSize>()
  const registry: ImageSizes = {
    register: (name, size) => void sizes.set(name, { ...size, name }),
    get: (name) => sizes.get(name),
    all: () => sizes.values(),
  }
  const within = (width: number, height: number, crop = false) => ({ width, height, crop })
  registry.register('thumbnail', within(150, 150, true))
  registry.register('medium', within(300, 300))
  registry.register('medium_large', within(768, 0))
  registry.register('large', within(1024, 1024))
  registry.register('1536x1536', within(1536, 1536))
  registry.register('2048x2048', within(2048, 2048))
  return registry
}

/** An image made to fit into a box, its proportions kept; it is never enlarged. A side of 0 limits nothing. */
export function fitted({ width, height }: Dimensions, box: Dimensions): Dimensions {
  const scale = Math.min(1, ratio(box.width, width), ratio(box.height, height))
  return { width: Math.max(Math.round(width * scale), 1), height: Math.max(Math.round(height * scale), 1) }
}

/** Whether a smaller version of that size can be made of an image. */
export function isSmaller(size: ImageSize, { width, height }: Dimensions): boolean {
  return ratio(size.width, width) < 1 || ratio(size.height, height) < 1
}

/** Whether two images are versions of the same picture, uncut: one made as large as the other differs by a pixel at most. */
export function isSameShape(one: Dimensions, other: Dimensions): boolean {
  const [small, large] = one.width <= other.width ? [one, other] : [other, one]
  return Math.abs(Math.round((large.height * small.width) / large.width) - small.height) <= 1
}

function ratio(limit: number, side: number): number {
  return limit === 0 || side === 0 ? Number.POSITIVE_INFINITY : limit / side
}
