import { escapeHtml } from '../../library/markup/index.ts'
import { safeStyle } from '../html/index.ts'
import { classOf, presetValue, slugOf } from './page-rules.ts'
import type { BlockInstance } from './types/registry.ts'

type Values = Readonly<Record<string, unknown>>

/** Attributes that a renderer adds to the ones from the block supports. */
export interface WrapperAttributes {
  /** Classes placed before the classes of the block. */
  readonly class?: string
  /** CSS declarations placed before the declarations of the block. */
  readonly style?: string
  readonly id?: string
  readonly [name: string]: string | undefined
}

/** Style groups that a renderer can apply to an element other than the outermost one. */
export type StylePart = 'color' | 'typography' | 'spacing' | 'border' | 'dimensions' | 'shadow' | 'background'

/** One style property: the path of its value in the attribute `style`, and its CSS name. */
type Property = readonly [path: string, css: string]

const SIDES = ['top', 'right', 'bottom', 'left'] as const
const CORNERS = [
  ['topLeft', 'top-left'],
  ['topRight', 'top-right'],
  ['bottomLeft', 'bottom-left'],
  ['bottomRight', 'bottom-right'],
] as const

const boxOf = (path: string, css: string): Property[] => [
  [path, css],
  ...SIDES.map((side): Property => [`${path}.${side}`, `${css}-${side}`]),
]

/** CSS properties by style group and the support that enables them. */
const PROPERTIES: Readonly<
  Record<StylePart, readonly (readonly [support: string, properties: readonly Property[]])[]>
> = {
  color: [
    ['text', [['color.text', 'color']]],
    ['background', [['color.background', 'background-color']]],
    ['gradients', [['color.gradient', 'background']]],
  ],
  typography: [
    ['fontFamily', [['typography.fontFamily', 'font-family']]],
    ['fontSize', [['typography.fontSize', 'font-size']]],
    ['fontStyle', [['typography.fontStyle', 'font-style']]],
    ['fontWeight', [['typography.fontWeight', 'font-weight']]],
    ['lineHeight', [['typography.lineHeight', 'line-height']]],
    ['textColumns', [['typography.textColumns', 'column-count']]],
    ['textDecoration', [['typography.textDecoration', 'text-decoration']]],
    ['textIndent', [['typography.textIndent', 'text-indent']]],
    ['textTransform', [['typography.textTransform', 'text-transform']]],
    ['letterSpacing', [['typography.letterSpacing', 'letter-spacing']]],
    ['writingMode', [['typography.writingMode', 'writing-mode']]],
  ],
  border: [
    [
      'radius',
      [
        ['border.radius', 'border-radius'],
        ...CORNERS.map(([name, css]): Property => [`border.radius.${name}`, `border-${css}-radius`]),
      ],
    ],
    ['style', [['border.style', 'border-style']]],
    ['width', [['border.width', 'border-width']]],
    ['color', [['border.color', 'border-color']]],
    ...(['width', 'style', 'color'] as const).map(
      (name) => [name, SIDES.map((side): Property => [`border.${side}.${name}`, `border-${side}-${name}`])] as const,
    ),
  ],
  spacing: [
    ['padding', boxOf('spacing.padding', 'padding')],
    ['margin', boxOf('spacing.margin', 'margin')],
  ],
  dimensions: [
    ['aspectRatio', [['dimensions.aspectRatio', 'aspect-ratio']]],
    ['height', [['dimensions.height', 'height']]],
    ['minHeight', [['dimensions.minHeight', 'min-height']]],
    ['width', [['dimensions.width', 'width']]],
    ['minWidth', [['dimensions.minWidth', 'min-width']]],
  ],
  shadow: [['', [['shadow', 'box-shadow']]]],
  background: [
    ['backgroundImage', [['background.backgroundImage.url', 'background-image']]],
    [
      'backgroundSize',
      [
        ['background.backgroundSize', 'background-size'],
        ['background.backgroundPosition', 'background-position'],
        ['background.backgroundRepeat', 'background-repeat'],
        ['background.backgroundAttachment', 'background-attachment'],
      ],
    ],
  ],
}

/** Style groups in the order of their declarations. */
const PARTS: readonly StylePart[] = ['color', 'typography', 'border', 'spacing', 'dimensions', 'shadow', 'background']

/**
 * Classes for attributes that hold the slug of a preset: attribute, group, support, the preset part of the class, and a
 * marker class.
 */
const PRESETS = [
  ['textColor', 'color', 'text', 'color', 'has-text-color'],
  ['backgroundColor', 'color', 'background', 'background-color', 'has-background'],
  ['gradient', 'color', 'gradients', 'gradient-background', 'has-background'],
  ['fontFamily', 'typography', 'fontFamily', 'font-family', ''],
  ['fontSize', 'typography', 'fontSize', 'font-size', ''],
  ['borderColor', 'border', 'color', 'border-color', 'has-border-color'],
] as const

/** Marker classes for custom values in the attribute `style`: path, group, support and class. */
const OWN = [
  ['color.text', 'color', 'text', 'has-text-color'],
  ['color.background', 'color', 'background', 'has-background'],
  ['color.gradient', 'color', 'gradients', 'has-background'],
  ['border.color', 'border', 'color', 'has-border-color'],
] as const

/**
 * Returns the attributes of the outermost element of a block: classes, styles and ID from its supports and attributes.
 * Values are escaped, and unsafe CSS declarations are removed.
 * @example
 * `<p ${wrapperAttributes(block, { class: 'is-short' })}>${text}</p>`
 */
export function wrapperAttributes(block: BlockInstance, more: WrapperAttributes = {}): string {
  const { class: classes = '', style = '', id, ...others } = more
  const { attributes, type } = block
  const { supports } = type
  const label = supports['ariaLabel'] === true ? textOf(attributes['ariaLabel']) : ''
  const anchor = isOn(supports['anchor']) ? textOf(attributes['anchor']) : ''
  const all: Record<string, string | undefined> = {
    style: [
      safeStyle(style),
      ended(safeStyle(PARTS.map((part) => declarationsOf(block, part, true).join('')).join(''))),
    ]
      .filter((part) => part !== '')
      .join('; '),
    class: [...new Set(`${classes} ${blockClasses(block).join(' ')}`.split(/\s+/))]
      .filter((one) => one !== '')
      .join(' '),
    id: id ?? anchor,
    ...(label !== '' && { 'aria-label': label }),
    ...others,
  }
  return Object.entries(all)
    .flatMap(([name, value]) => (value === undefined || value === '' ? [] : [`${name}="${escapeHtml(value)}"`]))
    .join(' ')
}

const ended = (style: string) => (style === '' ? '' : `${style};`)

/** Returns the CSS declarations of one style group, for renderers that apply them to an inner element. */
export function styleOf(block: BlockInstance, part: StylePart): string {
  return ended(safeStyle(declarationsOf(block, part, false).join('')))
}

/** Returns the border classes of a block, for renderers that apply the border to an inner element. */
export function borderClasses({ attributes, type }: BlockInstance): string[] {
  const color = has(type.supports, 'border', 'color') ? slugOf(attributes['borderColor']) : ''
  const own = valueAt(objectOf(attributes['style']), 'border.color')
  const hasOwn = typeof own === 'string' && own !== '' && has(type.supports, 'border', 'color')
  if (color === '') return hasOwn ? ['has-border-color'] : []
  return ['has-border-color', `has-${color}-border-color`]
}

/** Returns the color classes of a block, for renderers that apply the colors to an inner element. */
export function colorClasses({ attributes, type }: BlockInstance): string[] {
  return [...new Set(presetClasses(attributes, type.supports, has, 'color'))]
}

/**
 * Returns the classes of presets and of custom values.
 * @param isSupported whether the supports of a type include one of a style group
 * @param group limits them to one style group
 */
function presetClasses(
  attributes: Values,
  supports: Values,
  isSupported: typeof has,
  group: StylePart | null = null,
): string[] {
  const style = objectOf(attributes['style'])
  const classes: string[] = []
  for (const [path, part, support, mark] of attributes['style'] === undefined ? [] : OWN) {
    const value = valueAt(style, path)
    if (typeof value !== 'string' || value === '' || (group !== null && part !== group)) continue
    if (isSupported(supports, part, support)) classes.push(mark)
  }
  for (const [name, part, support, preset, mark] of PRESETS) {
    const slug = group === null || part === group ? slugOf(attributes[name]) : ''
    if (slug !== '' && isSupported(supports, part, support)) classes.push(mark, `has-${slug}-${preset}`)
  }
  return classes
}

/** Returns the class of the block type: `MARK-block-site-title`. */
export function kindClass({ name, mark }: BlockInstance): string {
  return classOf(name, mark)
}

function blockClasses(block: BlockInstance): string[] {
  const { attributes, type } = block
  const { supports } = type
  const style = objectOf(attributes['style'])
  const classes: string[] = []
  const align = attributes['align']
  if (allowsAlign(supports['align'], align)) classes.push(`align${align}`)
  if (supports['customClassName'] !== false) classes.push(textOf(attributes['className']))
  if (supports['className'] !== false) classes.push(kindClass(block))
  classes.push(...presetClasses(attributes, supports, isShown))
  if (typeof valueAt(style, 'elements.link.color.text') === 'string' && isShown(supports, 'color', 'link'))
    classes.push('has-link-color')
  const ofStyle = isShown(supports, 'typography', 'textAlign') ? valueAt(style, 'typography.textAlign') : undefined
  // Content from before this support has an attribute, which types no longer declare.
  const textAlign = ofStyle ?? attributes['textAlign']
  if (isWord(textAlign)) classes.push(`has-text-align-${textAlign}`)
  return classes
}

function allowsAlign(support: unknown, align: unknown): align is string {
  if (!isWord(align)) return false
  return Array.isArray(support) ? support.includes(align) : support === true
}

/**
 * Returns the declarations of a style group. @param shownOnly omits the ones that the type applies to another element
 * itself
 */
function declarationsOf({ attributes, type, mark }: BlockInstance, part: StylePart, shownOnly: boolean): string[] {
  // Fast path: most blocks have no custom style.
  if (attributes['style'] === undefined) return []
  const style = objectOf(attributes['style'])
  return PROPERTIES[part].flatMap(([support, properties]) => {
    if (!(shownOnly ? isShown(type.supports, part, support) : has(type.supports, part, support))) return []
    return properties.flatMap(([path, css]) => {
      const value = valueAt(style, path)
      if (typeof value !== 'string' && typeof value !== 'number') return []
      const text =
        css === 'background-image'
          ? `url('${String(value).replace(/['\\\s]/g, (one) => (one === "'" ? '%27' : encodeURIComponent(one)))}')`
          : String(value)
      return text === '' ? [] : [`${css}:${presetValue(text, mark)};`]
    })
  })
}

/** Whether a block type supports a style group, or one support within it. */
function has(supports: Values, part: StylePart, support: string): boolean {
  const group = supportGroup(supports, part)
  if (!isOn(group)) return false
  if (support === '') return true
  const parts = objectOf(group)
  // Text and background colors are on by default within the group; all other supports are opt-in.
  if (part === 'color' && support !== 'gradients' && support !== 'link') return parts[support] !== false
  return isOn(parts[support]) || isOn(parts[`__experimental${support[0]!.toUpperCase()}${support.slice(1)}`])
}

/** Like `has`, and the support applies to the outermost element. */
function isShown(supports: Values, part: StylePart, support: string): boolean {
  if (!has(supports, part, support)) return false
  const skipped = objectOf(supportGroup(supports, part))['__experimentalSkipSerialization']
  return Array.isArray(skipped) ? !skipped.includes(support) : skipped !== true
}

function supportGroup(supports: Values, part: StylePart): unknown {
  return part === 'border' ? (supports['__experimentalBorder'] ?? supports['border']) : supports[part]
}

function valueAt(values: Values, path: string): unknown {
  let value: unknown = values
  for (const name of path.split('.')) value = Object.hasOwn(objectOf(value), name) ? objectOf(value)[name] : undefined
  return value
}

function isOn(support: unknown): boolean {
  return support !== undefined && support !== null && support !== false
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z][a-z-]{0,30}$/.test(value)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function objectOf(value: unknown): Values {
  return typeof value === 'object' && value !== null ? (value as Values) : {}
}
