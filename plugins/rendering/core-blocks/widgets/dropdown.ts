import { wrapperAttributes, type CoreBlock, type Rendering } from '../renderer.ts'
import { numberedId } from './numbered-id.ts'

/** A list to choose from, as HTML. */
interface Dropdown {
  readonly class: string
  readonly label: string
  readonly name: string
  /** The entry before all others, which stands for nothing. */
  readonly first: string
  readonly options: readonly { value: string; text: string }[]
}

/** A block as a list to choose from. Where the choice leads to is for the page around it to say. */
export function dropdown(block: CoreBlock, rendering: Rendering, list: Dropdown): string {
  const own = rendering.classOf(block)
  const id = numberedId(own, rendering)
  const hidden = block.attributes['showLabel'] === false ? ' screen-reader-text' : ''
  const options = [{ value: '', text: list.first }, ...list.options].map(
    ({ value, text }) => `<option value="${value}">${text}</option>`,
  )
  return (
    `<div ${wrapperAttributes(block, { class: list.class })}>` +
    `<label for="${id}" class="${own}__label${hidden}">${list.label}</label>` +
    `<select id="${id}" name="${list.name}">${options.join('')}</select></div>`
  )
}
