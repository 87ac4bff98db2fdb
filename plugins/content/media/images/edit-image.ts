import { currentWork, RestError } from '../../../../kernel/index.ts'
import { errors } from '../errors.ts'
import { ENCODERS, loadSharp, pixelLimit } from './image-versions.ts'

/** A change of an image. */
export type ImageChange =
  | { type: 'rotate'; /** Degrees, clockwise. */ angle: number }
  | { type: 'flip'; horizontal: boolean; vertical: boolean }
  | {
      type: 'crop'
      /** In percent of the image as it is then. */ left: number
      top: number
      width: number
      height: number
    }

/** Maximum pixels of a side: encoders do not support more. */
const MAX_SIDE_PIXELS = 16_000
const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 }

/**
 * Applies changes to an image in order, and encodes the result in the same format.
 * @param type MIME type of the image, supported by `isReadable`
 * @throws rest_upload_too_many_pixels before decoding, or if a change would make the image too large;
 * rest_image_crop_failed for a crop outside the image; rest_upload_sideload_error for a damaged image
 */
export async function editImage(
  data: Buffer,
  type: string,
  changes: readonly ImageChange[],
  maxPixels: number,
): Promise<Buffer> {
  const [format, options] = ENCODERS[type]!
  const limit = pixelLimit(type, maxPixels)
  const sharp = await loadSharp()
  const check = (width: number, height: number) => {
    if (width * height > limit || Math.max(width, height) > MAX_SIDE_PIXELS)
      throw errors.rest_upload_too_many_pixels(limit)
  }
  try {
    // Reads only the header, so no pixel limit is needed.
    const metadata = await sharp(data, { limitInputPixels: false }).metadata()
    if (metadata.format !== format) throw errors.rest_upload_sideload_error('its content does not match its image type')
    if (metadata.width * metadata.height > limit) throw errors.rest_upload_too_many_pixels(limit)
    const decode = sharp(data, { limitInputPixels: limit, failOn: 'error' }).autoOrient()
    let pixels = await decode.raw().toBuffer({ resolveWithObject: true })
    for (const change of changes) {
      currentWork()?.throwIfAborted()
      const { width, height, channels } = pixels.info
      const image = sharp(pixels.data, { raw: { width, height, channels } })
      if (change.type === 'flip') {
        if (change.vertical) image.flip()
        if (change.horizontal) image.flop()
      } else if (change.type === 'rotate') {
        const diagonal = Math.ceil(Math.hypot(width, height))
        if (change.angle % 90 !== 0) check(diagonal, diagonal)
        image.rotate(change.angle % 360, { background: TRANSPARENT })
      } else {
        const box = cropBox(change, { width, height })
        check(box.width, box.height)
        image.extract(box.inside).extend({ ...box.around, background: TRANSPARENT })
      }
      pixels = await image.raw().toBuffer({ resolveWithObject: true })
    }
    const { width, height, channels } = pixels.info
    return await sharp(pixels.data, { raw: { width, height, channels } }).toFormat(format, options).toBuffer()
  } catch (cause) {
    currentWork()?.throwIfAborted()
    if (cause instanceof RestError) throw cause
    throw errors.rest_upload_sideload_error('the image cannot be decoded', { cause })
  }
}

/** Returns the part of the image inside a crop, and the empty margins if the crop extends beyond the image. */
function cropBox(crop: Extract<ImageChange, { type: 'crop' }>, image: { width: number; height: number }) {
  const axisOf = (start: number, length: number, side: number) => {
    const from = Math.round((start / 100) * side)
    const size = Math.round((length / 100) * side)
    const [first, last] = [Math.max(from, 0), Math.min(from + size, side)]
    if (size < 1 || last <= first) throw errors.rest_image_crop_failed()
    return { size, first, length: last - first, before: first - from, after: from + size - last }
  }
  const horizontal = axisOf(crop.left, crop.width, image.width)
  const vertical = axisOf(crop.top, crop.height, image.height)
  return {
    width: horizontal.size,
    height: vertical.size,
    inside: { left: horizontal.first, top: vertical.first, width: horizontal.length, height: vertical.length },
    around: { left: horizontal.before, right: horizontal.after, top: vertical.before, bottom: vertical.after },
  }
}
