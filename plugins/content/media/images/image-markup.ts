import { escapeHtml } from '../../../../kernel/index.ts'
import { isImage, dimensionsOf, type ImageVersion, type MediaFacts } from '../attachment-data.ts'
import { fitted, isSameShape, type Dimensions, type ImageSize } from './image-sizes.ts'

/** Wider versions are for printing: no browser is offered them, unless there is no other. */
const WIDEST = 2048

/**
 * The paragraph that shows a file on its own page: an image in one of its sizes, or the title of anything else, both
 * linked to the file.
 *
 * @param title as HTML
 */
export function fileMarkup(post: { mime_type: string }, facts: MediaFacts, title: string, size: ImageSize): string {
  const inside = isImage(post) ? imageMarkup(facts, size) : title
  return `<p class="attachment"><a href='${escapeHtml(facts.url)}'>${inside}</a></p>\n`
}

/**
 * An image in one of its sizes, with what a browser needs to choose another.
 * @param more attributes beside those
 */
export function imageMarkup(facts: MediaFacts, size: ImageSize, more: Readonly<Record<string, string>> = {}): string {
  const image = versionOf(facts, size)
  const attributes: [name: string, value: string | number][] = [
    ...(image.width > 0 ? ([['width', image.width], ['height', image.height]] as [string, number][]) : []), // prettier-ignore
    ['src', image.source_url],
    ['class', `attachment-${size.name} size-${size.name}`],
    ['alt', facts.alt],
    ['decoding', 'async'],
    ['loading', 'lazy'],
    ...Object.entries(more),
    ...choiceAttributes(facts, image),
  ]
  return `<img ${attributesMarkup(attributes)} />`
}

/** The attributes that offer a browser other versions of the same shape; none where there is no other. */
export function choiceAttributes(
  facts: MediaFacts,
  shown: Dimensions & { source_url: string },
): [name: string, value: string][] {
  const offered = choices(facts, shown)
  if (offered.length < 2) return []
  return [
    ['srcset', offered.map(({ source_url: url, width }) => `${url} ${width}w`).join(', ')],
    ['sizes', `(max-width: ${shown.width}px) 100vw, ${shown.width}px`],
  ]
}

/** Attributes as they stand in a tag. */
export function attributesMarkup(attributes: readonly (readonly [name: string, value: string | number])[]): string {
  return attributes.map(([name, value]) => `${name}="${escapeHtml(String(value))}"`).join(' ')
}

/** The version of a size; where there is none the original, shown as small. */
function versionOf({ sizes, details, url }: MediaFacts, size: ImageSize): Dimensions & { source_url: string } {
  const version = sizes[size.name]
  if (version !== undefined) return version
  const original = dimensionsOf(details)
  return { ...(original === null ? { width: 0, height: 0 } : fitted(original, size)), source_url: url }
}

/** The versions of the same shape, that which is shown first. */
function choices({ sizes }: MediaFacts, shown: Dimensions & { source_url: string }): ImageVersion[] {
  const alike = new Map<string, ImageVersion>()
  for (const version of Object.values(sizes)) {
    const fits = version.source_url === shown.source_url || version.width <= WIDEST
    if (fits && version.width > 0 && isSameShape(version, shown)) alike.set(version.source_url, version)
  }
  return [...alike.values()].sort(
    (one, other) => Number(other.source_url === shown.source_url) - Number(one.source_url === shown.source_url),
  )
}
