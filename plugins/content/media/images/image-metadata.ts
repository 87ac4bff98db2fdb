import type { ImageVersions } from './image-versions.ts'

/** The stored file of an image. */
interface ImageFile {
  /** The unchanged upload. */
  data: Buffer
  type: string
  /** The main file, relative to the uploads folder: `2025/01/photo-scaled.jpg`. */
  file: string
  /** Name of the upload without its extension: `photo`. */
  name: string
  /** With the dot. */
  extension: string
  /** Whether `image_meta` has the key `alt`. */
  withAlt: boolean
}

/** Metadata of cameras and programs; always empty, because it is not read from the file. */
const IMAGE_META = {
  aperture: '0',
  credit: '',
  camera: '',
  caption: '',
  created_timestamp: '0',
  copyright: '',
  focal_length: '0',
  iso: '0',
  shutter_speed: '0',
  title: '',
  orientation: '0',
  keywords: [],
}

/** Builds the attachment metadata with the dimensions and versions of an image. */
export function imageMetadata(
  { width, height, shown, versions }: ImageVersions,
  { data, type, file, name, extension, withAlt }: ImageFile,
): Record<string, unknown> {
  const sizes = [...versions].map(([size, version]) => [
    size,
    {
      file: `${name}-${version.width}x${version.height}${extension}`,
      width: version.width,
      height: version.height,
      'mime-type': type,
      filesize: version.data.length,
    },
  ])
  return {
    width,
    height,
    file,
    filesize: (shown?.data ?? data).length,
    sizes: Object.fromEntries(sizes),
    image_meta: withAlt ? { ...IMAGE_META, alt: '' } : IMAGE_META,
    ...(shown !== null && { original_image: `${name}${extension}` }),
  }
}
