// Classes and styles that follow from attributes which many blocks share: alignment, colors, fonts, spacing, borders
// (block editor handbook, "Block supports").
import { plain, valueAt } from './values.js'

/** @typedef {import('./codecs.js').Codec} Codec */
/** @typedef {Record<string, unknown>} BlockAttributes */

const TEXT_ALIGNMENTS = ['left', 'center', 'right']

/**
 * Returns the class attribute of an element after a change of attributes, or null if it stays the same. Classes that do
 * not follow from attributes are kept.
 * @param {Codec} codec @param {string} role @param {string} current @param {BlockAttributes} before
 * @param {BlockAttributes} after
 */
export function changedClasses(codec, role, current, before, after) {
  const old = classesOf(codec, role, before)
  const classes = classesOf(codec, role, after)
  if (old.join(' ') === classes.join(' ')) return null
  const kept = current.split(/\s+/).filter((name) => name !== '' && (classes.includes(name) || !old.includes(name)))
  return [...kept, ...classes.filter((name) => !kept.includes(name))].join(' ')
}

/**
 * Returns the style attribute of an element after a change of attributes, or null if it stays the same.
 * @param {Codec} codec @param {string} role @param {string} current @param {BlockAttributes} before
 * @param {BlockAttributes} after
 */
export function changedStyle(codec, role, current, before, after) {
  const old = styleOf(codec, role, before)
  const style = styleOf(codec, role, after)
  if (JSON.stringify(old) === JSON.stringify(style)) return null
  const kept = current
    .split(';')
    .map((declaration) => declaration.trim())
    .filter((declaration) => {
      const name = declaration.slice(0, declaration.indexOf(':')).trim()
      return declaration !== '' && !Object.hasOwn(old, name) && !Object.hasOwn(style, name)
    })
  return [...kept, ...Object.entries(style).map(([name, value]) => `${name}:${value}`)].join(';')
}

/** @param {Codec} codec @param {string} role @param {BlockAttributes} attributes @returns {string[]} */
function classesOf(codec, role, attributes) {
  /** @type {string[]} */
  const classes = []
  const isMain = role === 'main'
  const { align, className } = attributes
  if (isMain && typeof align === 'string' && align !== '') {
    if (codec.textAlign !== 'align' || !TEXT_ALIGNMENTS.includes(align)) classes.push(`align${align}`)
  }
  const textAlign = textAlignOf(codec, attributes)
  if (isMain && textAlign !== '' && codec.isClassic !== true) classes.push(`has-text-align-${textAlign}`)
  classes.push(...(codec.classes?.(attributes, role) ?? []))
  if (role === (codec.colorRole ?? 'main')) classes.push(...colorClasses(attributes))
  if (role === (codec.fontRole ?? 'main')) classes.push(...fontClasses(attributes))
  if (isMain && typeof className === 'string') classes.push(...className.split(/\s+/).filter(Boolean))
  return [...new Set(classes)]
}

/** @param {Codec} codec @param {BlockAttributes} attributes */
function textAlignOf({ textAlign }, attributes) {
  const value = textAlign === undefined ? undefined : attributes[textAlign]
  if (typeof value === 'string' && TEXT_ALIGNMENTS.includes(value)) return value
  return plain(valueAt(attributes, 'style', 'typography', 'textAlign'))
}

/** @param {BlockAttributes} attributes @returns {string[]} */
function colorClasses(attributes) {
  const { textColor, backgroundColor, gradient, borderColor } = attributes
  /** @type {(name: string) => unknown} */
  const color = (name) => valueAt(attributes, 'style', 'color', name)
  const hasBackground = [backgroundColor, gradient, color('background'), color('gradient')].some(Boolean)
  const border = valueAt(attributes, 'style', 'border', 'color')
  return [
    ...(textColor ? [`has-${slug(textColor)}-color`] : []),
    ...(backgroundColor ? [`has-${slug(backgroundColor)}-background-color`] : []),
    ...(gradient ? [`has-${slug(gradient)}-gradient-background`] : []),
    ...(textColor || color('text') ? ['has-text-color'] : []),
    ...(hasBackground ? ['has-background'] : []),
    ...(valueAt(attributes, 'style', 'elements', 'link', 'color') ? ['has-link-color'] : []),
    ...(borderColor || border ? ['has-border-color'] : []),
    ...(borderColor ? [`has-${slug(borderColor)}-border-color`] : []),
  ]
}

/** @param {BlockAttributes} attributes @returns {string[]} */
function fontClasses({ fontSize, fontFamily }) {
  return [
    ...(fontSize ? [`has-${slug(fontSize)}-font-size`] : []),
    ...(fontFamily ? [`has-${slug(fontFamily)}-font-family`] : []),
  ]
}

/** CSS properties by path in the attribute `style`. @type {readonly [string, string][]} */
const PROPERTIES = [
  ['border.color', 'border-color'],
  ['border.style', 'border-style'],
  ['border.width', 'border-width'],
  ['border.radius', 'border-radius'],
  ['color.text', 'color'],
  ['color.background', 'background-color'],
  ['color.gradient', 'background'],
]
/** @type {readonly [string, string][]} */
const SPACING = ['margin', 'padding'].flatMap((name) =>
  ['top', 'right', 'bottom', 'left'].map(
    (side) => /** @type {[string, string]} */ ([`spacing.${name}.${side}`, `${name}-${side}`]),
  ),
)
/** @type {readonly [string, string][]} */
const TYPOGRAPHY = [
  ['typography.fontSize', 'font-size'],
  ['typography.fontStyle', 'font-style'],
  ['typography.fontWeight', 'font-weight'],
  ['typography.letterSpacing', 'letter-spacing'],
  ['typography.lineHeight', 'line-height'],
  ['typography.textDecoration', 'text-decoration'],
  ['typography.textTransform', 'text-transform'],
]

/** @param {Codec} codec @param {string} role @param {BlockAttributes} attributes @returns {Record<string, string>} */
function styleOf(codec, role, attributes) {
  const paths = [
    ...(role === (codec.colorRole ?? 'main') ? PROPERTIES : []),
    ...(role === (codec.spacingRole ?? 'main') ? SPACING : []),
    ...(role === (codec.fontRole ?? 'main') ? TYPOGRAPHY : []),
  ]
  /** @type {Record<string, string>} */
  const style = {}
  for (const [path, property] of paths) {
    const value = plain(valueAt(attributes, 'style', ...path.split('.')))
    if (value !== '') style[property] = presetValue(value)
  }
  const textAlign = role === 'main' && codec.isClassic === true ? textAlignOf(codec, attributes) : ''
  return { ...style, ...(textAlign === '' ? {} : { 'text-align': textAlign }), ...codec.style?.(attributes, role) }
}

/**
 * Returns the CSS value: `var:preset|color|red` is `var(--wp--preset--color--red)`.
 * @param {string} value
 */
export function presetValue(value) {
  const path = value.startsWith('var:') ? value.slice('var:'.length) : null
  return path === null ? value : `var(--wp--${path.split('|').map(slug).join('--')})`
}

/** @param {unknown} value a name of a preset */
function slug(value) {
  return plain(value)
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replace(/([a-z])(\d)/gi, '$1-$2')
    .replace(/(\d)([a-z])/gi, '$1-$2')
    .replace(/[^a-z\d]+/gi, '-')
    .toLowerCase()
}
