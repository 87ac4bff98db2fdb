// Blocks with inner blocks.
import { plain } from '../values.js'
import { isElement, onlyElement, withoutSpaces } from './parts.js'

/** @typedef {import('../codecs.js').Codec} Codec */
/** @typedef {import('../html.js').HtmlPart} HtmlPart */

/**
 * A block with one element around its inner blocks.
 * @param {Omit<Codec, 'read' | 'write'>} codec
 * @param {string} initial start tag in a new block
 * @param {string} [child] name of the only type of its children; any block by default
 * @param {readonly string[]} [tags]
 * @returns {Codec}
 */
function containerCodec(codec, initial, child, tags = ['div']) {
  return {
    ...codec,
    read(reader) {
      const element = onlyElement(reader.parts, ...tags)
      const content = element === null ? null : reader.blocks(element.children, child)
      return element === null || content === null ? null : { tags: { main: element.open }, content }
    },
    write(writer) {
      const name = writer.attributes['tagName']
      const tag = typeof name === 'string' && tags.includes(name) ? name : (tags[0] ?? 'div')
      return `${writer.tag('main', initial.replace(/^<\w+/, `<${tag}`))}${writer.blocks()}</${tag}>`
    },
  }
}

const group = containerCodec(
  { block: 'core/group', nodes: ['group'], defaults: { tagName: 'div' } },
  '<div class="wp-block-group">',
  undefined,
  ['div', 'header', 'main', 'section', 'article', 'aside', 'footer', 'nav'],
)

const columns = containerCodec(
  {
    block: 'core/columns',
    nodes: ['columns'],
    defaults: { isStackedOnMobile: true },
    classes: ({ verticalAlignment, isStackedOnMobile }, role) =>
      role === 'main'
        ? [
            ...(verticalAlignment ? [`are-vertically-aligned-${plain(verticalAlignment)}`] : []),
            ...(isStackedOnMobile === false ? ['is-not-stacked-on-mobile'] : []),
          ]
        : [],
  },
  '<div class="wp-block-columns">',
  'column',
)

const column = containerCodec(
  {
    block: 'core/column',
    nodes: ['column'],
    classes: ({ verticalAlignment }, role) =>
      role === 'main' && verticalAlignment ? [`is-vertically-aligned-${plain(verticalAlignment)}`] : [],
    /** @returns {Record<string, string>} */
    style({ width }, role) {
      if (role !== 'main' || width === undefined || width === '') return {}
      return { 'flex-basis': typeof width === 'number' ? `${width}%` : plain(width) }
    },
  },
  '<div class="wp-block-column">',
)

const buttons = containerCodec(
  { block: 'core/buttons', nodes: ['buttons'] },
  '<div class="wp-block-buttons">',
  'button',
)

/** @type {Codec} */
const button = {
  block: 'core/button',
  nodes: ['button'],
  sourced: ['url', 'title', 'linkTarget', 'rel'],
  colorRole: 'link',
  fontRole: 'link',
  spacingRole: 'link',
  defaults: { tagName: 'a', type: 'button' },
  classes: ({ width }, role) =>
    role === 'main' && typeof width === 'number' ? ['has-custom-width', `wp-block-button__width-${width}`] : [],
  read(reader) {
    const element = onlyElement(reader.parts, 'div')
    const link = element === null ? null : onlyElement(element.children, 'a', 'button')
    const content = link === null ? null : reader.text(link.children)
    if (element === null || link === null || content === null) return null
    if (link.tag !== (reader.block.attributes['tagName'] ?? 'a')) return null
    const { href, title, target, rel } = link.attributes
    /** @type {Record<string, unknown>} */
    const attributes = {}
    if (href) attributes['url'] = href
    if (title) attributes['title'] = title
    if (target) attributes['linkTarget'] = target
    if (rel) attributes['rel'] = rel
    return { attributes, tags: { main: element.open, link: link.open }, content }
  },
  write(writer) {
    const { url, title, linkTarget, rel, tagName } = writer.attributes
    const tag = tagName === 'button' ? 'button' : 'a'
    const link = writer.tag('link', `<${tag} class="wp-block-button__link wp-element-button">`, {
      ...(tag === 'a'
        ? { href: writer.changed('url', url || null), target: writer.changed('linkTarget', linkTarget) }
        : {}),
      title: writer.changed('title', title),
      rel: writer.changed('rel', rel),
    })
    return `${writer.tag('main', '<div class="wp-block-button">')}${link}${writer.text()}</${tag}></div>`
  },
}

/** @type {Codec} */
const quote = {
  block: 'core/quote',
  nodes: ['quote'],
  textAlign: 'textAlign',
  read(reader) {
    const element = onlyElement(reader.parts, 'blockquote')
    if (element === null) return null
    const parts = withoutSpaces(element.children)
    const last = parts[parts.length - 1]
    const cite = isElement(last, 'cite') ? last : null
    const children = cite === null ? element.children : element.children.slice(0, element.children.indexOf(cite))
    const content = reader.blocks(children)
    const citation = cite === null ? null : reader.part('citation', cite.children)
    if (content === null || (cite !== null && citation === null)) return null
    const tags = { main: element.open, ...(cite === null ? {} : { cite: cite.open }) }
    return { tags, content: citation === null ? content : [...content, citation] }
  },
  write(writer) {
    const citation = writer.children.find(({ type }) => type.name === 'citation')
    const blocks = writer.blocks(writer.children.filter((child) => child !== citation))
    const text = citation === undefined ? '' : writer.text(citation)
    const cite = text === '' ? '' : `${writer.tag('cite', '<cite>')}${text}</cite>`
    return `${writer.tag('main', '<blockquote class="wp-block-quote">')}${blocks}${cite}</blockquote>`
  },
}

/** @type {Codec} */
const details = {
  block: 'core/details',
  nodes: ['details'],
  defaults: { showContent: false },
  read(reader) {
    const element = onlyElement(reader.parts, 'details')
    const [summary, ...others] = element === null ? [] : withoutSpaces(element.children)
    if (element === null || !isElement(summary, 'summary')) return null
    const title = reader.part('summary', summary.children)
    const content = reader.blocks(others)
    if (title === null || content === null) return null
    return { tags: { main: element.open, summary: summary.open }, content: [title, ...content] }
  },
  write(writer) {
    const [summary, ...others] = writer.children
    const open = writer.tag('main', '<details class="wp-block-details">', {
      open: writer.changed('showContent', writer.attributes['showContent'] === true),
    })
    const title = `${writer.tag('summary', '<summary>')}${writer.text(summary)}</summary>`
    return `${open}${title}${writer.blocks(others)}</details>`
  },
}

/** @type {Codec} */
const list = {
  block: 'core/list',
  nodes: ['bulletList', 'orderedList'],
  defaults: { ordered: false },
  adjust: (node, attributes) => ({ ...attributes, ordered: node.type.name === 'orderedList' }),
  read(reader) {
    const element = onlyElement(reader.parts, 'ul', 'ol')
    const content = element === null ? null : reader.blocks(element.children, 'listItem')
    if (element === null || content === null) return null
    const isOrdered = element.tag === 'ol'
    if (isOrdered !== (reader.block.attributes['ordered'] === true)) return null
    return { node: isOrdered ? 'orderedList' : 'bulletList', tags: { main: element.open }, content }
  },
  style: ({ ordered, type }, role) =>
    role === 'main' && ordered === true && typeof type === 'string' ? { 'list-style-type': type } : {},
  write(writer) {
    const tag = writer.node.type.name === 'orderedList' ? 'ol' : 'ul'
    const { start, reversed } = writer.attributes
    const open = writer.tag('main', `<${tag} class="wp-block-list">`, {
      start: writer.changed('start', tag === 'ol' && typeof start === 'number' ? String(start) : null),
      reversed: writer.changed('reversed', tag === 'ol' && reversed === true),
    })
    return `${open}${writer.blocks()}</${tag}>`
  },
}

/** @type {Codec} */
const listItem = {
  block: 'core/list-item',
  nodes: ['listItem'],
  read(reader) {
    const element = onlyElement(reader.parts, 'li')
    if (element === null) return null
    const first = element.children.findIndex(({ type }) => type === 'block')
    const parts = first < 0 ? element.children : element.children.slice(0, first)
    const text = reader.part('paragraph', parts)
    const lists = first < 0 ? [] : reader.blocks(element.children.slice(first))
    return text === null || lists === null ? null : { tags: { main: element.open }, content: [text, ...lists] }
  },
  write(writer) {
    const [text, ...lists] = writer.children
    return `${writer.tag('main', '<li>')}${writer.text(text)}${lists.length === 0 ? '' : writer.blocks(lists)}</li>`
  },
}

/** @type {readonly Codec[]} */
export const containerCodecs = [group, columns, column, buttons, button, quote, details, list, listItem]
