// Former markup of blocks in its current form. A block that is not touched keeps the former one.
import { isElement, joined, onlyElement, withoutSpaces } from './blocks/parts.js'
import { closingComment, openingComment, parseBlocks } from './grammar.js'
import { parseHtml, sourceOf, startTag, tagSource } from './html.js'

/** @typedef {import('./grammar.js').BlockSource} BlockSource */
/** @typedef {import('./html.js').ElementPart} ElementPart */
/** @typedef {import('./html.js').HtmlPart} HtmlPart */

/**
 * Returns the current form of a block; the block itself if it has that form, or an unknown one.
 * @param {BlockSource} block
 * @param {string} mark
 * @returns {BlockSource}
 */
export function upgrade(block, mark) {
  if (block.name.startsWith('core-embed/')) return upgradeEmbed(block, mark)
  const inner = UPGRADES[block.name]?.(block, mark) ?? null
  return inner === null ? block : { ...block, inner: parseBlocks(inner, mark) }
}

/** Functions that return the content of a block, or null to keep it. */
/** @type {Readonly<Record<string, (block: BlockSource, mark: string) => string | null>>} */
const UPGRADES = {
  // Since 6.2 headings have a class, since 6.6 lists too.
  'core/heading': (block) => {
    const element = withoutBlocks(block)
    return element === null ? null : withClass(element, 'wp-block-heading')
  },
  'core/list'(block, mark) {
    const element = withoutBlocks(block)
    if (element !== null) return listContent(element, mark)
    const [first, ...others] = block.inner
    if (typeof first !== 'string') return null
    return listTag(first.trim()) + joined(others)
  },
  // Before 6.1 quotes had paragraphs without comments.
  'core/quote'(block, mark) {
    const element = withoutBlocks(block)
    if (element?.tag !== 'blockquote') return null
    const parts = withoutSpaces(element.children)
    const last = parts.at(-1)
    const cite = isElement(last, 'cite') ? last : null
    const paragraphs = cite === null ? parts : parts.slice(0, -1)
    if (paragraphs.length === 0 || !paragraphs.every((part) => isElement(part, 'p'))) return null
    const blocks = paragraphs.map((part) => blockOf('core/paragraph', {}, sourceOf(part), mark)).join('\n\n')
    return `${element.open}${blocks}${cite === null ? '' : sourceOf(cite)}${element.close}`
  },
  // Before 6.0 the figure of an aligned image was in another element. Programs leave out the class and the alternative text.
  'core/image'(block) {
    const outer = withoutBlocks(block)
    const figure = outer?.tag === 'div' ? onlyElement(outer.children, 'figure') : outer
    if (figure?.tag !== 'figure' || outer === null) return null
    const isWrapped = figure !== outer
    if (isWrapped && Object.keys(outer.attributes).some((name) => name !== 'class')) return null
    const classes = `${isWrapped ? (outer.attributes['class'] ?? '') : ''} ${figure.attributes['class'] ?? ''}`
      .split(' ')
      .filter((name) => name !== '')
    const children = figure.children.map(sourceOf).join('')
    const html = children.replace(/<img(?![^>]*\salt=)/, '<img alt=""')
    if (!isWrapped && classes.includes('wp-block-image') && html === children) return null
    const name = classes.includes('wp-block-image') ? [] : ['wp-block-image']
    const open = tagSource('figure', { ...figure.attributes, class: [...name, ...classes].join(' ') })
    return `${open}${html}${figure.close}`
  },
  'core/group'(block) {
    const tree = parseHtml(block.inner)
    const group = tree === null ? null : onlyElement(tree, 'div')
    const inner = group === null ? null : onlyElement(group.children, 'div')
    if (group === null || inner?.attributes['class'] !== 'wp-block-group__inner-container') return null
    return `${group.open}${inner.children.map(sourceOf).join('')}${group.close}`
  },
  'core/gallery'(block, mark) {
    const figure = withoutBlocks(block)
    const [grid, caption, ...others] = figure?.tag === 'figure' ? withoutSpaces(figure.children) : []
    if (figure === null || others.length > 0 || !isElement(grid, 'ul')) return null
    if (caption !== undefined && !isElement(caption, 'figcaption')) return null
    const images = withoutSpaces(grid.children).map((item) => galleryImage(item, block.attributes, mark))
    if (images.length === 0 || images.includes(null)) return null
    // Without a number of columns the class was that of the images, up to three.
    const classes = (figure.attributes['class'] ?? '')
      .replace('wp-block-gallery', 'wp-block-gallery has-nested-images')
      .replace(/\bcolumns-\d+/, typeof block.attributes['columns'] === 'number' ? '$&' : 'columns-default')
    const open = tagSource('figure', { ...figure.attributes, class: classes })
    const text = caption?.type === 'element' ? (withClass(caption, 'wp-element-caption') ?? sourceOf(caption)) : ''
    return `${open}${images.join('\n\n')}${text}${figure.close}`
  },
}

/**
 * Returns the only element of a block without inner blocks.
 * @param {BlockSource} block
 */
function withoutBlocks(block) {
  const tree = block.inner.every((part) => typeof part === 'string') ? parseHtml(block.inner) : null
  const [element, ...others] = tree === null ? [] : withoutSpaces(tree)
  return element?.type === 'element' && others.length === 0 ? element : null
}

/** @param {string} name @param {Record<string, unknown>} attributes @param {string} html @param {string} mark */
function blockOf(name, attributes, html, mark) {
  return `${openingComment(name, attributes, mark)}\n${html}\n${closingComment(name, mark)}`
}

/**
 * Returns an element with a class; null if it has it.
 * @param {ElementPart} element @param {string} name
 */
function withClass({ tag, attributes, children, close }, name) {
  const classes = (attributes['class'] ?? '').split(/\s+/).filter(Boolean)
  if (classes.includes(name)) return null
  const others = Object.entries(attributes).filter(([key]) => key !== 'class')
  const open = tagSource(tag, { class: [name, ...classes].join(' '), ...Object.fromEntries(others) })
  return `${open}${children.map(sourceOf).join('')}${close}`
}

/**
 * Adds the class of lists to the start tag at the beginning.
 * @param {string} html
 */
function listTag(html) {
  const element = startTag(html)
  const classes = element?.attributes['class']?.split(/\s+/) ?? []
  if (element === null || !['ul', 'ol'].includes(element.tag) || classes.includes('wp-block-list')) return html
  const attributes = { ...element.attributes, class: ['wp-block-list', ...classes].join(' ') }
  return tagSource(element.tag, attributes) + html.slice(element.open.length)
}

/**
 * Puts the items of a list into comments. Before 6.1 they had none.
 * @param {ElementPart} list @param {string} mark
 * @returns {string | null}
 */
function listContent(list, mark) {
  const items = withoutSpaces(list.children).map((item) => {
    if (!isElement(item, 'li')) return null
    const first = item.children.findIndex((part) => isElement(part, 'ul', 'ol'))
    const text = (first < 0 ? item.children : item.children.slice(0, first)).map(sourceOf).join('')
    const lists = (first < 0 ? [] : withoutSpaces(item.children.slice(first))).map((part) => {
      const content = isElement(part, 'ul', 'ol') ? listContent(part, mark) : null
      if (content === null) return null
      return blockOf('core/list', isElement(part, 'ol') ? { ordered: true } : {}, content, mark)
    })
    if (lists.includes(null)) return null
    return blockOf('core/list-item', {}, `${item.open}${text}${lists.join('\n\n')}</li>`, mark)
  })
  if (items.length === 0 || items.includes(null)) return null
  return `${listTag(list.open)}${items.join('\n\n')}${list.close}`
}

/**
 * Returns an image of a gallery as a block. Before 5.9 it was an item of a list.
 * @param {HtmlPart} item @param {Record<string, unknown>} gallery attributes of the gallery @param {string} mark
 */
function galleryImage(item, gallery, mark) {
  const figure = isElement(item, 'li') ? onlyElement(item.children, 'figure') : null
  const [part, caption, ...others] = figure === null ? [] : withoutSpaces(figure.children)
  const link = isElement(part, 'a') ? part : null
  const img = isElement(part, 'img') ? part : link === null ? null : onlyElement(link.children, 'img')
  if (img === null || others.length > 0 || (caption !== undefined && !isElement(caption, 'figcaption'))) return null
  const { 'data-id': id, src, alt, class: className } = img.attributes
  const linkTo = gallery['linkTo']
  const attributes = {
    ...(id && Number.isSafeInteger(Number(id)) ? { id: Number(id) } : {}),
    sizeSlug: typeof gallery['sizeSlug'] === 'string' ? gallery['sizeSlug'] : 'large',
    linkDestination: typeof linkTo === 'string' ? linkTo : 'none',
  }
  const picture = tagSource('img', { src: src ?? '', alt: alt ?? '', ...(className ? { class: className } : {}) }, '/')
  const linked = link === null ? picture : `${link.open}${picture}${link.close}`
  const text =
    caption === undefined
      ? ''
      : `<figcaption class="wp-element-caption">${caption.children.map(sourceOf).join('')}</figcaption>`
  return blockOf(
    'core/image',
    attributes,
    `<figure class="wp-block-image size-${attributes.sizeSlug}">${linked}${text}</figure>`,
    mark,
  )
}

/**
 * Before 5.6 each provider of embeds had a block type.
 * @param {BlockSource} block @param {string} mark
 */
function upgradeEmbed(block, mark) {
  const name = 'core/embed'
  const { attributes } = block
  return { ...block, name, open: openingComment(name, attributes, mark), close: closingComment(name, mark) }
}
