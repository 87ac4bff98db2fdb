// Sheets: the pictures of one page at every width in both color schemes, next to each other and scaled to a third. A sheet is
// stored as one lossy WebP file, so both sides of a comparison are decoded from such a file.
import { readFile, writeFile } from 'node:fs/promises'
import sharp from 'sharp'

/** Pixels of the page that become one pixel of a picture. */
const SCALE = 3
/** Of the same size, other presets spread a change over more pixels. */
const WEBP = { quality: 50, effort: 6, preset: 'text' } as const
/** Color below pictures that are shorter than the others. */
const GROUND = { r: 128, g: 128, b: 128 }
/** Difference of a color channel, of 255, from which a pixel counts as different. */
const MIN_DIFFERENCE = 20
/** Side of the squares in which different pixels are counted, and the distance between two squares. */
const SQUARE = 16
const STEP = SQUARE / 2
/**
 * Number of different pixels up to which a square counts as equal. Measured: an icon of 18 pixels changes 15 of them or more.
 * It also changes the compression of other squares, where at most 6 pixels differ.
 */
const MAX_DIFFERENT_PIXELS = 6

/** A picture of a page, taken in the browser. */
export interface Picture {
  /** Name in messages, such as "1280 px, dark". */
  readonly name: string
  /** Width of the window in pixels. */
  readonly width: number
  readonly png: Buffer
}

/** The pixels of a sheet: rows of three bytes each. */
interface Pixels {
  readonly data: Buffer
  readonly width: number
  readonly height: number
}

/** The comparison of a picture with the recorded one. */
export interface Comparison {
  readonly name: string
  readonly isEqual: boolean
  /** Share of the pixels that differ. */
  readonly share: number
}

/** Returns the WebP file of a sheet. */
export async function sheetOf(pictures: readonly Picture[]): Promise<Buffer> {
  const parts = await Promise.all(
    pictures.map(async ({ png, width }) =>
      sharp(png)
        .resize({ width: scaled(width) })
        .removeAlpha()
        .png()
        .toBuffer({ resolveWithObject: true }),
    ),
  )
  const lefts = leftsOf(pictures)
  const width = parts.reduce((sum, { info }) => sum + info.width, 0)
  const height = Math.max(...parts.map(({ info }) => info.height))
  return sharp({ create: { width, height, channels: 3, background: GROUND } })
    .composite(parts.map(({ data }, at) => ({ input: data, left: lefts[at]!, top: 0 })))
    .webp(WEBP)
    .toBuffer()
}

/**
 * Compares the pictures of two sheets, and stores a sheet in which different pixels are red if one differs.
 * @param recorded file of the recorded sheet
 * @param differencePath file to store, if a picture differs
 */
export async function compareSheets(
  sheet: Buffer,
  recorded: string,
  pictures: readonly Picture[],
  differencePath: string,
): Promise<Comparison[]> {
  const file = await readFile(recorded)
  if (file.equals(sheet)) return pictures.map(({ name }) => ({ name, share: 0, isEqual: true }))
  const [now, before] = await Promise.all([pixelsOf(sheet), pixelsOf(file)])
  const height = Math.max(now.height, before.height)
  const difference = Buffer.alloc(now.width * height * 3)
  const lefts = leftsOf(pictures)
  const found = pictures.map(({ name, width }, at): Comparison => {
    const counts = new SquareCounts()
    const left = lefts[at]!
    for (let y = 0; y < height; y += 1) {
      for (let x = left; x < left + scaled(width); x += 1) {
        const isDifferent = differenceAt(now, before, x, y) > MIN_DIFFERENCE
        if (isDifferent) counts.add(x - left, y)
        paint(difference, (y * now.width + x) * 3, isDifferent ? null : now.data[(y * now.width + x) * 3])
      }
    }
    const share = counts.total / (scaled(width) * height)
    return { name, share, isEqual: counts.largest() <= MAX_DIFFERENT_PIXELS }
  })
  if (found.some(({ isEqual }) => !isEqual)) {
    const raw = { width: now.width, height, channels: 3 } as const
    await writeFile(differencePath, await sharp(difference, { raw }).png().toBuffer())
  }
  return found
}

/** Counts pixels in overlapping squares, so that each small change is within one of them. */
class SquareCounts {
  total = 0
  readonly #counts = new Map<string, number>()

  add(x: number, y: number): void {
    this.total += 1
    const [column, row] = [Math.floor(x / STEP), Math.floor(y / STEP)]
    for (const square of [
      `${column}/${row}`,
      `${column - 1}/${row}`,
      `${column}/${row - 1}`,
      `${column - 1}/${row - 1}`,
    ])
      this.#counts.set(square, (this.#counts.get(square) ?? 0) + 1)
  }

  /** Returns the count of the square with the most pixels. */
  largest(): number {
    return Math.max(0, ...this.#counts.values())
  }
}

const scaled = (width: number) => Math.round(width / SCALE)

/** Returns the left edges of pictures in their sheet. */
function leftsOf(pictures: readonly Picture[]): number[] {
  let left = 0
  return pictures.map(({ width }) => {
    left += scaled(width)
    return left - scaled(width)
  })
}

async function pixelsOf(file: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/** Returns the largest difference of a color channel. Beyond the end of a sheet is the color of its ground. */
function differenceAt(one: Pixels, other: Pixels, x: number, y: number): number {
  let largest = 0
  for (let channel = 0; channel < 3; channel += 1) {
    const [a, b] = [one, other].map(({ data, width }) => (x < width ? data[(y * width + x) * 3 + channel] : undefined))
    largest = Math.max(largest, Math.abs((a ?? GROUND.r) - (b ?? GROUND.r)))
  }
  return largest
}

/** Writes a red pixel, or a pale gray one. */
function paint(data: Buffer, at: number, gray: number | null | undefined): void {
  if (gray === null) data.set([255, 0, 0], at)
  else data.fill(192 + (gray ?? GROUND.r) / 4, at, at + 3)
}
