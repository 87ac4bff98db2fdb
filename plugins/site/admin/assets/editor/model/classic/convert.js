// Converts classic content to blocks. What no block can contain stays in blocks of HTML.
import { embedOf } from '../../embeds.js'
import { readBlock } from '../read.js'
import { writePiece, writeContent } from '../write.js'
import { cellAttributes, isCompleteNode } from './attributes.js'
import { htmlNode } from './read.js'

/** @typedef {import('@tiptap/pm/model').Node} Node */
/** @typedef {import('@tiptap/pm/model').Schema} Schema */

/**
 * Returns the blocks with the content of a classic block.
 * @param {Node} node
 * @param {{ mark?: string }} [options]
 * @returns {Node[]}
 */
export function convertClassic(node, { mark = 'wp' } = {}) {
  const { schema } = node.type
  /** @type {Node[]} */
  const blocks = []
  for (const piece of node.children) {
    const last = blocks.at(-1)
    if (piece.textContent === '<!--noteaser-->' && last?.type.name === 'more') {
      const attributes = { ...last.attrs['attributes'], noTeaser: true }
      blocks.splice(-1, 1, schema.node('more', { attributes }))
    } else blocks.push(convertPiece(piece, mark))
  }
  return blocks
}

/** @param {Node} piece @param {string} mark */
function convertPiece(piece, mark) {
  const { schema } = piece.type
  const special = specialBlock(piece, mark)
  if (special !== null) return special
  let isComplete = isCompleteNode(piece)
  piece.descendants((node) => {
    isComplete &&= isCompleteNode(node)
    return isComplete
  })
  const block = isComplete ? blockOf(piece) : null
  // A block must be read as it is written.
  const source = block === null ? '' : writeContent(schema.topNodeType.create(null, [block]), { mark })
  const read = source === '' ? null : readBlock(source, schema, mark)
  const isKnown = read !== null && block !== null && read.type === block.type
  return isKnown ? block : htmlNode(schema, writePiece(piece, { mark }))
}

/** @param {Node} piece @param {string} mark */
function specialBlock(piece, mark) {
  const { schema } = piece.type
  const text = piece.textContent
  if (piece.type.name === 'html') {
    const comment = /^<p>\s*<!--(more|nextpage)-->\s*<\/p>$/.exec(text)?.[1]
    return comment === undefined ? null : schema.node(comment === 'more' ? 'more' : 'pageBreak')
  }
  const isAlone = piece.type.name === 'paragraph' && piece.childCount === 1 && piece.firstChild?.marks.length === 0
  if (piece.type.name !== 'shortcode' && !(isAlone && Object.keys(piece.attrs['attributes']).length === 0)) return null
  const shortcode = /^\[embed\]\s*(https?:\/\/[^\s<>"[\]]+)\s*\[\/embed\]$/.exec(text)?.[1]
  const url = shortcode ?? /^https?:\/\/[^\s<>"[\]]+$/.exec(text)?.[0]
  if (url === undefined || !URL.canParse(url)) return null
  const embed = embedOf(url, mark)
  if (embed !== null) return schema.nodeFromJSON(embed)
  return shortcode === undefined ? null : schema.node('embed', { attributes: { url } })
}

/**
 * Returns a node of classic content as a new block.
 * @param {Node} node
 * @returns {Node}
 */
function blockOf(node) {
  if (node.isText) return node
  const children = node.children.map(blockOf)
  /** @type {Record<string, unknown>} */
  const attrs = { ...node.attrs }
  if ('form' in attrs) attrs['form'] = null
  if ('origin' in attrs) attrs['origin'] = null
  const isCell = node.type.name === 'tableCell' || node.type.name === 'tableHeader'
  if (isCell) attrs['attributes'] = cellAttributes(node.attrs['attributes'])
  if (node.type.name === 'hardBreak') attrs['html'] = '<br>'
  return node.type.create(attrs, node.type.name === 'quote' ? withCitation(children) : children, node.marks)
}

/**
 * A `<cite>` at the end of the text of a quote is its citation.
 * @param {Node[]} children
 */
function withCitation(children) {
  const last = children.at(-1)
  if (last?.type.name !== 'paragraph') return children
  const nodes = [...last.children]
  /** @type {Node[]} */
  const cited = []
  for (let node = nodes.at(-1); node !== undefined && isCited(node); node = nodes.at(-1)) {
    cited.unshift(node.mark(node.marks.filter((mark) => !isCite(mark))))
    nodes.pop()
  }
  for (let node = nodes.at(-1); node !== undefined && isSpace(node); node = nodes.at(-1)) nodes.pop()
  if (cited.length === 0) return children
  const { schema } = last.type
  const citation = schema.node('citation', null, cited)
  const rest = nodes.length === 0 ? [] : [last.type.create(last.attrs, nodes)]
  return children.length === 1 && rest.length === 0 ? children : [...children.slice(0, -1), ...rest, citation]
}

/** @param {import('@tiptap/pm/model').Mark} mark */
function isCite({ type, attrs }) {
  return type.name === 'element' && attrs['tag'] === 'cite' && Object.keys(attrs['attributes']).length === 0
}

/** @param {Node} node */
const isCited = (node) => node.marks.some(isCite)

/** @param {Node} node */
const isSpace = (node) => node.type.name === 'hardBreak' || (node.isText && node.text?.trim() === '')
