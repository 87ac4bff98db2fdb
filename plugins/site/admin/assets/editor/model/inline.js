// Inline HTML ↔ text with marks. Markup without a mark becomes an atom that keeps its source.
import { decodePieces, escapeText, sourceOf, tagSource } from './html.js'

/** @typedef {import('./html.js').HtmlPart} HtmlPart */
/** @typedef {import('./html.js').ElementPart} ElementPart */
/** @typedef {import('@tiptap/pm/model').Node} Node */
/** @typedef {import('@tiptap/pm/model').Mark} Mark */
/** @typedef {import('@tiptap/pm/model').Schema} Schema */

/**
 * @typedef {object} InlineContent
 * @property {Node[]} nodes
 * @property {string[]} nesting which of two marks with the same text is the outer one: `link>bold`
 */

/** Marks by tag. */
/** @type {Readonly<Record<string, string>>} */
const MARKS = {
  strong: 'bold',
  b: 'bold',
  em: 'italic',
  i: 'italic',
  a: 'link',
  code: 'code',
  s: 'strike',
  del: 'strike',
  strike: 'strike',
  sub: 'subscript',
  sup: 'superscript',
  u: 'underline',
  mark: 'highlight',
  kbd: 'keyboard',
}
/** Marks of plugins by tag and class: `span.plant`. @type {Map<string, string>} */
const pluginMarks = new Map()

/** Adds a mark of a plugin. @param {string} name @param {string} tag @param {string} className its only attribute */
export function addMark(name, tag, className) {
  pluginMarks.set(`${tag}.${className}`, name)
}

const OTHER_MARKS = new Set(
  'abbr acronym bdi bdo big cite data dfn font ins label q samp small span time tt var'.split(' '),
)
const LINE_BREAK = '<br>'
/** Elements that cannot be in a line of text. */
const BLOCKS = new Set(
  (
    'address article aside blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol p ' +
    'pre search section style summary table tbody td tfoot th thead title tr ul'
  ).split(' '),
)

/** @param {string} tag */
export function isBlockTag(tag) {
  return BLOCKS.has(tag)
}

/**
 * Returns the name of the mark for an element, or null.
 * @param {ElementPart} element
 */
function markName({ tag, attributes }) {
  const added = pluginMarks.get(`${tag}.${attributes['class'] ?? ''}`)
  if (added !== undefined && Object.keys(attributes).length === 1) return added
  if (tag === 'span' && Object.keys(attributes).length === 1 && isUnderline(attributes['style'] ?? ''))
    return 'underline'
  return MARKS[tag] ?? (OTHER_MARKS.has(tag) ? 'element' : null)
}

/** @param {string} style */
function isUnderline(style) {
  return /^\s*text-decoration\s*:\s*underline\s*;?\s*$/i.test(style)
}

/**
 * Reads inline HTML.
 * @param {readonly HtmlPart[]} parts
 * @param {Schema} schema
 * @param {boolean} keepsSpaces whether line breaks are significant, as in preformatted text
 * @returns {InlineContent | null} null if the parts contain a block or a block element
 */
export function readInline(parts, schema, keepsSpaces = false) {
  /** @type {Node[]} */
  const nodes = []
  /** @type {Set<string>} */
  const nesting = new Set()

  /** @param {string} raw @param {readonly Mark[]} marks */
  const addText = (raw, marks) => {
    const html = keepsSpaces ? raw.replace(/\r\n?/g, '\n') : raw.replace(/[ \t\r\n]+/g, joinLines)
    for (const { text, isUnknown } of decodePieces(html)) {
      nodes.push(isUnknown ? atom(text, marks) : schema.text(text, marks))
    }
  }
  /** @param {string} html @param {readonly Mark[]} marks */
  const atom = (html, marks) => node('inlineHtml', { html }, marks)
  /** @param {string} name @param {Record<string, unknown>} attributes @param {readonly Mark[]} marks */
  const node = (name, attributes, marks) => {
    const type = schema.nodes[name]
    if (type === undefined) throw new Error(`The schema of the editor lacks the node ${name}.`)
    return type.create(attributes, null, marks)
  }
  /** @param {readonly HtmlPart[]} children @param {readonly Mark[]} marks @returns {boolean} */
  const addAll = (children, marks) =>
    children.every((part) => {
      if (part.type === 'block') return false
      if (part.type === 'text') addText(part.raw, marks)
      else if (part.type === 'comment') nodes.push(atom(part.raw, marks))
      else return addElement(part, marks)
      return true
    })
  /** @param {ElementPart} element @param {readonly Mark[]} marks @returns {boolean} */
  const addElement = (element, marks) => {
    const { tag, attributes, children } = element
    if (BLOCKS.has(tag)) return false
    const name = markName(element)
    const mark = name === null ? undefined : schema.marks[name]?.create({ tag, attributes })
    if (tag === 'br' && Object.keys(attributes).length === 0)
      nodes.push(node('hardBreak', { html: element.open }, marks))
    else if (tag === 'img') nodes.push(node('inlineImage', { attributes, html: element.open }, marks))
    else if (tag === 'sup' && attributes['data-fn']) nodes.push(node('footnote', footnoteOf(element), marks))
    else if (mark === undefined || children.length === 0 || isLost(mark, marks)) {
      if (containsBlock(element)) return false
      nodes.push(atom(sourceOf(element), marks))
    } else {
      const [only] = children
      const inner = children.length === 1 && only?.type === 'element' ? markName(only) : null
      if (only?.type === 'element' && inner !== null) nesting.add(`${markKey(mark)}>${keyOf(inner, only)}`)
      return addAll(children, mark.addToSet(marks))
    }
    return true
  }
  return addAll(parts, []) ? { nodes, nesting: [...nesting] } : null
}

/**
 * Whether a set of marks cannot hold another one because it excludes a mark in the set.
 * @param {Mark} mark @param {readonly Mark[]} marks
 */
function isLost(mark, marks) {
  return mark.isInSet(marks) || mark.addToSet(marks).length <= marks.length
}

/** @param {string} spaces */
function joinLines(spaces) {
  return /[\r\n]/.test(spaces) ? ' ' : spaces
}

/** @param {HtmlPart} part @returns {boolean} */
function containsBlock(part) {
  if (part.type === 'block') return true
  return part.type === 'element' && (BLOCKS.has(part.tag) || part.children.some(containsBlock))
}

/** @param {ElementPart} element */
function footnoteOf(element) {
  const source = sourceOf(element)
  const number = /\d+/.exec(source.replace(/<[^>]*>/g, ''))?.[0] ?? '1'
  return { id: element.attributes['data-fn'], number: Number(number), html: source }
}

/**
 * Returns inline content as HTML.
 * @param {Node} parent a text block
 * @param {readonly string[]} nesting from readInline
 * @param {string} lineBreak HTML of a new line break
 */
export function writeInline(parent, nesting = [], lineBreak = LINE_BREAK) {
  /** @type {Node[]} */
  const nodes = []
  parent.forEach((node) => void nodes.push(node))
  /** @type {Mark[]} */
  const open = []
  let html = ''
  nodes.forEach((node, index) => {
    let kept = 0
    while (kept < open.length && open[kept]?.isInSet(node.marks)) kept += 1
    while (open.length > kept) html += endOf(/** @type {Mark} */ (open.pop()))
    const added = node.marks
      .filter((mark) => !mark.isInSet(open))
      .map((mark) => ({ mark, length: lengthOf(nodes, index, mark) }))
      .sort((a, b) => b.length - a.length || outerFirst(a.mark, b.mark, nesting))
    for (const { mark } of added) {
      html += startOf(mark)
      open.push(mark)
    }
    const written = htmlOfNode(node)
    html += node.type.name === 'hardBreak' && written === LINE_BREAK ? lineBreak : written
  })
  while (open.length > 0) html += endOf(/** @type {Mark} */ (open.pop()))
  return html
}

/**
 * Number of nodes from `index` on with a mark.
 * @param {readonly Node[]} nodes @param {number} index @param {Mark} mark
 */
function lengthOf(nodes, index, mark) {
  let end = index
  while (end < nodes.length && mark.isInSet(nodes[end]?.marks ?? [])) end += 1
  return end - index
}

/** @param {Mark} a @param {Mark} b @param {readonly string[]} nesting */
function outerFirst(a, b, nesting) {
  if (nesting.length === 0) return 0
  if (nesting.includes(`${markKey(a)}>${markKey(b)}`)) return -1
  return nesting.includes(`${markKey(b)}>${markKey(a)}`) ? 1 : 0
}

/** @param {Mark} mark */
function markKey({ type, attrs: { tag, attributes } }) {
  return keyOf(type.name, { tag, attributes })
}

/**
 * Identifies a mark in the list of nested marks; only marks without a meaning differ in their elements.
 * @param {string} name
 * @param {Pick<ElementPart, 'tag' | 'attributes'>} element
 */
function keyOf(name, { tag, attributes }) {
  return name === 'element' ? `${tag}${JSON.stringify(attributes)}` : name
}

/** @param {Mark} mark */
function startOf({ attrs: { tag, attributes } }) {
  return tagSource(String(tag), attributes)
}

/** @param {Mark} mark */
function endOf({ attrs: { tag } }) {
  return `</${String(tag)}>`
}

/** @param {Node} node */
function htmlOfNode(node) {
  if (node.isText) return escapeText(node.text ?? '')
  const { html, attributes, id, number } = node.attrs
  if (node.type.name === 'inlineImage') return html === '' ? tagSource('img', attributes, '/') : String(html)
  if (node.type.name === 'footnote' && html === '') return footnoteHtml(String(id), Number(number))
  return String(html)
}

/** @param {string} id @param {number} number */
export function footnoteHtml(id, number) {
  return `<sup data-fn="${id}" class="fn"><a href="#${id}" id="${id}-link">${number}</a></sup>`
}
