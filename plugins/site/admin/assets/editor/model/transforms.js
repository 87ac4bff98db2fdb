// Changes a block of text to another type. No text, mark or inline element is lost; where it would be, there is no change.
import { Fragment } from '@tiptap/pm/model'

/** @typedef {import('@tiptap/pm/model').Node} Node */
/** @typedef {import('@tiptap/pm/model').Schema} Schema */

/** Types whose blocks consist of texts. */
const TEXTS = new Set([
  'paragraph',
  'heading',
  'bulletList',
  'orderedList',
  'quote',
  'codeBlock',
  'preformatted',
  'verse',
])
/** Types in such blocks. */
const PARTS = new Set([...TEXTS, 'listItem', 'citation'])
/** Types whose line breaks are characters. */
const VERBATIM = new Set(['codeBlock', 'preformatted', 'verse'])
/** Attributes that all these types have. */
const SHARED = new Set([
  'anchor',
  'className',
  'textColor',
  'backgroundColor',
  'gradient',
  'fontSize',
  'fontFamily',
  'style',
])

/** Names of the types that a block can become: node types, with the level of headings. */
const TYPES = [
  'paragraph',
  'heading1',
  'heading2',
  'heading3',
  'heading4',
  'bulletList',
  'orderedList',
  'quote',
  'codeBlock',
  'preformatted',
]

/** Whether a block consists of texts. @param {Node} node */
export function isTextual(node) {
  return TEXTS.has(node.type.name)
}

/** Returns the name of the type of a block, as `typesOf` has it. @param {Node} node */
export function typeOf(node) {
  const { name } = node.type
  return name === 'heading' ? `heading${String(node.attrs['attributes']?.level ?? 2)}` : name
}

/** Returns the types that a block of text can become, and its own. @param {Node} node */
export function typesOf(node) {
  const own = typeOf(node)
  const types = TYPES.includes(own) ? TYPES : [own, ...TYPES]
  return types.filter((name) => name === own || transformBlock(node, name) !== null)
}

/**
 * Returns the blocks that replace a block of text.
 * @param {Node} node
 * @param {string} name of the type: `heading2`, `bulletList`
 * @returns {Node[] | null} null if the block cannot become one of the type without a loss
 */
export function transformBlock(node, name) {
  const { schema } = node.type
  const type = name.replace(/\d$/, '')
  if (!isTextual(node) || schema.nodes[type] === undefined) return null
  if (typeOf(node) === name) return [node]
  const attributes = {
    ...sharedAttributes(node, type),
    ...(type === 'heading' ? { level: Number(name.slice(-1)) } : {}),
  }
  // Between two levels everything else of the block stays.
  if (type === 'heading' && node.type.name === 'heading') {
    const all = { ...node.attrs['attributes'], ...attributes }
    return [node.type.create({ ...node.attrs, attributes: all }, node.content, node.marks)]
  }
  if (isList(type) && isList(node.type.name)) return [schema.node(type, { attributes }, node.content)]
  if (node.type.name === 'quote' && type === 'paragraph') return node.children.map(unwrapped)
  if (type === 'quote' && !['paragraph', 'heading'].includes(node.type.name)) return [schema.node('quote', null, node)]
  let isText = true
  node.descendants((child) => {
    isText &&= child.isInline || PARTS.has(child.type.name)
    return isText && !child.isTextblock
  })
  const lines = isText ? linesOf(node, isList(type)) : []
  if (lines.length === 0) return null
  if (isList(type))
    return [
      schema.node(
        type,
        { attributes },
        lines.map((line) => itemOf(schema, line)),
      ),
    ]
  if (type === 'quote')
    return [
      schema.node(
        'quote',
        { attributes },
        lines.map((line) => schema.node('paragraph', null, line)),
      ),
    ]
  if (VERBATIM.has(type)) return [schema.node(type, { attributes }, joined(schema, lines))]
  return lines.map((line) =>
    schema.node(type, { attributes: lines.length === 1 || type === 'heading' ? attributes : {} }, line),
  )
}

/** @param {string} name */
const isList = (name) => name === 'bulletList' || name === 'orderedList'

/** @param {Node} node @param {string} type @returns {Record<string, unknown>} */
function sharedAttributes(node, type) {
  const { align, textAlign = align, ...others } = node.attrs['attributes'] ?? {}
  const shared = Object.entries(others).filter(([name]) => SHARED.has(name))
  const isAligned = ['paragraph', 'heading'].includes(node.type.name) && typeof textAlign === 'string'
  const key = type === 'paragraph' ? 'align' : type === 'heading' ? 'textAlign' : null
  return { ...Object.fromEntries(shared), ...(isAligned && key !== null ? { [key]: textAlign } : {}) }
}

/** A child of a quote as a block. @param {Node} child @returns {Node} */
function unwrapped(child) {
  return child.type.name === 'citation' ? child.type.schema.node('paragraph', null, child.content) : child
}

/** @param {Schema} schema @param {Fragment} line */
function itemOf(schema, line) {
  return schema.node('listItem', null, schema.node('paragraph', null, line))
}

/**
 * The texts of a block.
 * @param {Node} node
 * @param {boolean} isSplit whether each line of a verbatim text is a text
 * @returns {Fragment[]}
 */
function linesOf(node, isSplit) {
  if (!node.isTextblock) return node.children.flatMap((child) => linesOf(child, isSplit))
  if (!VERBATIM.has(node.type.name)) return [node.content]
  const lines = splitLines(node)
  if (isSplit) return lines
  const { schema } = node.type
  const line = lines.flatMap((fragment, index) => [
    ...(index === 0 ? [] : [schema.node('hardBreak')]),
    ...fragment.content,
  ])
  return [Fragment.fromArray(line)]
}

/** @param {Node} node @returns {Fragment[]} */
function splitLines(node) {
  /** @type {Node[][]} */
  const lines = [[]]
  for (const child of node.children) {
    const texts = child.isText ? (child.text ?? '').split('\n') : null
    if (texts === null) lines.at(-1)?.push(child)
    texts?.forEach((text, index) => {
      if (index > 0) lines.push([])
      if (text !== '') lines.at(-1)?.push(node.type.schema.text(text, child.marks))
    })
  }
  return lines.map((line) => Fragment.fromArray(line))
}

/** @param {Schema} schema @param {readonly Fragment[]} lines @returns {Fragment} */
function joined(schema, lines) {
  const nodes = lines.flatMap((line, index) => {
    const inner = line.content.map((node) => (node.type.name === 'hardBreak' ? schema.text('\n', node.marks) : node))
    return index === 0 ? inner : [schema.text('\n'), ...inner]
  })
  // Joins neighbors with the same marks.
  return Fragment.fromArray(nodes)
}
