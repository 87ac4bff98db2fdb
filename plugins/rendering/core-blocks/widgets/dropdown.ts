import { urlValue } from '../attributes.ts'
import { wrapperAttributes, type CoreBlock, type Rendering } from '../renderer.ts'

/** Contents of a select element, as HTML. */
interface Dropdown {
  readonly class: string
  /** Text of the label. */
  readonly label: string
  /** Returns the label of the select element. */
  readonly labelOf: (id: string, classes: string, text: string) => string
  /** Returns the select element with its options. @param form ID of the form that sends the choice */
  readonly select: (id: string, form: string) => string
}

/**
 * Renders a block as a select element with a button that opens the chosen page. The elements are those of WordPress,
 * where a script opens the page; the form and the button make it work without scripts. The form follows the select
 * element instead of containing it, for style sheets of themes that select children of the block.
 */
export async function dropdown(block: CoreBlock, rendering: Rendering, list: Dropdown): Promise<string> {
  const { t } = await rendering.texts()
  const blockClass = rendering.classOf(block)
  // The other drop-downs of a page get other numbers when all of it is rendered.
  const id = `${blockClass}-1`
  const form = `${blockClass}__form-1`
  const hidden = block.attributes['showLabel'] === false ? ' screen-reader-text' : ''
  return (
    `<div ${wrapperAttributes(block, { class: list.class })}>` +
    list.labelOf(id, `${blockClass}__label${hidden}`, list.label) +
    list.select(id, form) +
    `<form id="${form}" method="get" action="${urlValue(rendering.plugin.urls.home)}">` +
    `<button type="submit" class="${rendering.mark}-element-button">${t('Show')}</button></form></div>`
  )
}
