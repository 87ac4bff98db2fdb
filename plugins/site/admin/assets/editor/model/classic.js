// Converts classic content, which has no block comments and whose paragraphs are separated by empty lines, to blocks.
import { isElement, onlyElement, withoutSpaces } from './blocks/parts.js'
import { closingComment, openingComment } from './grammar.js'
import { escapeText, parseHtml, sourceOf, tagSource } from './html.js'
import { isBlockTag } from './inline.js'
import { readBlock } from './read.js'

/** @typedef {import('./html.js').ElementPart} ElementPart */
/** @typedef {import('./html.js').HtmlPart} HtmlPart */
/** @typedef {import('@tiptap/pm/model').Node} Node */
/** @typedef {import('@tiptap/pm/model').Schema} Schema */

/** Paragraphs that are read together to find the end of an element; what is longer becomes HTML. */
const MAX_PARAGRAPHS = 30

/**
 * Returns the blocks with the content of a classic block. What no other block can contain is in blocks of HTML.
 * @param {Node} node
 * @param {{ mark?: string }} [options]
 * @returns {Node[]}
 */
export function convertClassic(node, { mark = 'wp' } = {}) {
  const { schema } = node.type
  return piecesOf(String(node.attrs['html'])).map((piece) => {
    const html = htmlBlock(piece, schema)
    const source = typeof piece === 'string' ? null : blockSource(piece, mark)
    const block = source === null ? null : readBlock(source, schema, mark)
    return block === null || isLost(block) ? html : withoutOrigin(block)
  })
}

/** @param {Node} block */
function isLost(block) {
  let isUnknown = block.type.name === 'unknownBlock' || block.type.name === 'classic'
  block.descendants((node) => {
    isUnknown ||= node.type.name === 'unknownBlock'
  })
  return isUnknown
}

/** @param {Node} block @returns {Node} */
function withoutOrigin(block) {
  return block.type.create({ ...block.attrs, origin: null }, block.content)
}

/** @param {string | HtmlPart[]} piece @param {Schema} schema */
function htmlBlock(piece, schema) {
  const html = (typeof piece === 'string' ? piece : piece.map(sourceOf).join('')).trim()
  return schema.node('html', null, html === '' ? [] : [schema.text(html)])
}

/**
 * Splits content into paragraphs and elements; HTML that cannot be read is a string.
 * @param {string} html
 * @returns {(string | HtmlPart[])[]}
 */
function piecesOf(html) {
  const whole = parseHtml([html])
  if (whole !== null) return paragraphsOf(whole)
  /** @type {(string | HtmlPart[])[]} */
  const pieces = []
  let pending = ''
  let count = 0
  for (const part of html.split(/(\r?\n[ \t]*\r?\n\s*)/)) {
    pending += part
    count += 1
    const tree = count > MAX_PARAGRAPHS ? null : parseHtml([pending])
    if (tree === null) continue
    pieces.push(...paragraphsOf(tree))
    pending = ''
    count = 0
  }
  return pending.trim() === '' ? pieces : [...pieces, pending]
}

/**
 * Returns the paragraphs between block elements, and each block element alone.
 * @param {readonly HtmlPart[]} parts
 * @returns {HtmlPart[][]}
 */
function paragraphsOf(parts) {
  /** @type {HtmlPart[][]} */
  const pieces = []
  /** @type {HtmlPart[]} */
  let line = []
  const end = () => {
    if (line.some((part) => part.type !== 'text' || part.raw.trim() !== '')) pieces.push(line)
    line = []
  }
  for (const part of parts) {
    if (part.type === 'text') {
      part.raw.split(/\r?\n[ \t]*\r?\n\s*/).forEach((raw, index) => {
        if (index > 0) end()
        if (raw !== '') line.push({ type: 'text', raw })
      })
    } else if (part.type === 'comment' || (part.type === 'element' && isBlockTag(part.tag))) {
      end()
      pieces.push([part])
    } else line.push(part)
  }
  end()
  return pieces
}

/**
 * Returns a paragraph or an element as a block; null if no block type can contain it.
 * @param {readonly HtmlPart[]} parts
 * @param {string} mark
 * @returns {string | null}
 */
function blockSource(parts, mark) {
  /** @param {string} name @param {Record<string, unknown>} attributes @param {string} html */
  const block = (name, attributes, html) =>
    `${openingComment(`core/${name}`, attributes, mark)}\n${html}\n${closingComment(`core/${name}`, mark)}`
  const [first] = parts
  if (first?.type === 'comment') {
    if (/^<!--more(?:\s[^]*)?-->$/.test(first.raw)) return moreBlock(first.raw, block)
    return first.raw === '<!--nextpage-->' ? block('nextpage', {}, first.raw) : null
  }
  if (first?.type !== 'element' || !isBlockTag(first.tag)) return lineBlock(parts, block)
  const { tag, attributes, children } = first
  const content = children.map(sourceOf).join('')
  if (tag === 'p') return imageBlock(children, block) ?? alignedBlock('paragraph', first, {}, block)
  if (/^h[1-6]$/.test(tag))
    return alignedBlock('heading', first, tag === 'h2' ? {} : { level: Number(tag.slice(1)) }, block)
  if (Object.keys(attributes).length > 0) return null
  if (tag === 'ul' || tag === 'ol') return block('list', tag === 'ol' ? { ordered: true } : {}, sourceOf(first))
  if (tag === 'table')
    return block('table', { hasFixedLayout: false }, `<figure class="wp-block-table">${sourceOf(first)}</figure>`)
  if (tag === 'pre') {
    const code = onlyElement(children, 'code')
    return code === null
      ? block('preformatted', {}, `<pre class="wp-block-preformatted">${content}</pre>`)
      : block('code', {}, `<pre class="wp-block-code">${sourceOf(code)}</pre>`)
  }
  if (tag !== 'blockquote')
    return tag === 'hr' ? block('separator', {}, '<hr class="wp-block-separator has-alpha-channel-opacity"/>') : null
  const inner = paragraphsOf(children).map((piece) => blockSource(piece, mark))
  if (inner.length === 0 || inner.includes(null)) return null
  return block('quote', {}, `<blockquote class="wp-block-quote">${inner.join('\n\n')}</blockquote>`)
}

/** @typedef {(name: string, attributes: Record<string, unknown>, html: string) => string} CreateBlock */

/** @param {string} comment @param {CreateBlock} block */
function moreBlock(comment, block) {
  const text = comment.slice('<!--more'.length, -'-->'.length).trim()
  return block('more', text === '' ? {} : { customText: text }, comment)
}

/** @param {readonly HtmlPart[]} parts @param {CreateBlock} block */
function lineBlock(parts, block) {
  const source = parts.map(sourceOf).join('').trim()
  const isText = parts.every(({ type }) => type === 'text')
  if (isText && /^\[[a-z][^\]]*\](?:[^]*\])?$/i.test(source)) return block('shortcode', {}, source)
  return imageBlock(parts, block) ?? block('paragraph', {}, `<p>${parts.map(lineSource).join('').trim()}</p>`)
}

/** Line breaks in classic content are shown. @param {HtmlPart} part */
function lineSource(part) {
  return part.type === 'text' ? part.raw.replace(/[ \t]*\r?\n/g, '<br>') : sourceOf(part)
}

/**
 * A block whose only attribute can be the alignment of its text.
 * @param {string} name @param {ElementPart} element @param {Record<string, unknown>} attributes @param {CreateBlock} block
 */
function alignedBlock(name, { tag, attributes: { style, ...others }, children }, attributes, block) {
  const align =
    style === undefined ? undefined : /^\s*text-align:\s*(left|center|right)\s*;?\s*$/.exec(style ?? '')?.[1]
  if (Object.keys(others).length > 0 || (style !== undefined && align === undefined)) return null
  const base = name === 'heading' ? 'wp-block-heading' : ''
  const className = [base, align === undefined ? '' : `has-text-align-${align}`].filter(Boolean).join(' ')
  const stored = {
    ...attributes,
    ...(align === undefined ? {} : { [name === 'heading' ? 'textAlign' : 'align']: align }),
  }
  const open = tagSource(tag, className === '' ? {} : { class: className })
  return block(name, stored, `${open}${children.map(sourceOf).join('').trim()}</${tag}>`)
}

/**
 * A paragraph that consists of an image.
 * @param {readonly HtmlPart[]} parts @param {CreateBlock} block
 */
function imageBlock(parts, block) {
  const [only, ...others] = withoutSpaces(parts)
  const link = isElement(only, 'a') ? only : null
  const img = link === null ? (isElement(only, 'img') ? only : null) : onlyElement(link.children, 'img')
  if (img === null || others.length > 0) return null
  const { src, alt, class: className, width, height, title, ...unknown } = img.attributes
  if (Object.keys(unknown).some((name) => !['srcset', 'sizes', 'loading', 'decoding', 'border'].includes(name)))
    return null
  const id = /\bwp-image-(\d{1,15})\b/.exec(className ?? '')?.[1]
  const size = /\bsize-([\w-]+)/.exec(className ?? '')?.[1]
  const align = /\balign(left|right|center)\b/.exec(className ?? '')?.[1]
  const [w, h] = [width, height].map((value) => (/^\d+$/.test(value ?? '') ? `${value}px` : null))
  const attributes = {
    ...(id === undefined ? {} : { id: Number(id) }),
    ...(w && h ? { width: w, height: h } : {}),
    ...(size === undefined ? {} : { sizeSlug: size }),
    ...(link === null ? {} : { linkDestination: 'custom' }),
    ...(align === undefined ? {} : { align }),
  }
  const classes = [
    'wp-block-image',
    ...(align === undefined ? [] : [`align${align}`]),
    ...(size === undefined ? [] : [`size-${size}`]),
    ...(w && h ? ['is-resized'] : []),
  ]
  const picture = tagSource(
    'img',
    {
      src: src ?? '',
      alt: alt ?? '',
      ...(id === undefined ? {} : { class: `wp-image-${id}` }),
      ...(title ? { title } : {}),
      ...(w && h ? { style: `width:${w};height:${h}` } : {}),
    },
    '/',
  )
  const linked = link === null ? picture : `${link.open}${picture}${link.close}`
  return block('image', attributes, `<figure class="${classes.map(escapeText).join(' ')}">${linked}</figure>`)
}
