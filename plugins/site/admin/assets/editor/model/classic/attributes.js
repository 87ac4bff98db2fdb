// The attributes of elements in classic content, as attributes of blocks.
import { startTag } from '../html.js'

/** @typedef {import('../html.js').ElementPart} ElementPart */
/** @typedef {import('@tiptap/pm/model').Node} Node */

/**
 * @typedef {object} Supported
 * @property {Record<string, unknown>} attributes
 * @property {boolean} isComplete whether the attributes of the block contain all of the element
 */

/** Styles that blocks have as attributes. @type {Readonly<Record<string, readonly [string, string]>>} */
const STYLES = {
  color: ['color', 'text'],
  'background-color': ['color', 'background'],
}
/** Attributes of images that the server adds, or that are obsolete. */
const OF_IMAGES = new Set(['srcset', 'sizes', 'loading', 'decoding', 'fetchpriority', 'border'])
/** Values of `type` of numbered lists. @type {Readonly<Record<string, string>>} */
const NUMBERS = { 1: 'decimal', a: 'lower-alpha', A: 'upper-alpha', i: 'lower-roman', I: 'upper-roman' }

/**
 * Returns the attributes that blocks of many types have.
 * @param {Pick<ElementPart, 'attributes'>} element
 * @param {{ textAlign?: 'align' | 'textAlign', hasAlign?: boolean, hasColors?: boolean, ignored?: readonly string[] }} [type]
 * @returns {Supported}
 */
export function commonAttributes(element, { textAlign, hasAlign = false, hasColors = false, ignored = [] } = {}) {
  /** @type {Record<string, unknown>} */
  const attributes = {}
  let isComplete = true
  for (const [name, text] of Object.entries(element.attributes)) {
    const value = text ?? ''
    if (ignored.includes(name)) continue
    if (name === 'class') Object.assign(attributes, classAttributes(value, textAlign, hasAlign))
    else if (name === 'id' && value !== '') attributes['anchor'] = value
    else if (name === 'align' && textAlign !== undefined && isAlignment(value)) attributes[textAlign] = value
    else if (name === 'align' && hasAlign && isAlignment(value)) attributes['align'] = value
    else if (name === 'style') {
      const style = styleAttributes(value, textAlign, hasColors)
      if (style === null) isComplete = false
      else Object.assign(attributes, style)
    } else isComplete = false
  }
  return { attributes, isComplete }
}

/** @param {string} value */
function isAlignment(value) {
  return ['left', 'center', 'right'].includes(value)
}

/** @param {string} value @param {string | undefined} textAlign @param {boolean} hasAlign */
function classAttributes(value, textAlign, hasAlign) {
  /** @type {Record<string, unknown>} */
  const attributes = {}
  const others = value.split(/\s+/).filter((name) => {
    const [, kind, side = ''] = /^(has-text-align-|align)(left|center|right|none)$/.exec(name) ?? []
    if (kind === 'align' && hasAlign) {
      if (side !== 'none') attributes['align'] = side
      return false
    }
    if (kind === 'has-text-align-' && textAlign !== undefined && side !== 'none') {
      attributes[textAlign] = side
      return false
    }
    return name !== '' && !/^wp-block-(?:heading|list|quote|separator|image|table|code|preformatted)$/.test(name)
  })
  return others.length === 0 ? attributes : { ...attributes, className: others.join(' ') }
}

/**
 * @param {string} style @param {string | undefined} textAlign @param {boolean} hasColors
 * @returns {Record<string, unknown> | null} null if a block has no attribute for a declaration
 */
function styleAttributes(style, textAlign, hasColors) {
  /** @type {Record<string, unknown>} */
  const attributes = {}
  /** @type {Record<string, string>} */
  const color = {}
  for (const declaration of style.split(';')) {
    const at = declaration.indexOf(':')
    const name = declaration.slice(0, Math.max(0, at)).trim().toLowerCase()
    const value = declaration.slice(at + 1).trim()
    const path = STYLES[name]
    if (declaration.trim() === '') continue
    if (name === 'text-align' && textAlign !== undefined && isAlignment(value)) attributes[textAlign] = value
    else if (path !== undefined && hasColors && /^(?:#[\da-f]{3,8}|rgba?\([\d\s.,%]+\))$/i.test(value))
      color[path[1]] = value
    else return null
  }
  return Object.keys(color).length === 0 ? attributes : { ...attributes, style: { color } }
}

/** @param {ElementPart} element @returns {Supported} */
export function listAttributes(element) {
  const isOrdered = element.tag === 'ol'
  const ignored = isOrdered ? ['start', 'reversed', 'type'] : []
  const { attributes, isComplete } = commonAttributes(element, { ignored })
  if (!isOrdered) return { attributes, isComplete }
  const { start, type } = element.attributes
  const isNumber = start === undefined || /^-?\d{1,9}$/.test(start ?? '')
  const style = type === undefined ? undefined : NUMBERS[type ?? '']
  return {
    attributes: {
      ...attributes,
      ordered: true,
      ...(start !== undefined && isNumber ? { start: Number(start) } : {}),
      ...(Object.hasOwn(element.attributes, 'reversed') ? { reversed: true } : {}),
      ...(style === undefined ? {} : { type: style }),
    },
    isComplete: isComplete && isNumber && (type === undefined || style !== undefined),
  }
}

/**
 * Returns the attributes of an image.
 * @param {Pick<ElementPart, 'attributes'>} img
 * @param {boolean} isAlone whether classes are those of the block
 * @returns {Supported}
 */
export function imageAttributes(img, isAlone) {
  const { src, alt, title, width, height, class: className, id: anchor, ...others } = img.attributes
  const classes = (className ?? '').split(/\s+/).filter(Boolean)
  const id = classes.map((name) => /^wp-image-(\d{1,15})$/.exec(name)?.[1]).find((found) => found !== undefined)
  const size = classes.map((name) => /^size-([\w-]+)$/.exec(name)?.[1]).find((found) => found !== undefined)
  const rest = classes.filter((name) => !/^(?:wp-image-\d{1,15}|size-[\w-]+)$/.test(name))
  const own = isAlone ? classAttributes(rest.join(' '), undefined, true) : {}
  const [w, h] = [width, height].map((value) => (/^\d{1,6}$/.test(value ?? '') ? `${value}px` : undefined))
  const isPlain = isAlone || rest.every((name) => /^align(?:none|left|center|right)$/.test(name))
  return {
    attributes: {
      ...own,
      ...(id === undefined ? {} : { id: Number(id) }),
      ...(w === undefined ? {} : { width: w }),
      ...(h === undefined ? {} : { height: h }),
      ...(size === undefined ? {} : { sizeSlug: size }),
      url: src ?? '',
      ...(alt === undefined ? {} : { alt: alt ?? '' }),
      ...(title ? { title } : {}),
      ...(isAlone && anchor ? { anchor } : {}),
    },
    isComplete:
      isPlain &&
      (isAlone || anchor === undefined) &&
      Object.keys(others).every((name) => OF_IMAGES.has(name)) &&
      (width === undefined || w !== undefined) &&
      (height === undefined || h !== undefined),
  }
}

/** Returns the attributes of the link around an image. @param {Pick<ElementPart, 'attributes'>} link @returns {Supported} */
export function imageLinkAttributes({ attributes: { href, rel, class: linkClass, target, ...others } }) {
  return {
    attributes: {
      linkDestination: 'custom',
      href: href ?? '',
      ...(rel ? { rel } : {}),
      ...(linkClass ? { linkClass } : {}),
      ...(target ? { linkTarget: target } : {}),
    },
    isComplete: Object.keys(others).length === 0,
  }
}

/** Attributes of elements by node type, and whether all elements have a form in blocks. @type {Readonly<Record<string, (tags: Record<string, string>) => boolean>>} */
const COMPLETE = {
  paragraph: ({ main = '<p>' }) => isComplete(main, { textAlign: 'align', hasColors: true }),
  heading: ({ main }) => isComplete(main, { textAlign: 'textAlign', hasColors: true }),
  quote: ({ main, cite = '<cite>' }) => isComplete(main, { textAlign: 'textAlign' }) && cite === '<cite>',
  bulletList: ({ main }) => isCompleteList(main),
  orderedList: ({ main }) => isCompleteList(main),
  listItem: ({ main }) => isComplete(main),
  separator: ({ main }) => isComplete(main),
  preformatted: ({ main }) => isComplete(main),
  codeBlock: ({ main, code = '<code>' }) => isComplete(main) && code === '<code>',
  tableBlock: ({ main, caption = '<caption>' }) => isComplete(main, { hasAlign: true }) && caption === '<caption>',
  image: ({ main = '', figure, img = main, link, caption = '<figcaption>' }) => {
    const image = startTag(img)
    const outer = link === undefined ? null : startTag(link)
    return (
      image !== null &&
      imageAttributes(image, figure === undefined).isComplete &&
      (outer === null || imageLinkAttributes(outer).isComplete) &&
      (figure === undefined || figure.startsWith('[') || isComplete(figure, { hasAlign: true })) &&
      /^<figcaption(?: class="[^"]*")?>$/.test(caption)
    )
  },
}

/** @param {string | undefined} tag @param {Parameters<typeof commonAttributes>[1]} [type] */
function isComplete(tag, type) {
  const element = startTag(tag ?? '')
  return element !== null && commonAttributes(element, type).isComplete
}

/** @param {string | undefined} tag */
function isCompleteList(tag) {
  const element = startTag(tag ?? '')
  return element !== null && listAttributes(element).isComplete
}

/** Attributes of cells that blocks have. */
const OF_CELLS = new Set(['scope'])

/**
 * Whether the attributes of a block contain everything that its elements in classic content have.
 * @param {Node} node
 */
export function isCompleteNode(node) {
  const { attributes, form } = node.attrs
  if (node.type.name === 'tableRow') return Object.keys(attributes).length === 0
  if (node.type.name === 'tableCell' || node.type.name === 'tableHeader')
    return Object.keys(cellAttributes(attributes) ?? { '': '' }).every((name) => name !== '')
  const isOfClassic = String(form?.block ?? '').startsWith('classic:')
  return !isOfClassic || (COMPLETE[node.type.name]?.(form.tags) ?? true)
}

/**
 * Returns the attributes of a cell as the block of tables has them; null if it has none for some of them.
 * @param {Record<string, string | null>} attributes
 */
export function cellAttributes({ class: className, style, align, ...others }) {
  const [, side = align] = /^\s*text-align:\s*(left|center|right)\s*;?\s*$/.exec(style ?? '') ?? []
  const isStyled = style !== undefined && side === align
  if (isStyled || className !== undefined || (side !== undefined && !isAlignment(side ?? ''))) return null
  if (Object.keys(others).some((name) => !OF_CELLS.has(name))) return null
  return { ...(side ? { class: `has-text-align-${side}`, 'data-align': side } : {}), ...others }
}
