import type { PluginContext } from '../../../../kernel/index.ts'
import { escapeHtml } from '../../../library/markup/index.ts'
import { isImage, dimensionsOf, type AttachmentData, type FocalPoint, type ImageVersion } from '../attachment-data.ts'
import { fitted, haveSameRatio, type Dimensions, type ImageSize } from './image-sizes.ts'

/** Wider versions are meant for print and left out of `srcset`, unless the displayed image is one. */
const MAX_WIDTH = 2048

/**
 * Renders the paragraph that shows a file in its description: an image in a size, or the title of other files, linked
 * to the file.
 * @param title as HTML
 */
export function fileMarkup(
  post: { mime_type: string },
  data: AttachmentData,
  title: string,
  size: ImageSize,
  form: MarkupForm,
): string {
  const inside = isImage(post) ? imageMarkup(data, size, form) : title
  return `<p class="attachment"><a href='${escapeHtml(data.url)}'>${inside}</a></p>\n`
}

/**
 * Renders the `img` element of an image in a size, with `srcset` and `sizes`.
 * @param more additional attributes
 */
export function imageMarkup(
  data: AttachmentData,
  size: ImageSize,
  { loadingFirst, autoSizes }: MarkupForm,
  more: Readonly<Record<string, string>> = {},
): string {
  const image = versionOf(data, size)
  const decoding: [string, string] = ['decoding', 'async']
  const loading: [string, string] = ['loading', 'lazy']
  const attributes: [name: string, value: string | number][] = [
    ...(loadingFirst ? [loading, decoding] : []),
    ...(image.width > 0
      ? ([
          ['width', image.width],
          ['height', image.height],
        ] as [string, number][])
      : []),
    ['src', image.source_url],
    ['class', `attachment-${size.name} size-${size.name}`],
    ['alt', data.alt],
    ...(loadingFirst ? [] : [decoding, loading]),
    ...Object.entries(more),
    ...srcsetAttributes(data, image, autoSizes),
  ]
  return `<img ${attributesMarkup(attributes)} />`
}

/** Differences in image markup between WordPress versions. */
export interface MarkupForm {
  /** Whether `loading` and `decoding` come first. */
  readonly loadingFirst: boolean
  /** Whether `sizes` of lazily loaded images starts with `auto`. */
  readonly autoSizes: boolean
}

/** Returns the image markup of the emulated WordPress version. */
export function markupForm({ since }: Pick<PluginContext, 'since'>): MarkupForm {
  return { loadingFirst: since('6.3'), autoSizes: since('6.7') }
}

/** How to show a featured image. */
export interface FeaturedImage {
  /** An additional class. */
  readonly class: string
  readonly style: string
  /** Replaces the alternative text of the image. */
  readonly alt?: string
}

/** Renders the `img` element of a featured image in a size. It is loaded lazily, so `sizes` starts with `auto`. */
export function featuredMarkup(data: AttachmentData, size: ImageSize, shown: FeaturedImage): string {
  const image = versionOf(data, size)
  const style = `${shown.style}${data.focalPoint === null ? '' : objectPosition(data.focalPoint)}`
  const attributes: [name: string, value: string | number][] = [
    ...(image.width > 0
      ? ([
          ['width', image.width],
          ['height', image.height],
        ] as [string, number][])
      : []),
    ['src', image.source_url],
    ['class', `attachment-${size.name} size-${size.name} ${shown.class}`],
    ['alt', shown.alt ?? data.alt],
    ...(style === '' ? [] : ([['style', style]] as [string, string][])),
    ['decoding', 'async'],
    ['loading', 'lazy'],
    ...srcsetAttributes(data, image, true),
  ]
  return `<img ${attributesMarkup(attributes)} />`
}

/**
 * Returns `srcset` and `sizes` of an image; no attributes if it has no other version with the same aspect ratio.
 * @param isAuto whether `sizes` starts with `auto`, for lazily loaded images
 */
export function srcsetAttributes(
  data: AttachmentData,
  shown: Dimensions & { source_url: string },
  isAuto = false,
): [name: string, value: string][] {
  const candidates = srcsetCandidates(data, shown)
  if (candidates.length < 2) return []
  return [
    ['srcset', candidates.map(({ source_url: url, width }) => `${url} ${width}w`).join(', ')],
    ['sizes', `${isAuto ? 'auto, ' : ''}(max-width: ${shown.width}px) 100vw, ${shown.width}px`],
  ]
}

/** Renders attributes for a tag. */
export function attributesMarkup(attributes: readonly (readonly [name: string, value: string | number])[]): string {
  return attributes.map(([name, value]) => `${name}="${escapeHtml(String(value))}"`).join(' ')
}

/** Returns the version of a size, or the original with the dimensions of the size. */
function versionOf({ sizes, details, url }: AttachmentData, size: ImageSize): Dimensions & { source_url: string } {
  const version = sizes[size.name]
  if (version !== undefined) return version
  const original = dimensionsOf(details)
  return { ...(original === null ? { width: 0, height: 0 } : fitted(original, size)), source_url: url }
}

/** Returns the CSS for a focal point. */
function objectPosition({ x, y }: FocalPoint): string {
  return `object-position:${percent(x)} ${percent(y)};`
}

const percent = (part: number) => `${Math.round(part * 1000) / 10}%`

/** Returns the versions with the same aspect ratio, the displayed one first. */
function srcsetCandidates({ sizes }: AttachmentData, shown: Dimensions & { source_url: string }): ImageVersion[] {
  const candidates = new Map<string, ImageVersion>()
  for (const version of Object.values(sizes)) {
    const fits = version.source_url === shown.source_url || version.width <= MAX_WIDTH
    if (fits && version.width > 0 && haveSameRatio(version, shown)) candidates.set(version.source_url, version)
  }
  return [...candidates.values()].sort(
    (one, other) => Number(other.source_url === shown.source_url) - Number(one.source_url === shown.source_url),
  )
}
