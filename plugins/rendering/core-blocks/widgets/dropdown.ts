import { wrapperAttributes, type CoreBlock, type Rendering } from '../renderer.ts'
import { numberedId } from './numbered-id.ts'

/** Contents of a select element, as HTML. */
interface Dropdown {
  readonly class: string
  readonly label: string
  readonly name: string
  /** Prompt: the first entry, without a value. */
  readonly first: string
  readonly options: readonly { value: string; text: string }[]
}

/** Renders a block as a select element. The theme must handle the selection. */
export function dropdown(block: CoreBlock, rendering: Rendering, list: Dropdown): string {
  const blockClass = rendering.classOf(block)
  const id = numberedId(blockClass, rendering)
  const hidden = block.attributes['showLabel'] === false ? ' screen-reader-text' : ''
  const options = [{ value: '', text: list.first }, ...list.options].map(
    ({ value, text }) => `<option value="${value}">${text}</option>`,
  )
  return (
    `<div ${wrapperAttributes(block, { class: list.class })}>` +
    `<label for="${id}" class="${blockClass}__label${hidden}">${list.label}</label>` +
    `<select id="${id}" name="${list.name}">${options.join('')}</select></div>`
  )
}
