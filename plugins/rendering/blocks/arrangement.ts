import { isObject } from '../../../kernel/index.ts'
import { createHash } from 'node:crypto'
import { memoize } from '../../library/long-work/index.ts'
import type { Block } from './parse.ts'
import type { BlockType } from './types/registry.ts'

/** The attribute `layout` of a block, as far as the layout classes of current styles depend on it. */
interface Layout {
  type?: unknown
  orientation?: unknown
  justifyContent?: unknown
  flexWrap?: unknown
  verticalAlignment?: unknown
  contentSize?: unknown
  wideSize?: unknown
  inherit?: unknown
  columnCount?: unknown
  minimumColumnWidth?: unknown
}

/** The gap between blocks: whether the theme sets one, and the default size. */
export interface BlockGap {
  readonly isOn: boolean
  readonly defaultSize: string
}

export const NO_GAP: BlockGap = { isOn: false, defaultSize: '0.5em' }

/** Matches content in which a block can need a style rule for its layout. */
export const HAS_LAYOUT = /"layout":|:columns[\s/]/

/** Settings that class names depend on: their prefix, and the block gap. */
interface Arrangement {
  readonly mark: string
  readonly gap: BlockGap
}

type Attributes = Readonly<Record<string, unknown>>
type Types = Pick<Map<string, BlockType>, 'get'>

const JUSTIFIED = new Set<unknown>(['left', 'center', 'right', 'space-between', 'stretch'])
const ORIENTED = new Set<unknown>(['horizontal', 'vertical'])
const ALIGNED = new Set<unknown>(['top', 'center', 'bottom', 'stretch', 'space-between'])

/** Blocks whose first element gets the class of their type, even if the stored HTML lacks it. */
const NAMED: ReadonlySet<string> = new Set(['core/paragraph', 'core/heading', 'core/list'])

/**
 * Matches the first tag up to its class attribute, skipping the values of other attributes, and captures the class
 * names.
 */
const FIRST_CLASS = /^(\s*<[a-z](?:[^"'>]|"[^"]*"|'[^']*')*?\sclass=)(?:"([^"]*)"|'([^']*)')/i
const FIRST_TAG = /^\s*<[a-z][a-z\d-]*(?=[\s/>])/i

/**
 * Adds type and layout classes to the stored HTML of blocks. Rendered blocks get theirs after rendering, from
 * `arrangedHtml`.
 */
export function withArrangement(blocks: readonly Block[], types: Types, arrangement: Arrangement): Block[] {
  return blocks.map((block) => arrangedBlock(block, types, arrangement))
}

function arrangedBlock(block: Block, types: Types, arrangement: Arrangement): Block {
  const type = block.name === null ? undefined : types.get(block.name)
  const nested = block.inner.some((part) => typeof part !== 'string')
  const inner = nested
    ? block.inner.map((part) => (typeof part === 'string' ? part : arrangedBlock(part, types, arrangement)))
    : block.inner
  const arranged = inner === block.inner ? block : { ...block, inner }
  if (type === undefined || type.render !== null) return arranged
  const classes = [
    ...(NAMED.has(type.name) ? [classOf(type.name, arrangement.mark)] : []),
    ...layoutClasses(type, block.attributes, arrangement),
  ]
  const [first] = inner
  if (classes.length === 0 || typeof first !== 'string') return arranged
  return { ...block, inner: [withClasses(first, classes), ...inner.slice(1)] }
}

/** Adds the layout classes of the block to the HTML its renderer returned. */
export function arrangedHtml(html: string, type: BlockType, attributes: Attributes, arrangement: Arrangement): string {
  const classes = layoutClasses(type, attributes, arrangement)
  return classes.length === 0 ? html : withClasses(html, classes)
}

/** Returns the class of a block type: `MARK-block-site-title`, `MARK-block-shop-price`. */
export function classOf(name: string, mark: string): string {
  return `${mark}-block-${name.replace(/^core\//, '').replace('/', '-')}`
}

/** Adds classes to the first element of the HTML. */
function withClasses(html: string, classes: readonly string[]): string {
  const [start, before = '', double, single = ''] = FIRST_CLASS.exec(html) ?? []
  if (start !== undefined) {
    const existing = (double ?? single).split(/\s+/).filter((one) => one !== '')
    const all = [...existing, ...classes.filter((one) => !existing.includes(one))]
    return `${before}"${all.join(' ')}"${html.slice(start.length)}`
  }
  const [tag] = FIRST_TAG.exec(html) ?? []
  return tag === undefined ? html : `${tag} class="${classes.join(' ')}"${html.slice(tag.length)}`
}

/** Returns the layout classes that the attributes of a block select; empty if its type has no layout. */
function layoutClasses(type: BlockType, attributes: Attributes, arrangement: Arrangement): string[] {
  const { mark } = arrangement
  const support = type.supports['layout']
  if (support === undefined || support === false || support === null) return []
  const defaultLayout = isObject(support) && isObject(support['default']) ? (support['default'] as Layout) : {}
  const layout: Layout = isObject(attributes['layout']) ? attributes['layout'] : defaultLayout
  const name = typeOf(layout)
  const { orientation, justifyContent, flexWrap } = layout
  return [
    ...(ORIENTED.has(orientation) ? [`is-${String(orientation)}`] : []),
    ...(JUSTIFIED.has(justifyContent) ? [`is-content-justification-${String(justifyContent)}`] : []),
    ...(flexWrap === 'nowrap' ? ['is-nowrap'] : []),
    `is-layout-${name}`,
    ...(needsRule(name, layout) ? [containerClass(type, attributes, layout, arrangement)] : []),
    `${classOf(type.name, mark)}-is-layout-${name}`,
  ]
}

/** Returns the class that links a block to its layout rule. Blocks with equal rules share the class. */
function containerClass(
  { name, supports }: BlockType,
  attributes: Attributes,
  layout: Layout,
  arrangement: Arrangement,
): string {
  const { mark, gap } = arrangement
  const spacing = objectOf(objectOf(attributes['style'])['spacing'])
  const support = objectOf(supports['spacing'])
  const defaultGap = objectOf(support['blockGap'])['__experimentalDefault'] ?? gap.defaultSize
  const skipped = support['__experimentalSkipSerialization'] === true
  const dependencies = [
    layout,
    gap.isOn,
    spacing['blockGap'] ?? null,
    skipped,
    defaultGap,
    attributes['style'] ? spacing : null,
  ]
  // Escape slashes as WordPress does: the class is a hash of this text and must match existing style sheets.
  const text = JSON.stringify(dependencies).replaceAll('/', '\\/')
  return `${mark}-container-${name.replace('/', '-')}-is-layout-${hashOf(text)}`
}

const hashOf = memoize((text) => createHash('md5').update(text).digest('hex').slice(0, 8), 100_000)

/** Returns the block gap that the merged styles of the active theme set. */
export function gapOf({ settings, styles }: { settings?: unknown; styles?: unknown }): BlockGap {
  const size = objectOf(objectOf(styles)['spacing'])['blockGap']
  const isOn = objectOf(objectOf(settings)['spacing'])['blockGap']
  return {
    isOn: isOn !== undefined && isOn !== null,
    defaultSize: typeof size === 'string' ? size : NO_GAP.defaultSize,
  }
}

function objectOf(value: unknown): Attributes {
  return isObject(value) ? value : {}
}

function typeOf({ type, contentSize, inherit }: Layout): 'flex' | 'flow' | 'constrained' | 'grid' {
  if (type === 'flex' || type === 'grid') return type
  return type === 'constrained' || inherit === true || typeof contentSize === 'string' ? 'constrained' : 'flow'
}

/** Whether the layout needs its own style rule. */
function needsRule(name: ReturnType<typeof typeOf>, layout: Layout): boolean {
  const { contentSize, wideSize, orientation, flexWrap, justifyContent, verticalAlignment } = layout
  if (name === 'grid') return true
  if (name === 'flow') return false
  if (name === 'constrained') {
    return typeof contentSize === 'string' || typeof wideSize === 'string' || JUSTIFIED.has(justifyContent)
  }
  return (
    orientation === 'vertical' ||
    flexWrap === 'nowrap' ||
    JUSTIFIED.has(justifyContent) ||
    ALIGNED.has(verticalAlignment)
  )
}
