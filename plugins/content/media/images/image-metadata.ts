import type { ImageVersions } from './image-versions.ts'

/** The file that an image is stored as. */
interface ImageFile {
  /** The upload, as it came. */
  data: Buffer
  type: string
  /** The main file, below the uploads folder: `2025/01/photo-scaled.jpg`. */
  file: string
  /** The name of the upload, without its extension: `photo`. */
  name: string
  /** With the dot. */
  extension: string
  /** Whether it is told that no text stands for the image in the file itself. */
  withAlt: boolean
}

/** What cameras and programs write into images; none of it is read. */
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

/** The meta of an attachment that says how large an image is and which versions it has. */
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
