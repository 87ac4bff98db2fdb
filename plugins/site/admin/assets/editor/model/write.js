// Document → source.
import { classicCodecOf } from './classic/part.js'
import { codecOfNode } from './codecs.js'
import { closingComment, openingComment, parseBlocks, voidComment } from './grammar.js'
import { startTag, tagSource } from './html.js'
import { writeInline } from './inline.js'
import { isUnchanged, originOf } from './origins.js'
import { changedClasses, changedStyle } from './supports.js'

/** @typedef {import('./html.js').Attributes} Attributes */
/** @typedef {import('./read.js').BlockForm} BlockForm */
/** @typedef {import('./codecs.js').Codec} Codec */
/** @typedef {import('@tiptap/pm/model').Node} Node */
/** @typedef {import('@tiptap/pm/model').Schema} Schema */

/**
 * @typedef {object} WriteContext
 * @property {string} mark prefix of block comments
 * @property {(source: string, schema: Schema, isClassic: boolean) => Node | null} [readAgain] reads the source of a block
 * @property {ClassicContext | undefined} [classic] in classic content
 * @property {boolean} [hasBlocks] whether the document has other content than a classic block
 * @property {((node: Node) => string) | undefined} [child] writes an inner block in place of the usual way
 */

/**
 * @typedef {object} ClassicContext
 * @property {boolean} hasTags whether paragraphs have tags: the site adds none to content with blocks
 * @property {boolean} isRewritten whether paragraphs without tags get some although they are unchanged
 */

/** Separates blocks that were not next to each other in the source. */
const SEPARATOR = '\n\n'

/**
 * Returns the content of a document.
 * @param {Node} doc
 * @param {WriteContext} context
 */
export function writeContent(doc, context) {
  const nodes = childrenOf(doc)
  // The empty paragraph at the end of the editor is a place to type.
  while (nodes.length > 0 && isNewEmptyParagraph(nodes[nodes.length - 1])) nodes.pop()
  const hasBlocks = nodes.some(({ type }) => type.name !== 'classic')
  return writeSequence(nodes, { ...context, hasBlocks })
}

/** @param {Node | undefined} node */
function isNewEmptyParagraph(node) {
  if (node?.type.name !== 'paragraph' || node.childCount > 0 || originOf(node) !== null) return false
  return Object.keys(node.attrs['attributes']).length === 0
}

/** @param {Node} parent */
function childrenOf(parent) {
  /** @type {Node[]} */
  const nodes = []
  parent.forEach((node) => void nodes.push(node))
  return nodes
}

/** @param {readonly Node[]} nodes @param {WriteContext} context */
function writeSequence(nodes, context) {
  const [only] = nodes
  const filler = only === undefined ? null : originOf(only)
  let text = ''
  /** @type {import('./origins.js').Origin | null | undefined} */
  let previous
  for (const node of nodes) {
    const written = context.child === undefined ? writeNode(node, context) : context.child(node)
    if (written === '') continue
    const origin = originOf(node)
    const isNext = previous && origin && previous.run === origin.run && previous.index + 1 === origin.index
    if (previous === undefined) text += origin?.index === 0 ? origin.before : ''
    else text += isNext ? (origin?.before ?? '') : SEPARATOR
    text += written
    previous = origin
  }
  if (previous === undefined) return filler?.source === '' ? filler.before : ''
  return previous?.isLast === true ? text + previous.after : text
}

/**
 * Returns the source of a block.
 * @param {Node} node
 * @param {WriteContext} context
 */
function writeNode(node, context) {
  const { mark, readAgain, classic } = context
  const origin = originOf(node)
  const isOriginal = isUnchanged(
    node,
    ({ source, isClassic = false }) => readAgain?.(source, node.type.schema, isClassic) ?? null,
    classic !== undefined,
  )
  if (node.type.name === 'classic') return writeClassic(node, context, isOriginal)
  if (origin !== null && isOriginal && !(classic?.isRewritten === true && needsTags(node))) return origin.source
  if (node.type.name === 'unknownBlock') return writeUnknown(node, mark)
  const codec = classic === undefined ? codecOfNode(node.type.name) : classicCodecOf(node.type.name)
  if (codec === undefined) throw new Error(`The editor cannot write the node ${node.type.name}.`)
  return classic === undefined ? writeKnown(node, codec, context) : writeInClassic(node, codec, context)
}

/** @param {Node} node @param {WriteContext} context @param {boolean} isOriginal */
function writeClassic(node, context, isOriginal) {
  const origin = originOf(node)
  const hasTags = context.hasBlocks === true
  // The site no longer adds paragraphs to this content, because the document got its first block.
  const isRewritten = hasTags && (origin === null || (origin.index === 0 && origin.isLast))
  if (origin !== null && isOriginal && !isRewritten) return origin.source
  return writeSequence(childrenOf(node), { ...context, classic: { hasTags, isRewritten } })
}

/** Whether a piece of classic content has paragraphs without tags. @param {Node} node */
function needsTags(node) {
  let isNeeded = false
  const check = (/** @type {Node} */ { type, attrs }) => {
    const tags = attrs['form']?.tags ?? {}
    isNeeded ||= type.name === 'paragraph' && tags.main === undefined
    isNeeded ||= type.name === 'image' && tags.paragraph === undefined && tags.figure === undefined
  }
  check(node)
  if (node.type.name === 'quote') node.forEach(check)
  return isNeeded
}

/** @param {Node} node @param {Codec} codec @param {WriteContext} context */
function writeInClassic(node, codec, context) {
  if (codec.isVoid === true) return writeKnown(node, codec, { ...context, classic: undefined })
  return writeBody(node, context) ?? ''
}

/**
 * Returns a node as a piece of classic content.
 * @param {Node} node @param {WriteContext} context
 */
export function writePiece(node, context) {
  return writeNode(node, { ...context, classic: { hasTags: false, isRewritten: false } })
}

/** @param {Node} node @param {Codec} codec @param {WriteContext} context */
function writeKnown(node, codec, context) {
  const form = formOf(node, codec)
  const before = form === null ? null : storedAttributes(codec, form.attributes)
  const attributes = storedAttributes(codec, attributesOf(node, codec))
  const isSameComment = before !== null && JSON.stringify(before) === JSON.stringify(attributes)
  const { mark } = context
  const body = writeBody(node, context) ?? ''
  const hadBody = form !== null && form.close !== ''
  if (body === '') return isSameComment && !hadBody ? (form?.open ?? '') : voidComment(codec.block, attributes, mark)
  const open = isSameComment && hadBody ? form.open : openingComment(codec.block, attributes, mark)
  return `${open}\n${body}\n${hadBody ? form.close : closingComment(codec.block, mark)}`
}

/**
 * Attributes for the comment: those that the markup does not contain.
 * @param {Codec} codec @param {Record<string, unknown>} attributes
 */
function storedAttributes(codec, attributes) {
  return Object.fromEntries(
    Object.entries(attributes).filter(([name, value]) => {
      if (value === undefined || value === null || codec.sourced?.includes(name)) return false
      if (name === 'anchor' && hasElement(codec)) return false
      return codec.defaults === undefined || !Object.hasOwn(codec.defaults, name) || codec.defaults[name] !== value
    }),
  )
}

/** Whether the markup has an element whose ID is the anchor of the block. @param {Codec} codec */
function hasElement({ block, isVoid = false, isVerbatim = false }) {
  return !isVoid && !isVerbatim && block !== 'core/more' && block !== 'core/nextpage'
}

/** @param {Node} node @param {Codec} codec @returns {Record<string, unknown>} */
function attributesOf(node, codec) {
  const attributes = node.attrs['attributes'] ?? {}
  return codec.adjust?.(node, attributes) ?? attributes
}

/**
 * How a block was written. Null for a new one, and for one that was of another type.
 * @param {Node} node @param {Codec} codec
 */
function formOf(node, codec) {
  const form = /** @type {BlockForm | null | undefined} */ (node.attrs['form'])
  return form?.block === codec.block ? form : null
}

/** @param {Node} node @param {string} mark */
function writeUnknown({ attrs: { name, attributes, source, isSound } }, mark) {
  const [block] = parseBlocks(source, mark)
  if (!isSound || block === undefined || typeof block === 'string') return String(source)
  if (JSON.stringify(block.attributes) === JSON.stringify(attributes)) return String(source)
  const comment = (block.isVoid ? voidComment : openingComment)(name, attributes, mark)
  return comment + source.slice(block.open.length)
}

/**
 * Returns the HTML and the inner blocks of a block, without its comments.
 * @param {Node} node
 * @param {WriteContext} context
 */
export function writeBody(node, context) {
  const { name } = node.type
  const codec = context.classic === undefined ? codecOfNode(name) : classicCodecOf(name)
  if (codec === undefined) return null
  const writer = new BlockWriter(node, codec, context)
  return codec.needs !== undefined && !writer.attributes[codec.needs] ? '' : codec.write(writer)
}

/** What a codec needs to write a block. */
export class BlockWriter {
  /** @param {Node} node @param {Codec} codec @param {WriteContext} context */
  constructor(node, codec, context) {
    this.node = node
    this.attributes = attributesOf(node, codec)
    /** @type {Node[]} */
    this.children = childrenOf(node)
    this.codec = codec
    this.context = context
    this.form = formOf(node, codec)
  }

  /**
   * Returns the start tag of an element: as it was written, with the changes that follow from changed attributes.
   * @param {string} role
   * @param {string} initial the start tag in a new block
   * @param {Record<string, string | boolean | null | undefined>} [changes] values to set: true sets an attribute without a
   * value, false and null remove it
   */
  tag(role, initial, changes = {}) {
    const source = this.form?.tags[role] ?? initial
    const element = startTag(source)
    const tag = startTag(initial)?.tag
    if (element === null || tag === undefined) return source
    /** @type {Attributes} */
    const attributes = { ...element.attributes }
    const id = role === 'main' ? this.changed('anchor', this.attributes['anchor'] || null) : undefined
    for (const [name, value] of Object.entries({ ...this.#supported(role, element.attributes), id, ...changes })) {
      if (value === undefined) continue
      if (value === null || value === false) delete attributes[name]
      else if (value !== true || !Object.hasOwn(attributes, name)) attributes[name] = value === true ? null : value
    }
    const isSame = element.tag === tag && JSON.stringify(attributes) === JSON.stringify(element.attributes)
    return isSame ? source : tagSource(tag, attributes, source.endsWith('/>') ? '/' : '')
  }

  /** @param {string} role @param {Attributes} attributes @returns {Attributes} */
  #supported(role, attributes) {
    const before = this.form?.tags[role] === undefined ? {} : this.form.attributes
    if (before === this.attributes) return {}
    const { codec } = this
    /** @type {Attributes} */
    const changes = {}
    const classes = changedClasses(codec, role, attributes['class'] ?? '', before, this.attributes)
    if (classes !== null) changes['class'] = classes === '' ? null : classes
    const style = changedStyle(codec, role, attributes['style'] ?? '', before, this.attributes)
    if (style !== null) changes['style'] = style === '' ? null : style
    return changes
  }

  /**
   * Returns a value for an element if an attribute of the block has changed, and undefined if it has not.
   * @param {string} name of the attribute of the block
   * @param {unknown} value
   */
  changed(name, value) {
    if (this.form?.attributes[name] === this.attributes[name]) return undefined
    if (typeof value === 'boolean') return value
    return typeof value === 'string' || typeof value === 'number' ? String(value) : null
  }

  /** Text of a text block as HTML; by default of this block. @param {Node} [node] */
  text(node = this.node) {
    const { classic } = this.context
    const lineBreak = classic === undefined ? undefined : classic.hasTags ? '<br />' : '\n'
    return writeInline(node, this.form?.nesting, lineBreak)
  }

  /** One inner block. @param {Node} node */
  one(node) {
    return writeNode(node, this.context)
  }

  /** Inner blocks. @param {readonly Node[]} [nodes] */
  blocks(nodes = this.children) {
    return writeSequence(nodes, this.context)
  }
}
