import type { Post } from '@/lib/svc'

/** The featured image of a post, with the generated sizes for browsers to choose from. */
export function Picture({ post, sizes }: { post: Post; sizes: string }) {
  const image = post._embedded?.['svc:featuredmedia']?.[0]
  if (image?.source_url === undefined) return null
  const { width, height, sizes: generated = {} } = image.media_details ?? {}
  // Cropped sizes are left out, because they show only a part of the image.
  const uncropped = Object.values(generated).filter(
    (size) => !width || !height || Math.abs(size.width / size.height - width / height) < 0.02,
  )
  const sources = new Map(uncropped.map((size) => [size.source_url, size.width]))
  if (width) sources.set(image.source_url, width)
  const srcSet = [...sources].map(([url, pixels]) => `${url} ${pixels}w`).join(', ')
  return (
    <img
      src={image.source_url}
      srcSet={srcSet || undefined}
      sizes={sizes}
      width={width}
      height={height}
      alt={image.alt_text ?? ''}
    />
  )
}
