import type { PluginContext } from '../../../../kernel/index.ts'
import { escapeHtml } from '../../../library/markup/index.ts'
import { isImage, dimensionsOf, type AttachmentData, type FocalPoint, type ImageVersion } from '../attachment-data.ts'
import { fitted, haveSameRatio, type Dimensions, type ImageSize } from './image-sizes.ts'

/** Wider versions are for printing: they are not in `srcset`, unless the image itself is one. */
const MAX_WIDTH = 2048

/**
 * The paragraph that shows a file in its description: an image in one of its sizes, or the title of anything else,
 * linked to the file.
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
 * The `img` of an image in one of its sizes, with `srcset` and `sizes`.
 * @param more attributes beside those
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

/** How versions of the interface write an image. */
export interface MarkupForm {
  /** Whether `loading` and `decoding` are the first attributes. */
  readonly loadingFirst: boolean
  /** Whether browsers choose among the versions by themselves where an image is loaded late. */
  readonly autoSizes: boolean
}

/** How the revision of a site writes an image. */
export function markupForm({ since }: Pick<PluginContext, 'since'>): MarkupForm {
  return { loadingFirst: since('6.3'), autoSizes: since('6.7') }
}

/** How a featured image is shown. */
export interface FeaturedImage {
  /** A class beside those of its size. */
  readonly class: string
  readonly style: string
  /** In place of the alternative text of the image. */
  readonly alt?: string
}

/** The `img` of a featured image in one of its sizes; a browser may choose the version itself, as it is loaded late. */
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
 * `srcset` and `sizes` of an image; none where there is no other version of the same proportions.
 * @param isAuto whether the browser chooses by itself, as the image is loaded late
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

/** Attributes as they are written in a tag. */
export function attributesMarkup(attributes: readonly (readonly [name: string, value: string | number])[]): string {
  return attributes.map(([name, value]) => `${name}="${escapeHtml(String(value))}"`).join(' ')
}

/** The version of a size; without one the original, with the dimensions of the size. */
function versionOf({ sizes, details, url }: AttachmentData, size: ImageSize): Dimensions & { source_url: string } {
  const version = sizes[size.name]
  if (version !== undefined) return version
  const original = dimensionsOf(details)
  return { ...(original === null ? { width: 0, height: 0 } : fitted(original, size)), source_url: url }
}

/** As the style of an image says it. */
function objectPosition({ x, y }: FocalPoint): string {
  return `object-position:${percent(x)} ${percent(y)};`
}

const percent = (part: number) => `${Math.round(part * 1000) / 10}%`

/** The versions of the same proportions, with the one that is shown first. */
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
