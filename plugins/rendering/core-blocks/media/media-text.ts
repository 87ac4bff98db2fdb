import { classValue, textOf } from '../attributes.ts'
import { featuredImageFor } from '../post/featured-data.ts'
import type { Renderer } from '../renderer.ts'
import { findTag } from '../stored-html.ts'

/** Renders a stored block of media and text with the featured image of the post. */
export const renderMediaText: Renderer = async (block, rendering) => {
  const { attributes } = block
  const { mark, plugin } = rendering
  const [html, image] = await Promise.all([rendering.renderInner(block), featuredImageFor(block, rendering)])
  const media = `${rendering.classOf(block)}__media`
  const figure = findTag(html, (name, tag) => name === 'figure' && tag.includes(media))
  const end = figure?.after.indexOf('</figure>') ?? -1
  if (image === null || figure === null || end < 0) return html
  const size = classValue(textOf(attributes, 'mediaSizeSlug')) || 'full'
  // Only an image that fills its column is cropped around a point.
  const focalPoint = attributes['imageFill'] === true ? (image.data.focalPoint ?? { x: 0.5, y: 0.5 }) : null
  const shown = { class: `${mark}-image-${image.id}`, style: '' }
  const markup = plugin.services.media.featuredImage({ ...image.data, focalPoint }, size, shown)
  const link = findTag(figure.after.slice(0, end), (name) => name === 'a')
  const inside = link === null ? markup : `${link.tag}${markup}</a>`
  return `${figure.before}${figure.tag}${inside}${figure.after.slice(end)}`
}
