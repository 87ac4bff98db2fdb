import { urlValue } from '../attributes.ts'
import { wrapperAttributes, type CoreBlock, type Rendering } from '../renderer.ts'

/** Contents of a select element, as HTML. */
interface Dropdown {
  readonly class: string
  readonly label: string
  readonly name: string
  /** Prompt: the first entry, without a value. */
  readonly first: string
  readonly options: readonly { value: string; text: string }[]
}

/** Renders a block as a form with a select element, which opens the chosen page without scripts. */
export async function dropdown(block: CoreBlock, rendering: Rendering, list: Dropdown): Promise<string> {
  const { t } = await rendering.texts()
  const blockClass = rendering.classOf(block)
  // The other drop-downs of a page get other numbers when all of it is rendered.
  const id = `${blockClass}-1`
  const hidden = block.attributes['showLabel'] === false ? ' screen-reader-text' : ''
  const options = [{ value: '', text: list.first }, ...list.options].map(
    ({ value, text }) => `<option value="${value}">${text}</option>`,
  )
  return (
    `<div ${wrapperAttributes(block, { class: list.class })}>` +
    `<label for="${id}" class="${blockClass}__label${hidden}">${list.label}</label>` +
    `<form method="get" action="${urlValue(rendering.plugin.urls.home)}">` +
    `<select id="${id}" name="${list.name}" required>${options.join('')}</select>` +
    `<button type="submit" class="${rendering.mark}-element-button">${t('Show')}</button></form></div>`
  )
}
