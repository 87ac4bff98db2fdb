import { isObject } from '../../../kernel/index.ts'
import { createHash } from 'node:crypto'
import { memoize } from '../../library/long-work/index.ts'
import { escapeHtml } from '../../library/markup/index.ts'
import { htmlPieces } from '../content-rendering/index.ts'
import { addLayoutRules } from './layout-rules.ts'
import { addHiddenRules, addStickyRule, backgroundOf } from './arranged-supports.ts'
import { addDuotone, addDuotoneRule, addElementRules, classOf, slugOf } from './page-rules.ts'
import { imageWithId } from './layout.ts'
import type { Block } from './parse.ts'
import { isStored, type BlockType } from './types/registry.ts'

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

/** The parts of the merged theme styles that the classes and rules of blocks depend on. */
export interface ThemeParts {
  /** Whether the theme sets a gap between blocks. */
  readonly hasGap: boolean
  /** Default size of the gap. */
  readonly gapSize: string
  /** Names of the style variations that have styles, by block type. */
  readonly variations: Readonly<Record<string, readonly string[]>>
  /** Colors of the duotone presets by slug. */
  readonly duotones: ReadonlyMap<string, readonly unknown[]>
}

export const NO_THEME: ThemeParts = { hasGap: false, gapSize: '0.5em', variations: {}, duotones: new Map() }

/** Matches content in which the classes of a block depend on the theme. */
export const NEEDS_THEME = /"layout":|:columns[\s/]|is-style-|"duotone":/

/** What classes depend on besides the block: their prefix, the theme, and numbers that are unique within a content. */
export interface Arrangement {
  readonly mark: string
  readonly theme: ThemeParts
  /** Whether the gap of the theme replaces the default gap of a block type. */
  readonly themeGapWins: boolean
  /** The last number of the stored blocks that need a class of their own. */
  readonly numbers: { last: number }
  /** Number of blocks with rules in the post, including the content that it includes. */
  readonly rules: { count: number }
}

/** Maximum number of blocks in a post that add rules to its pages. */
const MAX_RULED_BLOCKS = 1_000

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
const FIRST_STYLE = /^(\s*<[a-z](?:[^"'>]|"[^"]*"|'[^']*')*?\sstyle=)"([^"]*)"/i
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
  const own = type === undefined || !isStored(type) ? [] : ownClasses(type, block.attributes, arrangement)
  const nested = block.inner.some((part) => typeof part !== 'string')
  const inner = nested
    ? block.inner.map((part) => (typeof part === 'string' ? part : innerBlock(block, part, types, arrangement)))
    : block.inner
  const arranged = inner === block.inner ? block : { ...block, inner }
  if (type === undefined || !isStored(type)) return arranged
  const layout = layoutClasses(type, block.attributes, arrangement)
  const style = ownStyle(type, block.attributes, arrangement)
  const [first] = inner
  if ((own.length + layout.length === 0 && style === '') || typeof first !== 'string') return arranged
  const container = nested && layout.length > 0 ? containerAt(first) : 0
  const html =
    container > 0
      ? withClasses(first.slice(0, container), own) + withClasses(first.slice(container), layout)
      : withClasses(first, [...own, ...layout])
  return { ...block, inner: [style === '' ? html : withStyle(html, escapeHtml(style)), ...inner.slice(1)] }
}

/** Returns an inner block with its classes. Images of galleries name their attachment, as scripts of galleries expect. */
function innerBlock(outer: Block, inner: Block, types: Types, arrangement: Arrangement): Block {
  const arranged = arrangedBlock(inner, types, arrangement)
  return outer.name === 'core/gallery' && inner.name === 'core/image' ? imageWithId(arranged, '') : arranged
}

/** Returns the declarations that stored HTML lacks, because they are added when a block is shown. */
function ownStyle(type: BlockType, attributes: Attributes, { mark }: Arrangement): string {
  const ratio = hasUnsetRatio(type, attributes) ? 'aspect-ratio:unset;' : ''
  return attributes['style'] === undefined ? ratio : `${ratio}${backgroundOf(type, attributes, mark)}`
}

/** Whether a minimum height of the block replaces an aspect ratio that a style sheet can set. */
function hasUnsetRatio({ supports }: BlockType, { minHeight, style }: Attributes): boolean {
  if (objectOf(supports['dimensions'])['aspectRatio'] !== true) return false
  const { minHeight: own, aspectRatio } = objectOf(objectOf(style)['dimensions'])
  return Boolean(minHeight ?? own) && !aspectRatio
}

/** Returns the classes of the outermost element, except those of its layout, and adds their rules to the page. */
function ownClasses(type: BlockType, attributes: Attributes, arrangement: Arrangement): string[] {
  const { mark, numbers, theme } = arrangement
  const classes = NAMED.has(type.name) ? [classOf(type.name, mark)] : []
  const variations = theme.variations[type.name]
  const { className } = attributes
  if (variations !== undefined && typeof className === 'string') {
    const variation = variations.find((name) => className.split(/\s+/).includes(`is-style-${name}`))
    if (variation !== undefined) classes.push(`is-style-${variation}--${(numbers.last += 1)}`)
  }
  if (type.name === 'core/gallery') classes.push(`${mark}-block-gallery-${(numbers.last += 1)}`)
  if (attributes['metadata'] !== undefined) classes.push(...addHiddenRules(type, attributes, mark))
  if (attributes['style'] !== undefined) classes.push(...styleClasses(type, objectOf(attributes['style']), arrangement))
  return classes
}

/** Counts a block with rules. @returns whether it is within the limit */
function mayAddRules({ rules }: Arrangement): boolean {
  rules.count += 1
  return rules.count <= MAX_RULED_BLOCKS
}

/** Returns the classes for element styles and for a duotone, and adds their rules to the page. */
function styleClasses(type: BlockType, style: Attributes, arrangement: Arrangement): string[] {
  const { mark } = arrangement
  const { elements, color } = style
  const { duotone } = objectOf(color)
  const classes = stickyClasses(type, style, arrangement)
  if (isStored(type) && backgroundOf(type, { style }, mark) !== '') classes.push('has-background')
  if ((elements === undefined && duotone === undefined) || !mayAddRules(arrangement)) return classes
  const skipped = objectOf(type.supports['color'])['__experimentalSkipSerialization'] === true
  if (isObject(elements) && Object.keys(elements).length > 0 && !skipped) {
    const name = `${mark}-elements-${createHash('md5').update(JSON.stringify(elements)).digest('hex')}`
    addElementRules(`.${name}`, elements, mark)
    classes.push(name)
  }
  const duotoneName = duotone === undefined ? null : duotoneClass(type, duotone, arrangement)
  return duotoneName === null ? classes : [...classes, duotoneName]
}

/** Returns the classes of a block that stays visible while its container scrolls. */
function stickyClasses(type: BlockType, { position }: Attributes, arrangement: Arrangement): string[] {
  const { type: kind, top } = objectOf(position)
  if (kind !== 'sticky' || objectOf(type.supports['position'])['sticky'] !== true || !mayAddRules(arrangement))
    return []
  const container = `${arrangement.mark}-container-${hashOf(`sticky ${String(top)}`)}`
  addStickyRule(`.${container}`, top)
  return [container, 'is-position-sticky']
}

/** Returns the class of a duotone: a preset, a list of colors, or `unset`. Null if the type has no duotone. */
function duotoneClass(type: BlockType, duotone: unknown, { mark, theme, numbers }: Arrangement): string | null {
  const selector = objectOf(objectOf(type.selectors)['filter'])['duotone']
  if (objectOf(type.supports['filter'])['duotone'] !== true || typeof selector !== 'string') return null
  const selectors = selector.replaceAll(/\.\w+-(?=block-|element-)/g, `.${mark}-`)
  if (Array.isArray(duotone)) {
    const colors = duotone.map((one) => (typeof one === 'string' ? one.replace(/[^a-z\d]/gi, '').slice(0, 30) : ''))
    const name = `${mark}-duotone-${colors.join('-')}-${(numbers.last += 1)}`
    return name.length <= 200 && addDuotone(name, selectors, duotone) ? name : null
  }
  if (duotone === 'unset') {
    const name = `${mark}-duotone-unset-${(numbers.last += 1)}`
    addDuotoneRule(name, selectors, 'none')
    return name
  }
  const slug = typeof duotone === 'string' ? slugOf(duotone.split('|').at(-1)) : ''
  const name = `${mark}-duotone-${slug}`
  const colors = theme.duotones.get(slug)
  return colors !== undefined && addDuotone(name, selectors, colors) ? name : null
}

const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))

/**
 * Returns the index of the tag of the element directly around the inner blocks: the last tag that is still open at the
 * end of the HTML before them.
 */
function containerAt(html: string): number {
  const open: number[] = []
  let at = 0
  for (const { kind, name, text } of htmlPieces(html)) {
    if (kind === 'close') open.pop()
    else if (kind === 'open' && !VOID.has(name) && !text.endsWith('/>')) open.push(at)
    at += text.length
  }
  return open.length < 2 ? 0 : open.at(-1)!
}

/** Adds classes to the HTML that the renderer of the block returned, and their rules to the page. */
export function arrangedHtml(html: string, type: BlockType, attributes: Attributes, arrangement: Arrangement): string {
  if (html === '') return ''
  return withClasses(html, [
    ...ownClasses(type, attributes, arrangement),
    ...layoutClasses(type, attributes, arrangement),
  ])
}

/** Adds classes to the first element of the HTML. */
function withClasses(html: string, classes: readonly string[]): string {
  if (classes.length === 0) return html
  const [start, before = '', double, single = ''] = FIRST_CLASS.exec(html) ?? []
  if (start !== undefined) {
    const existing = (double ?? single).split(/\s+/).filter((one) => one !== '')
    const all = [...existing, ...classes.filter((one) => !existing.includes(one))]
    return `${before}"${all.join(' ')}"${html.slice(start.length)}`
  }
  const [tag] = FIRST_TAG.exec(html) ?? []
  return tag === undefined ? html : `${tag} class="${classes.join(' ')}"${html.slice(tag.length)}`
}

/** Adds declarations to the style of the first element of the HTML. @param declarations already escaped */
function withStyle(html: string, declarations: string): string {
  const [start, before = '', value = ''] = FIRST_STYLE.exec(html) ?? []
  if (start !== undefined) {
    const ended = value.trim() === '' || value.trimEnd().endsWith(';') ? value : `${value};`
    return `${before}"${ended}${declarations}"${html.slice(start.length)}`
  }
  const [tag] = FIRST_TAG.exec(html) ?? []
  return tag === undefined ? html : `${tag} style="${declarations}"${html.slice(tag.length)}`
}

/** Returns the layout classes that the attributes of a block select; empty if its type has no layout. */
function layoutClasses(type: BlockType, attributes: Attributes, arrangement: Arrangement): string[] {
  const { mark } = arrangement
  const support = type.supports['layout']
  if (support === undefined || support === false || support === null) return []
  const defaultLayout = isObject(support) && isObject(support['default']) ? (support['default'] as Layout) : {}
  const chosen: Layout = isObject(attributes['layout']) ? attributes['layout'] : {}
  const layout = isObject(attributes['layout']) ? chosen : defaultLayout
  const name = typeOf(layout)
  // Classes of single settings follow the attribute alone, not the default of the type.
  const { orientation, justifyContent, flexWrap } = chosen
  return [
    ...(ORIENTED.has(orientation) ? [`is-${String(orientation)}`] : []),
    ...(JUSTIFIED.has(justifyContent) ? [`is-content-justification-${String(justifyContent)}`] : []),
    ...(flexWrap === 'nowrap' ? ['is-nowrap'] : []),
    `is-layout-${name}`,
    ...(needsRule(name, layout, attributes) ? [containerClass(type, attributes, layout, arrangement)] : []),
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
  const { mark, theme, themeGapWins } = arrangement
  const spacing = spacingOf(attributes)
  const support = objectOf(supports['spacing'])
  const typeGap = objectOf(support['blockGap'])['__experimentalDefault']
  const defaultGap = typeGap === undefined || (themeGapWins && theme.hasGap) ? theme.gapSize : typeGap
  const skipped = support['__experimentalSkipSerialization'] === true
  const dependencies = [
    layout,
    theme.hasGap,
    spacing['blockGap'] ?? null,
    skipped,
    defaultGap,
    attributes['style'] ? spacing : null,
  ]
  // Escape slashes as WordPress does: the class is a hash of this text and must match existing style sheets.
  const text = JSON.stringify(dependencies).replaceAll('/', '\\/')
  const container = `${mark}-container-${name.replace('/', '-')}-is-layout-${hashOf(text)}`
  const kind = typeOf(layout)
  const selector = `.${container}.is-layout-${kind}`
  if (mayAddRules(arrangement))
    addLayoutRules(selector, kind, layout as Attributes, skipped ? {} : spacing, { mark, gapSize: theme.gapSize })
  return container
}

const hashOf = memoize((text) => createHash('md5').update(text).digest('hex').slice(0, 8), 100_000)

/** Returns the parts of the merged styles of the active theme that blocks depend on. */
export function themePartsOf({ settings, styles }: { settings?: unknown; styles?: unknown }): ThemeParts {
  const size = objectOf(objectOf(styles)['spacing'])['blockGap']
  const gap = objectOf(objectOf(settings)['spacing'])['blockGap']
  const blocks = Object.entries(objectOf(objectOf(styles)['blocks']))
  const variations = blocks.flatMap(([name, block]) => {
    const names = Object.keys(objectOf(objectOf(block)['variations']))
    return names.length === 0 ? [] : [[name, names] as const]
  })
  return {
    hasGap: gap !== undefined && gap !== null,
    gapSize: typeof size === 'string' ? size : NO_THEME.gapSize,
    variations: Object.fromEntries(variations),
    duotones: duotonesOf(objectOf(objectOf(settings)['color'])['duotone']),
  }
}

/** Returns the duotone presets of all origins; those of the user replace others with the same slug. */
function duotonesOf(presets: unknown): ThemeParts['duotones'] {
  const all = Array.isArray(presets) ? [presets] : ['default', 'theme', 'custom'].map((name) => objectOf(presets)[name])
  return new Map(
    all.flat().flatMap((preset) => {
      const { slug, colors } = objectOf(preset)
      return typeof slug === 'string' && Array.isArray(colors) ? [[slugOf(slug), colors as unknown[]] as const] : []
    }),
  )
}

function spacingOf(attributes: Attributes): Attributes {
  return objectOf(objectOf(attributes['style'])['spacing'])
}

function objectOf(value: unknown): Attributes {
  return isObject(value) ? value : {}
}

function typeOf({ type, contentSize, inherit }: Layout): 'flex' | 'flow' | 'constrained' | 'grid' {
  if (type === 'flex' || type === 'grid') return type
  return type === 'constrained' || inherit === true || typeof contentSize === 'string' ? 'constrained' : 'flow'
}

/** Whether the layout needs its own style rule. */
function needsRule(name: ReturnType<typeof typeOf>, layout: Layout, attributes: Attributes): boolean {
  const { contentSize, wideSize, orientation, flexWrap, justifyContent, verticalAlignment } = layout
  const { blockGap, padding } = spacingOf(attributes)
  if (name === 'grid' || (blockGap !== undefined && blockGap !== null)) return true
  if (name === 'flow') return false
  if (name === 'constrained') {
    // Blocks in full width extend over the padding of their container.
    const { left, right } = objectOf(padding)
    return (
      typeof contentSize === 'string' ||
      typeof wideSize === 'string' ||
      JUSTIFIED.has(justifyContent) ||
      left !== undefined ||
      right !== undefined
    )
  }
  return (
    orientation === 'vertical' ||
    flexWrap === 'nowrap' ||
    JUSTIFIED.has(justifyContent) ||
    ALIGNED.has(verticalAlignment)
  )
}
