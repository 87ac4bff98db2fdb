// Source → document.
import { Fragment } from '@tiptap/pm/model'
import { readClassic } from './classic/part.js'
import { codecOfBlock } from './codecs.js'
import { INNER_BLOCK, isEquivalent } from './equivalence.js'
import { parseBlocks } from './grammar.js'
import { joined, withoutSpaces } from './blocks/parts.js'
import { parseHtml, startTag } from './html.js'
import { readInline } from './inline.js'
import { newRun, rememberOriginal } from './origins.js'
import { upgrade } from './upgrade.js'
import { writeBody, writePiece } from './write.js'

/** @typedef {import('./grammar.js').BlockSource} BlockSource */
/** @typedef {import('./html.js').HtmlPart} HtmlPart */
/** @typedef {import('./origins.js').Origin} Origin */
/** @typedef {import('@tiptap/pm/model').Node} Node */
/** @typedef {import('@tiptap/pm/model').Schema} Schema */

/**
 * How a block was written.
 * @typedef {object} BlockForm
 * @property {string} block name of the block type
 * @property {string} open opening comment
 * @property {string} close closing comment
 * @property {Record<string, unknown>} attributes all attributes at that time
 * @property {Record<string, string>} tags start tags of its elements by role
 * @property {string[]} nesting which marks are the outer ones
 */

/** The content of a block as a codec sees it. */
export class BlockReader {
  /**
   * @param {BlockSource} block
   * @param {readonly HtmlPart[]} parts HTML of the block without spaces around elements
   * @param {Schema} schema
   * @param {string} mark
   */
  constructor(block, parts, schema, mark) {
    this.block = block
    this.parts = parts
    this.schema = schema
    this.mark = mark
    /** @type {string[]} */
    this.nesting = []
  }

  /**
   * Reads text with marks.
   * @param {readonly HtmlPart[]} parts
   * @param {boolean} [keepsSpaces]
   * @returns {Node[] | null}
   */
  text(parts, keepsSpaces = false) {
    const content = readInline(parts, this.schema, keepsSpaces)
    if (content !== null) this.nesting.push(...content.nesting)
    return content === null ? null : content.nodes
  }

  /**
   * Reads a text block that is a part of this block, such as a caption.
   * @param {string} name
   * @param {readonly HtmlPart[]} parts
   * @param {Record<string, unknown>} [attributes]
   * @returns {Node | null}
   */
  part(name, parts, attributes = {}) {
    const text = this.text(parts)
    return text === null ? null : this.create(name, attributes, text)
  }

  /** @param {string} name @param {Record<string, unknown>} attributes @param {Node[]} content */
  create(name, attributes, content) {
    return createNode(this.schema, name, attributes, content)
  }

  /**
   * Reads inner blocks, with nothing but spaces between them.
   * @param {readonly HtmlPart[]} parts
   * @param {string} [only] name of the only node type allowed; by default all that can be anywhere
   * @returns {Node[] | null}
   */
  blocks(parts, only) {
    /** @type {(string | BlockSource)[]} */
    const sequence = []
    for (const part of parts) {
      if (part.type === 'block') sequence.push(part.block)
      else if (part.type === 'text' && part.raw.trim() === '') sequence.push(part.raw)
      else return null
    }
    if (only !== undefined && !sequence.some((part) => typeof part !== 'string')) return []
    const nodes = readSequence(sequence, this.schema, this.mark, only)
    return only === undefined || nodes.every(({ type }) => type.name === only) ? nodes : null
  }
}

/**
 * Builds a document from content.
 * @param {string} source content with block comments
 * @param {Schema} schema
 * @param {{ mark?: string }} [options] prefix of block comments
 * @returns {Node}
 */
export function readDocument(source, schema, { mark = 'wp' } = {}) {
  return createNode(schema, 'doc', {}, readSequence(parseBlocks(source, mark), schema, mark))
}

/**
 * Reads the source of one block.
 * @param {string} source
 * @param {Schema} schema
 * @param {string} mark
 * @returns {Node | null}
 */
export function readBlock(source, schema, mark) {
  const nodes = readSequence(parseBlocks(source, mark), schema, mark)
  return nodes.length === 1 ? (nodes[0] ?? null) : null
}

/**
 * Reads classic content as the children of a classic block.
 * @param {string} html
 * @param {Schema} schema
 * @param {string} mark
 * @returns {Node[]}
 */
export function readPieces(html, schema, mark) {
  return readClassic(html, schema, (node) => writePiece(node, { mark }))
}

/**
 * Reads blocks, and the HTML between them as classic blocks.
 * @param {readonly (string | BlockSource)[]} parts
 * @param {Schema} schema
 * @param {string} mark
 * @param {string} [only] name of a node type that is allowed here though it cannot be anywhere
 * @returns {Node[]}
 */
function readSequence(parts, schema, mark, only) {
  /** @type {{ before: string, part: string | BlockSource }[]} */
  const items = []
  let gap = ''
  for (const part of parts) {
    if (typeof part !== 'string') {
      items.push({ before: gap, part })
      gap = ''
      continue
    }
    const text = part.trim()
    const start = text === '' ? part.length : part.indexOf(text)
    gap += part.slice(0, start)
    if (text === '') continue
    items.push({ before: gap, part: text })
    gap = part.slice(start + text.length)
  }
  const run = newRun()
  if (items.length === 0) items.push({ before: gap, part: '' })
  return items.map(({ before, part }, index) => {
    const isLast = index === items.length - 1
    const source = typeof part === 'string' ? part : part.source
    /** @type {Origin} */
    const origin = { source, before, after: isLast && source !== '' ? gap : '', isLast, index, run }
    const node = readPart(part, schema, mark, origin, only)
    rememberOriginal(node)
    return node
  })
}

/**
 * @param {string | BlockSource} part @param {Schema} schema @param {string} mark @param {Origin} origin
 * @param {string} [only]
 */
function readPart(part, schema, mark, origin, only) {
  if (part === '') return createNode(schema, 'paragraph', { origin }, [])
  if (typeof part === 'string') return createNode(schema, 'classic', { origin }, readPieces(part, schema, mark))
  const node = readKnown(part, schema, mark, origin)
  const isAllowed = node?.type.isInGroup('block') === true || node?.type.name === only
  return node !== null && isAllowed ? node : unknownBlock(part, schema, origin)
}

/** @param {BlockSource} block @param {Schema} schema @param {Origin} origin */
function unknownBlock(block, schema, origin) {
  const { name, attributes, source, isSound } = block
  return createNode(schema, 'unknownBlock', { name, attributes, source, isSound, origin }, [])
}

/**
 * Reads a block of a known type; null if its markup could not be written again from the node.
 * @param {BlockSource} stored @param {Schema} schema @param {string} mark @param {Origin} origin
 */
function readKnown(stored, schema, mark, origin) {
  if (!stored.isSound) return null
  const block = upgrade(stored, mark)
  const codec = codecOfBlock(block.name)
  const canBeVoid = codec?.isVoid === true || codec?.isVerbatim === true || codec?.needs !== undefined
  const isReadable = codec !== undefined && (block.isVoid ? canBeVoid : codec.isVoid !== true)
  const tree = isReadable ? (codec.isVerbatim ? [] : parseHtml(block.inner)) : null
  if (codec === undefined || tree === null) return null
  const reader = new BlockReader(block, withoutSpaces(tree), schema, mark)
  const read = block.isVoid && codec.needs !== undefined ? {} : codec.read(reader)
  if (read === null) return null
  const anchor = startTag(read.tags?.['main'] ?? '')?.attributes['id']
  const attributes = { ...block.attributes, ...read.attributes, ...(anchor ? { anchor } : {}) }
  const nesting = [...new Set(reader.nesting)]
  /** @type {BlockForm} */
  const form = { block: block.name, open: block.open, close: block.close, attributes, tags: read.tags ?? {}, nesting }
  const node = createIfValid(
    schema,
    read.node ?? codec.nodes[0] ?? '',
    { attributes, form, origin },
    read.content ?? [],
  )
  if (node === null) return null
  const body = writeBody(node, { mark, child: () => INNER_BLOCK })
  if (body === null) return null
  if (block.isVoid) return body === '' ? node : null
  const isWritten = codec.isVerbatim ? `\n${body}\n` === joined(block.inner) : isEquivalent(block.inner, [body])
  return isWritten ? node : null
}

/** @param {Schema} schema @param {string} name @param {Record<string, unknown>} attributes @param {Node[]} content */
function createNode(schema, name, attributes, content) {
  const type = schema.nodes[name]
  if (type === undefined) throw new Error(`The schema of the editor lacks the node ${name}.`)
  return type.create(attributes, Fragment.fromArray(content))
}

/** @param {Schema} schema @param {string} name @param {Record<string, unknown>} attributes @param {Node[]} content */
function createIfValid(schema, name, attributes, content) {
  const fragment = Fragment.fromArray(content)
  return schema.nodes[name]?.validContent(fragment) === true ? createNode(schema, name, attributes, content) : null
}
