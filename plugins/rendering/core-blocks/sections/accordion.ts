import { hash } from 'node:crypto'
import type { CoreBlock, Renderer } from '../renderer.ts'
import { changedTag, findTag, replacePieces } from '../stored-html.ts'

/** Context of the items of an accordion in which one item is open at a time: the name that they share. */
const GROUP = 'core-blocks/accordion-group'
/** Context of the heading of an item that is rendered as `details`. */
const IN_DETAILS = 'core-blocks/accordion-details'

/** Renders a stored accordion whose items close when another one opens. */
export const renderAccordion: Renderer = (block, rendering) => {
  const headings = block.innerBlocks.map(({ inner }) => inner.find((part) => typeof part !== 'string'))
  // Accordions with equal headings share a group, but never with an accordion inside of them.
  const about = [rendering.post?.id ?? 0, block.context[GROUP] ?? '', headings]
  return rendering.renderInner(block, { [GROUP]: `accordion-${hash('sha256', JSON.stringify(about)).slice(0, 12)}` })
}

/** Renders an item of an accordion as `details`, which open and close without scripts. */
export const renderAccordionItem: Renderer = async (block, rendering) => {
  if (!isUsual(block)) return rendering.renderInner(block)
  const html = await rendering.renderInner(block, { [IN_DETAILS]: true })
  const item = findTag(html, () => true)
  const end = html.lastIndexOf('</div>')
  if (item === null || end < 0) return html
  const group = block.context[GROUP]
  const tag = changedTag(
    item.tag,
    {
      ...(typeof group === 'string' && { name: group }),
      open: block.attributes['openByDefault'] === true ? '' : null,
    },
    'details',
  )
  const inside = item.after.slice(0, end - item.before.length - item.tag.length)
  return `${item.before}${tag}${inside}</details>${html.slice(end + '</div>'.length)}`
}

/** Whether the item is stored as an element around a heading and other blocks. */
function isUsual({ inner, innerBlocks }: CoreBlock): boolean {
  const [first, last] = [inner[0], inner.at(-1)]
  return (
    innerBlocks[0]?.name === 'core/accordion-heading' &&
    typeof first === 'string' &&
    /^<div[\s>]/i.test(first.trimStart()) &&
    typeof last === 'string' &&
    last.trimEnd().endsWith('</div>')
  )
}

/** Renders the heading of an item: browsers open the item when the heading is clicked, so it contains no button. */
export const renderAccordionHeading: Renderer = async (block, rendering) => {
  const html = await rendering.renderInner(block)
  if (block.context[IN_DETAILS] !== true) return html
  const heading = replacePieces(html, ({ kind, name, text }) => {
    if (name !== 'button') return null
    if (kind === 'close') return '</span>'
    return changedTag(text, { type: null, 'aria-expanded': null, 'aria-controls': null }, 'span')
  })
  return `<summary class="${rendering.classOf(block)}__summary">${heading}</summary>`
}
