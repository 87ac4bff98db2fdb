// Classic content → nodes. What no block contains is a node with its HTML.
import { isElement, onlyElement, withoutSpaces } from '../blocks/parts.js'
import { rowsOf } from '../blocks/table.js'
import { isEquivalent } from '../equivalence.js'
import { parseHtml, sourceOf } from '../html.js'
import { isBlockTag, readInline } from '../inline.js'
import { newRun, rememberOriginal } from '../origins.js'
import { commonAttributes, imageAttributes, imageLinkAttributes, listAttributes } from './attributes.js'
import { piecesOf, piecesOfParts, trimmedParts, withBreaks } from './pieces.js'

/** @typedef {import('../html.js').ElementPart} ElementPart */
/** @typedef {import('../html.js').HtmlPart} HtmlPart */
/** @typedef {import('../origins.js').Origin} Origin */
/** @typedef {import('@tiptap/pm/model').Node} Node */
/** @typedef {import('@tiptap/pm/model').Schema} Schema */
/** @typedef {(node: Node) => string} WritePiece writes a node as classic content */

/**
 * Reads classic content: paragraphs that are separated by empty lines, and block elements.
 * @param {string} html
 * @param {Schema} schema
 * @param {WritePiece} write
 * @returns {Node[]}
 */
export function readClassic(html, schema, write) {
  const run = newRun()
  const pieces = piecesOf(html)
  return pieces.map(({ before, source, parts }, index) => {
    const isLast = index === pieces.length - 1
    /** @type {Origin} */
    const origin = { source, before, after: '', isLast, index, run, isClassic: true }
    const read = parts === null ? null : new ClassicReader(schema).piece(parts)
    const node = read !== null && isReadable(read) && isSameHtml(source, write(read)) ? read : htmlNode(schema, source)
    const known = node.type.create({ ...node.attrs, origin }, node.content)
    rememberOriginal(known)
    return known
  })
}

/** @param {Node} node */
function isReadable(node) {
  try {
    node.check()
    return true
  } catch {
    return false
  }
}

/**
 * Whether HTML means the same: a line break can be an element or a character, and tables need no `<tbody>`.
 * @param {string} a @param {string} b
 */
function isSameHtml(a, b) {
  return a === b || isEquivalent([plain(a)], [plain(b)])
}

/** @param {string} html */
function plain(html) {
  const parts = parseHtml([html.replace(/<\/?tbody>/g, '')])
  return parts === null ? html : shownHtml(parts)
}

/** Returns HTML without the spaces at its block elements, and with elements in place of line breaks. @param {readonly HtmlPart[]} parts @returns {string} */
function shownHtml(parts) {
  let html = ''
  /** @type {HtmlPart[]} */
  let line = []
  const end = () => {
    html += withBreaks(trimmedParts(line)).map(sourceOf).join('')
    line = []
  }
  for (const part of parts) {
    if (part.type !== 'element' || !isBlockTag(part.tag)) line.push(part)
    else {
      end()
      html += part.tag === 'pre' ? sourceOf(part) : part.open + shownHtml(part.children) + part.close
    }
  }
  end()
  return html
}

/** @param {Schema} schema @param {string} source @returns {Node} */
export function htmlNode(schema, source) {
  return schema.node('html', null, source === '' ? [] : [schema.text(source)])
}

class ClassicReader {
  /** @type {string[]} */
  #nesting = []

  /** @param {Schema} schema */
  constructor(schema) {
    this.schema = schema
  }

  /**
   * Reads a paragraph or an element.
   * @param {readonly HtmlPart[]} parts
   * @returns {Node | null}
   */
  piece(parts) {
    const [first] = parts
    if (first?.type === 'comment' && parts.length === 1) return this.#mark(first.raw)
    if (first?.type !== 'element' || !isBlockTag(first.tag)) return this.#line(parts)
    const { tag } = first
    if (tag === 'p') return this.#paragraph(first)
    if (/^h[1-6]$/.test(tag)) {
      const { attributes } = commonAttributes(first, { textAlign: 'textAlign', hasColors: true })
      return this.#text('heading', { level: Number(tag.slice(1)), ...attributes }, first)
    }
    if (tag === 'ul' || tag === 'ol') return this.#list(first)
    if (tag === 'table') return this.#table(first)
    if (tag === 'pre') return this.#pre(first)
    if (tag === 'blockquote') return this.#quote(first)
    if (tag === 'figure') return this.#figure(first)
    if (tag !== 'hr') return null
    return this.create('separator', commonAttributes(first).attributes, [], { main: first.open })
  }

  /** @param {string} comment */
  #mark(comment) {
    if (comment === '<!--nextpage-->') return this.create('pageBreak', {}, [])
    const text = /^<!--more(?:\s([^]*))?-->$/.exec(comment)?.[1]?.trim() ?? ''
    return comment.startsWith('<!--more') ? this.create('more', text === '' ? {} : { customText: text }, []) : null
  }

  /** @param {readonly HtmlPart[]} parts */
  #line(parts) {
    const source = parts.map(sourceOf).join('')
    const caption = this.#captionShortcode(source)
    if (caption !== null) return caption
    const isText = parts.every(({ type }) => type === 'text')
    if (isText && /^\[[a-z][^\]]*\](?:[^]*\])?$/i.test(source))
      return this.schema.node('shortcode', null, [this.schema.text(source)])
    const content = isOneParagraph(parts) ? this.text(parts) : null
    // A frame or a player is no text.
    if (content === null || content.every(({ type }) => type.name === 'inlineHtml')) return null
    return this.#image(parts, {}) ?? this.create('paragraph', {}, content)
  }

  /** @param {ElementPart} element */
  #paragraph(element) {
    const [only, ...others] = withoutSpaces(element.children)
    if (only?.type === 'comment' && others.length === 0 && Object.keys(element.attributes).length === 0) return null
    const { attributes } = commonAttributes(element, { textAlign: 'align', hasColors: true })
    const isPlain = Object.keys(element.attributes).length === 0
    const image = isPlain ? this.#image(element.children, { paragraph: element.open }) : null
    return image ?? this.#text('paragraph', attributes, element)
  }

  /** @param {string} name @param {Record<string, unknown>} attributes @param {ElementPart} element */
  #text(name, attributes, element) {
    const content = isOneParagraph(element.children) ? this.text(element.children) : null
    return content === null ? null : this.create(name, attributes, content, { main: element.open })
  }

  /** @param {ElementPart} element */
  #pre(element) {
    const code = onlyElement(element.children, 'code')
    const { children } = code ?? element
    const content = readInline(children, this.schema, true)
    if (content === null) return null
    this.#nesting.push(...content.nesting)
    const tags = { main: element.open, ...(code === null ? {} : { code: code.open }) }
    return this.create(
      code === null ? 'preformatted' : 'codeBlock',
      commonAttributes(element).attributes,
      content.nodes,
      tags,
    )
  }

  /** @param {ElementPart} element @returns {Node | null} */
  #list(element) {
    const items = withoutSpaces(element.children).map((item) => (isElement(item, 'li') ? this.#item(item) : null))
    if (items.length === 0 || items.includes(null)) return null
    const name = element.tag === 'ol' ? 'orderedList' : 'bulletList'
    const content = items.filter((item) => item !== null)
    return this.create(name, listAttributes(element).attributes, content, { main: element.open })
  }

  /** @param {ElementPart} item */
  #item(item) {
    const first = item.children.findIndex((part) => isElement(part, 'ul', 'ol'))
    const line = first < 0 ? item.children : item.children.slice(0, first)
    const lists = first < 0 ? [] : withoutSpaces(item.children.slice(first))
    const text = isOneParagraph(line) ? this.part('paragraph', line) : null
    const content = lists.map((part) =>
      isElement(part, 'ul', 'ol') ? new ClassicReader(this.schema).#list(part) : null,
    )
    if (text === null || content.includes(null)) return null
    const children = [text, ...content.filter((list) => list !== null)]
    return this.create('listItem', commonAttributes(item).attributes, children, { main: item.open })
  }

  /** @param {ElementPart} element */
  #quote(element) {
    const pieces = piecesOfParts(element.children)
    const cite = citationOf(pieces.at(-1)?.parts ?? [])
    const inner = (cite === null ? pieces : pieces.slice(0, -1)).map(
      ({ parts, source }) =>
        (parts === null ? null : new ClassicReader(this.schema).piece(parts)) ?? htmlNode(this.schema, source),
    )
    if (inner.length === 0) return null
    const citation = cite === null ? null : this.part('citation', cite.element.children)
    if (cite !== null && citation === null) return null
    const { attributes } = commonAttributes(element, { textAlign: 'textAlign' })
    const tags = { main: element.open, ...cite?.tags }
    return this.create('quote', attributes, citation === null ? inner : [...inner, citation], tags)
  }

  /** @param {ElementPart} element */
  #table(element) {
    const [first, ...others] = withoutSpaces(element.children)
    const caption = isElement(first, 'caption') ? first : null
    const sections = caption === null ? withoutSpaces(element.children) : others
    const isPlain = sections.every((part) => isElement(part, 'tr'))
    const body = /** @type {ElementPart} */ ({ type: 'element', tag: 'tbody', attributes: {}, children: sections })
    const rows = rowsOf(this, { ...element, children: isPlain ? [body] : sections })
    const text = caption === null ? null : this.part('caption', caption.children)
    if (rows === null || rows.length === 0 || (caption !== null && text === null)) return null
    const grid = this.schema.node('table', null, rows)
    const { attributes } = commonAttributes(element, { hasAlign: true })
    const tags = { main: element.open, ...(caption === null ? {} : { caption: caption.open }) }
    return this.create(
      'tableBlock',
      { ...attributes, hasFixedLayout: false },
      text === null ? [grid] : [grid, text],
      tags,
    )
  }

  /** @param {ElementPart} figure */
  #figure(figure) {
    const parts = withoutSpaces(figure.children)
    const last = parts.at(-1)
    const caption = isElement(last, 'figcaption') ? last : null
    const content = caption === null ? [] : this.text(caption.children)
    if (content === null) return null
    const { attributes } = commonAttributes(figure, { hasAlign: true })
    const tags = { figure: figure.open, ...(caption === null ? {} : { caption: caption.open }) }
    return this.#image(caption === null ? parts : parts.slice(0, -1), tags, attributes, content)
  }

  /** An image with a caption: `[caption id="attachment_1" align="alignleft" width="300"]<img …/> Text[/caption]`. @param {string} source */
  #captionShortcode(source) {
    const end = '[/caption]'
    const open = /^\[caption(?:\s+(?:id|align|width|class)="[^"[\]]*")*\s*\]/.exec(source)?.[0]
    if (open === undefined || source.indexOf(end) !== source.length - end.length) return null
    const parts = trimmedParts(parseHtml([source.slice(open.length, -end.length)]) ?? [])
    const [picture, ...text] = parts
    const content = picture === undefined ? null : this.text(trimmedParts(text))
    const align = /\salign="align(left|center|right)"/.exec(open)?.[1]
    if (picture === undefined || content === null || content.length === 0) return null
    return this.#image([picture], { figure: open }, align === undefined ? {} : { align }, content)
  }

  /**
   * A line that consists of an image.
   * @param {readonly HtmlPart[]} parts
   * @param {Record<string, string>} tags
   * @param {Record<string, unknown>} [attributes]
   * @param {Node[]} [caption]
   */
  #image(parts, tags, attributes = {}, caption = []) {
    const [only, ...others] = withoutSpaces(parts)
    const link = isElement(only, 'a') ? only : null
    const img = link === null ? (isElement(only, 'img') ? only : null) : onlyElement(link.children, 'img')
    if (img === null || others.length > 0) return null
    const isAlone = tags['figure'] === undefined
    const { align, className, ...image } = { ...imageAttributes(img, isAlone).attributes, ...attributes }
    const all = {
      ...image,
      ...(link === null ? {} : imageLinkAttributes(link).attributes),
      ...(align === undefined ? {} : { align }),
      ...(className === undefined ? {} : { className }),
    }
    const own = { ...tags, [isAlone ? 'main' : 'img']: img.open, ...(link === null ? {} : { link: link.open }) }
    return this.create('image', all, caption, own)
  }

  /** Reads a text; line breaks are those that the site shows. @param {readonly HtmlPart[]} parts @returns {Node[] | null} */
  text(parts) {
    const content = readInline(withBreaks(trimmedParts(parts)), this.schema)
    if (content !== null) this.#nesting.push(...content.nesting)
    return content === null ? null : content.nodes
  }

  /** @param {string} name @param {readonly HtmlPart[]} parts @param {Record<string, unknown>} [attributes] */
  part(name, parts, attributes = {}) {
    const text = isOneParagraph(parts) ? this.text(parts) : null
    return text === null ? null : (this.schema.nodes[name]?.create(attributes, text) ?? null)
  }

  /**
   * @param {string} name @param {Record<string, unknown>} attributes @param {Node[]} content
   * @param {Record<string, string>} [tags]
   */
  create(name, attributes, content, tags) {
    const nesting = [...new Set(this.#nesting)]
    this.#nesting = []
    const form = tags === undefined && name !== 'paragraph' ? null : formOf(name, attributes, tags ?? {}, nesting)
    const type = this.schema.nodes[name]
    if (type === undefined) throw new Error(`The schema of the editor lacks the node ${name}.`)
    return type.create({ attributes, form }, content)
  }
}

/** @param {string} name @param {Record<string, unknown>} attributes @param {Record<string, string>} tags @param {string[]} nesting */
function formOf(name, attributes, tags, nesting) {
  return { block: `classic:${name}`, open: '', close: '', attributes, tags, nesting }
}

/** Whether no empty line is in a text. @param {readonly HtmlPart[]} parts @returns {boolean} */
function isOneParagraph(parts) {
  return trimmedParts(parts).every((part) => {
    if (part.type === 'text') return !/\n[ \t]*\r?\n/.test(part.raw)
    return part.type !== 'element' || isBlockTag(part.tag) || isOneParagraph(part.children)
  })
}

/**
 * Returns the citation at the end of a quote: a line, or a paragraph, that is a `<cite>`.
 * @param {readonly HtmlPart[]} parts
 */
function citationOf(parts) {
  const paragraph = onlyElement(parts, 'p', 'footer')
  const element = onlyElement(paragraph === null ? parts : paragraph.children, 'cite')
  if (element === null || (paragraph !== null && Object.keys(paragraph.attributes).length > 0)) return null
  const tags = { cite: element.open, ...(paragraph === null ? {} : { citeParent: paragraph.open }) }
  return { element, tags }
}
