import { escapeHtml } from '../../../library/markup/index.ts'
import { safeStyle } from '../../html/index.ts'
import type { AttachmentData } from '../../../content/media/index.ts'
import { classValue, textOf } from '../attributes.ts'
import { FEATURED_SIZE, featuredImageFor } from '../post/featured-data.ts'
import type { CoreBlock, Renderer, Rendering } from '../renderer.ts'
import { findTag } from '../stored-html.ts'

/** Renders a stored cover with the featured image of the post as its background. */
export const renderCover: Renderer = async (block, rendering) => {
  const [html, image] = await Promise.all([rendering.renderInner(block), featuredImageFor(block, rendering)])
  const cover = findTag(html, () => true)
  if (image === null || cover === null) return html
  return `${cover.before}${cover.tag}${backgroundOf(image.data, block, rendering)}${cover.after}`
}

/** Returns the image, or an element with a background image if it is fixed or repeated. */
function backgroundOf(data: AttachmentData, block: CoreBlock, rendering: Rendering): string {
  const { attributes } = block
  const { media } = rendering.plugin.services
  const name = `${rendering.classOf(block)}__image-background`
  const size = classValue(textOf(attributes, 'sizeSlug')) || FEATURED_SIZE
  const alt = textOf(attributes, 'alt') || data.alt
  const kinds = [
    attributes['hasParallax'] === true ? ' has-parallax' : '',
    attributes['isRepeated'] === true ? ' is-repeated' : '',
  ].join('')
  if (kinds === '') return media.featuredImage(data, size, { class: name, style: '', alt })
  const url = (data.sizes[size]?.source_url ?? data.url).replace(
    /['"\\()\s]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
  const { x, y } = data.focalPoint ?? { x: 0.5, y: 0.5 }
  const style = safeStyle(`background-position:${percent(x)} ${percent(y)};background-image:url('${url}')`)
  const label = alt === '' ? '' : `role="img" aria-label="${escapeHtml(alt)}" `
  return `<div ${label}class="${name}${kinds}" style="${escapeHtml(style)}"></div>`
}

const percent = (part: number) => `${Math.round(part * 1000) / 10}%`
