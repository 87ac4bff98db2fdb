import { escapeHtml } from '../../../library/markup/index.ts'
import { textOf } from '../attributes.ts'
import type { Renderer } from '../renderer.ts'

/** A shortcode in paragraphs of its own; what it stands for is put there with those of all content. */
export const renderShortcode: Renderer = (block, rendering) =>
  rendering.plugin.services.contentRendering.paragraphs(block.innerHTML)

/** Widgets with their title. */
export const renderWidgetGroup: Renderer = async (block, rendering) => {
  const title = textOf(block.attributes, 'title')
  const heading = title === '' ? '' : `<h2 class="widget-title">${escapeHtml(title)}</h2>`
  const inside = await rendering.renderInner(block)
  return inside.trim() === ''
    ? ''
    : `${heading}<div class="${rendering.mark}-widget-group__inner-blocks">${inside}</div>`
}

/** Widgets of the kind before blocks are not known here. */
export const renderLegacyWidget: Renderer = () => ''
