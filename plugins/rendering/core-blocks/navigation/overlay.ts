import { escapeHtml } from '../../../library/markup/index.ts'
import { plainText } from '../../html/index.ts'
import { textOf } from '../attributes.ts'
import { wrapperAttributes, type Renderer, type Rendering } from '../renderer.ts'

/** Context of the blocks in the popover of a navigation: its ID. */
export const OVERLAY = 'core-blocks/overlay'

const LINES: Readonly<Record<string, string>> = {
  handle: 'M4 9h16M4 15h16',
  menu: 'M4 6h16M4 12h16M4 18h16',
  close: 'M6 6l12 12M18 6L6 18',
}

/** Returns the icon of a button that opens or closes a navigation. */
export const iconOf = (name: string) =>
  '<svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true" focusable="false" fill="none" ' +
  `stroke="currentColor" stroke-width="1.5"><path d="${LINES[name] ?? LINES['handle']}"></path></svg>`

/** Renders the button that closes the popover around it; empty outside of a popover. */
export const renderOverlayClose: Renderer = async (block, rendering) => {
  const { attributes, context } = block
  const { [OVERLAY]: id } = context
  if (typeof id !== 'string') return ''
  const { t } = await rendering.texts()
  const mode = textOf(attributes, 'displayMode') || 'icon'
  const text = rendering.richText(textOf(attributes, 'text')) || t('Close')
  const label = mode === 'icon' ? ` aria-label="${escapeHtml(plainText(text))}"` : ''
  const words = mode === 'icon' ? '' : `<span class="${rendering.classOf(block)}__text">${text}</span>`
  return (
    `<button type="button" popovertarget="${id}" popovertargetaction="hide"${label} ${wrapperAttributes(block)}>` +
    `${mode === 'text' ? '' : iconOf('close')}${words}</button>`
  )
}

/** Whether the content of a popover has a button that closes it. */
export function hasClose(html: string, { mark }: Rendering): boolean {
  return html.includes(`${mark}-block-navigation-overlay-close`)
}
