import { dimensionsOf, type Dimensions } from '../../../content/media/index.ts'
import { numberOf } from '../attributes.ts'
import type { CoreBlock, Renderer, Rendering } from '../renderer.ts'

/** Renders a stored video with the dimensions of its attachment, so that pages reserve its space before it loads. */
export const renderVideo: Renderer = async (block, rendering) => {
  const html = await rendering.renderInner(block)
  const { plugin } = rendering
  if (!plugin.since('7.1') || !/<video[\s>]/i.test(html)) return html
  const dimensions = await videoDimensions(block, rendering)
  if (dimensions === null) return html
  const { width, height } = dimensions
  const pieces = [...plugin.services.contentRendering.pieces(html)]
  const at = pieces.findIndex(({ kind, name }) => kind === 'open' && name === 'video')
  const tag = pieces[at]?.text
  if (tag === undefined || /\s(?:width|height|style)\s*=/i.test(tag)) return html
  const added = `height="${height}" style="aspect-ratio: ${width} / ${height};" width="${width}"`
  const complete = tag.replace(/^<video/i, (start) => `${start} ${added}`)
  return pieces.map(({ text }, index) => (index === at ? complete : text)).join('')
}

/** Returns the dimensions in the attributes of a block, or of its attachment; null if both are unknown. */
async function videoDimensions({ attributes }: CoreBlock, { plugin, scope }: Rendering): Promise<Dimensions | null> {
  const [width, height] = [numberOf(attributes, 'width', 0), numberOf(attributes, 'height', 0)]
  const own = dimensionsOf({ width, height })
  if (own !== null) return own
  const { media, posts } = plugin.services
  const attachment = await posts.get(numberOf(attributes, 'id', 0), scope)
  if (attachment?.type !== 'attachment') return null
  return dimensionsOf((await media.data(attachment, scope)).details)
}
