// The types into which the block of the selection can be changed.
import { Fragment } from '@tiptap/pm/model'
import { NodeSelection, TextSelection } from '@tiptap/pm/state'
import { currentBlock } from './block-list.js'

/** @typedef {import('./editor.js').RichEditor} RichEditor */
/** @typedef {import('@tiptap/pm/model').Node} Node */
/** @typedef {import('@tiptap/pm/model').Schema} Schema */

/**
 * @typedef {object} TypeChoice
 * @property {string} title
 * @property {boolean} isCurrent
 * @property {() => void} apply
 */

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

/**
 * Creates blocks of a type from lines of text.
 * @type {Readonly<Record<string, (schema: Schema, lines: Fragment[], name: string) => Node[]>>}
 */
const CREATE = {
  paragraph: (schema, lines) => lines.map((line) => schema.node('paragraph', null, line)),
  heading: (schema, lines, name) =>
    lines.map((line) => schema.node('heading', { attributes: { level: Number(name.slice(-1)) } }, line)),
  bulletList: (schema, lines) => [listOf(schema, 'bulletList', lines)],
  orderedList: (schema, lines) => [listOf(schema, 'orderedList', lines)],
  quote: (schema, lines) => [
    schema.node(
      'quote',
      null,
      lines.map((line) => schema.node('paragraph', null, line)),
    ),
  ],
  codeBlock: (schema, lines) => [plainBlock(schema, 'codeBlock', lines)],
  preformatted: (schema, lines) => [plainBlock(schema, 'preformatted', lines)],
}

/** @param {Schema} schema @param {string} name @param {Fragment[]} lines */
function listOf(schema, name, lines) {
  const items = lines.map((line) => schema.node('listItem', null, schema.node('paragraph', null, line)))
  return schema.node(name, null, items)
}

/** @param {Schema} schema @param {string} name @param {Fragment[]} lines */
function plainBlock(schema, name, lines) {
  const text = lines.map((line) => line.textBetween(0, line.size, undefined, '\n')).join('\n')
  return schema.node(name, null, text === '' ? [] : [schema.text(text)])
}

/** The texts of a block. @param {Node} node @returns {Fragment[]} */
function linesOf(node) {
  if (node.isTextblock) return [node.content]
  return node.children.flatMap(linesOf)
}

/** @param {RichEditor} rich @returns {TypeChoice[]} the current type, and the types it can become */
export function typeChoices(rich) {
  const { schema } = rich.tiptap
  const block = outermostText(rich)
  if (block === null) return []
  const { node, pos } = block
  const current =
    node.type.name === 'heading' ? `heading${String(node.attrs['attributes']?.level ?? 2)}` : node.type.name
  const names = [
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
  const shown = names.includes(current) ? names : [current, ...names]
  return shown
    .filter((name) => schema.nodes[name.replace(/\d$/, '')] !== undefined)
    .map((name) => ({
      title: titleOf(rich, name),
      isCurrent: name === current,
      apply: () => change(rich, node, pos, name),
    }))
}

/** Returns the block of the selection; for a paragraph in a list or quote, the list or quote. @param {RichEditor} rich */
function outermostText(rich) {
  const { state } = rich.view
  const { selection } = state
  const block = currentBlock(state)
  if (block === null || !TEXTS.has(block.node.type.name)) return null
  const { $from } = selection
  for (let depth = 1; depth < $from.depth; depth += 1) {
    const node = $from.node(depth)
    if (TEXTS.has(node.type.name) && !node.isTextblock) return { node, pos: $from.before(depth) }
  }
  return block
}

/** @param {RichEditor} rich @param {string} name */
function titleOf(rich, name) {
  const { words } = rich
  if (name === 'bulletList') return words('list')
  if (name === 'orderedList') return words('orderedList')
  const level = /^heading(\d)$/.exec(name)?.[1]
  return level === undefined
    ? rich.titleOf({ name: name === 'codeBlock' ? 'core/code' : `core/${name}` })
    : `${words('heading')} ${level}`
}

/** @param {RichEditor} rich @param {Node} node @param {number} pos @param {string} name */
function change(rich, node, pos, name) {
  const { state } = rich.view
  const type = name.replace(/\d$/, '')
  const { schema } = rich.tiptap
  // Between two levels or between two texts, everything else of the block stays.
  if (type === 'heading' && node.type.name === 'heading') {
    const attributes = { ...node.attrs['attributes'], level: Number(name.slice(-1)) }
    return void rich.apply(state.tr.setNodeMarkup(pos, undefined, { ...node.attrs, attributes }))
  }
  const lines = linesOf(node)
  const blocks = CREATE[type]?.(schema, lines.length === 0 ? [Fragment.empty] : lines, name) ?? []
  if (blocks.length === 0) return
  const tr = state.tr.replaceWith(pos, pos + node.nodeSize, blocks)
  const isSelected = state.selection instanceof NodeSelection
  const offset = Math.min(tr.doc.content.size, state.selection.head)
  tr.setSelection(isSelected ? NodeSelection.create(tr.doc, pos) : TextSelection.near(tr.doc.resolve(offset), -1))
  rich.apply(tr.scrollIntoView())
}
