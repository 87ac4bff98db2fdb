import { escapeHtml } from '../../../library/markup/index.ts'
import { textOf } from '../attributes.ts'
import type { Renderer } from '../renderer.ts'

/** Adds paragraphs around the shortcode. It is replaced later, with all other shortcodes of the content. */
export const renderShortcode: Renderer = (block, rendering) =>
  rendering.plugin.services.contentRendering.paragraphs(block.innerHTML)

/** Renders a group of widgets with its title. */
export const renderWidgetGroup: Renderer = async (block, rendering) => {
  const title = textOf(block.attributes, 'title')
  const heading = title === '' ? '' : `<h2 class="widget-title">${escapeHtml(title)}</h2>`
  const inside = await rendering.renderInner(block)
  return inside.trim() === ''
    ? ''
    : `${heading}<div class="${rendering.mark}-widget-group__inner-blocks">${inside}</div>`
}

/** Renders nothing: widgets that predate blocks are not supported. */
export const renderLegacyWidget: Renderer = () => ''
