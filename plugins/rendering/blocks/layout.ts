import type { Block } from './parse.ts'

/** The attribute `layout` of a block, as far as the layout classes before WordPress 6.5 depend on it. */
interface Layout {
  type?: unknown
  orientation?: unknown
  justifyContent?: unknown
  flexWrap?: unknown
  verticalAlignment?: unknown
  contentSize?: unknown
  wideSize?: unknown
  inherit?: unknown
}

/** Block types with a layout, and the default layout of each. */
const LAYOUTS: ReadonlyMap<string | null, Layout> = new Map<string, Layout>([
  ['core/buttons', { type: 'flex' }],
  ['core/column', {}],
  ['core/columns', { type: 'flex', flexWrap: 'nowrap' }],
  ['core/gallery', { type: 'flex' }],
  ['core/group', {}],
  ['core/social-links', { type: 'flex' }],
])

const JUSTIFIED = new Set<unknown>(['left', 'center', 'right', 'space-between'])
const ALIGNED = new Set<unknown>(['top', 'center', 'bottom'])

/** Matches the first tag up to the value of its class attribute, skipping the values of other attributes. */
const FIRST_CLASS = /^\s*<[a-z](?:[^"'>]|"[^"]*"|'[^']*')*?\sclass="/i
const FIRST_TAG = /^\s*<([a-z][a-z\d-]*)(?=[\s/>])[^>]*>/i
const DIGITS = /^\d{1,15}$/
/** Matches the start of an image block, and captures its leading white space and class names. */
const FIGURE = /^(\s*)<figure class="([^"]*)"/
const IMAGE_ALIGNED = ['alignleft', 'aligncenter', 'alignright']

/** Numbers the blocks with a layout within one rendering, starting at 1. */
export interface Counter {
  last: number
}

/**
 * Adds the layout classes that front-end styles of WordPress before 6.5 expect: the layout (`is-layout-flex`), the
 * choices in the attributes (`is-nowrap`), and a numbered class if the block needs its own style rule. Wraps the
 * content of a group in a container unless the group is a row or a stack, wraps aligned images, and adds IDs to the
 * images of galleries.
 * @param mark prefix of some class names
 */
export function withLegacyLayout(blocks: readonly Block[], mark: string, counter: Counter): Block[] {
  return blocks.map((block) => {
    const layout = LAYOUTS.get(block.name)
    const nested = block.inner.some((part) => typeof part !== 'string')
    const inner = nested ? innerOf(block, mark, counter) : block.inner
    if (block.name === 'core/image') return containedImage(block, mark)
    if (layout === undefined) return nested ? { ...block, inner } : block
    return { ...block, inner: arranged(block, inner, layout, mark, counter) }
  })
}

/** Returns the content of a block. Inner blocks get lower numbers than the block itself. */
function innerOf(block: Block, mark: string, counter: Counter): (string | Block)[] {
  return block.inner.map((part) => {
    if (typeof part === 'string') return part
    const inside = withLegacyLayout([part], mark, counter)[0]!
    return block.name === 'core/gallery' && part.name === 'core/image' ? imageWithId(inside) : inside
  })
}

function arranged(
  { name, attributes }: Block,
  inner: readonly (string | Block)[],
  defaultLayout: Layout,
  mark: string,
  counter: Counter,
): (string | Block)[] {
  const attribute = attributes['layout']
  const chosen = typeof attribute === 'object' && attribute !== null ? (attribute as Layout) : {}
  const layout = attribute === undefined ? defaultLayout : chosen
  const type = typeOf(layout)
  const classes: string[] = []
  if (chosen.orientation === 'vertical' || chosen.orientation === 'horizontal') classes.push(`is-${chosen.orientation}`)
  if (JUSTIFIED.has(chosen.justifyContent)) classes.push(`is-content-justification-${String(chosen.justifyContent)}`)
  if (chosen.flexWrap === 'nowrap') classes.push('is-nowrap')
  classes.push(`is-layout-${type}`)
  // A gallery also uses a number for its gap.
  const gallery = name === 'core/gallery' ? (counter.last += 1) : 0
  counter.last += 1
  if (needsRule(type, layout)) classes.push(`${mark}-container-${counter.last}`)
  if (gallery > 0) classes.push(`${mark}-block-gallery-${gallery}`)
  const parts = [...inner]
  if (typeof parts[0] === 'string') {
    parts[0] = parts[0].replace(FIRST_CLASS, (start) => `${start}${classes.join(' ')} `)
  }
  if (name === 'core/group' && type !== 'flex') contain(parts, `<div class="${mark}-block-group__inner-container">`)
  return parts
}

function typeOf({ type, contentSize, inherit }: Layout): 'flex' | 'flow' | 'constrained' {
  if (type === 'flex') return 'flex'
  return type === 'constrained' || inherit === true || typeof contentSize === 'string' ? 'constrained' : 'flow'
}

/** Whether the layout needs its own style rule. */
function needsRule(type: 'flex' | 'flow' | 'constrained', layout: Layout): boolean {
  if (type === 'constrained') return typeof layout.contentSize === 'string' || typeof layout.wideSize === 'string'
  if (type === 'flow') return false
  const { orientation, flexWrap, justifyContent, verticalAlignment } = layout
  return (
    orientation === 'vertical' ||
    flexWrap === 'nowrap' ||
    JUSTIFIED.has(justifyContent) ||
    ALIGNED.has(verticalAlignment)
  )
}

/** Wraps the content of the outermost element in a container, unless it already has one. */
function contain(parts: (string | Block)[], container: string): void {
  const [first] = parts
  const [begin, name] = (typeof first === 'string' ? FIRST_TAG.exec(first) : null) ?? []
  const last = parts.at(-1)
  if (begin === undefined || typeof first !== 'string' || typeof last !== 'string') return
  const end = last.lastIndexOf(`</${name}>`)
  if (end < 0 || first.slice(begin.length).trimStart().startsWith(container)) return
  parts[parts.length - 1] = `${last.slice(0, end)}</div>${last.slice(end)}`
  parts[0] = `${begin}${container}${(parts[0] as string).slice(begin.length)}`
}

/** Wraps an aligned image in a container, and moves the classes that the user added to it. */
function containedImage(block: Block, mark: string): Block {
  const [html] = block.inner
  if (typeof html !== 'string' || block.inner.length > 1) return block
  const [begin, space = '', names = ''] = FIGURE.exec(html) ?? []
  if (begin === undefined) return block
  const { className } = block.attributes
  const outer = [`${mark}-block-image`, ...namesOf(typeof className === 'string' ? className : '')]
  const existing = namesOf(names)
  if (existing[0] !== outer[0] || !IMAGE_ALIGNED.some((name) => existing.includes(name))) return block
  const innerClasses = existing.filter((name) => !outer.includes(name))
  const outerClasses = outer.filter((name) => existing.includes(name))
  const figure = `<figure class="${innerClasses.join(' ')}"${html.slice(begin.length).trimEnd()}`
  return { ...block, inner: [`<div class="${outerClasses.join(' ')}">${space}${figure}</div>`] }
}

function namesOf(text: string): string[] {
  return text.split(/\s+/).filter((name) => name !== '')
}

/** Adds the attachment ID to the tag of a gallery image. @param end what follows the new attribute */
export function imageWithId(block: Block, end = ' '): Block {
  const { id } = block.attributes
  if ((typeof id !== 'number' && typeof id !== 'string') || !DIGITS.test(String(id))) return block
  const inner = block.inner.map((part) =>
    typeof part === 'string' && !part.includes('data-id=') ? part.replace('<img', `<img data-id="${id}"${end}`) : part,
  )
  return { ...block, inner }
}
