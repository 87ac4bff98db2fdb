// The types into which the block of the selection can be changed.
import { NodeSelection, TextSelection } from '@tiptap/pm/state'
import { currentBlock } from './block-list.js'
import { isTextual, transformBlock, typeOf, typesOf } from './model/index.js'

/** @typedef {import('./editor.js').RichEditor} RichEditor */
/** @typedef {import('@tiptap/pm/model').Node} Node */

/**
 * @typedef {object} TypeChoice
 * @property {string} title
 * @property {boolean} isCurrent
 * @property {() => void} apply
 */

/** @param {RichEditor} rich @returns {TypeChoice[]} the current type, and the types it can become */
export function typeChoices(rich) {
  const block = outermostText(rich)
  if (block === null) return []
  const { node, pos } = block
  return typesOf(node).map((name) => ({
    title: titleOf(rich, name),
    isCurrent: name === typeOf(node),
    apply: () => change(rich, node, pos, name),
  }))
}

/** Returns the block of the selection; for a paragraph in a list or quote, the list or quote. @param {RichEditor} rich */
function outermostText(rich) {
  const { state } = rich.view
  const { selection } = state
  const block = currentBlock(state)
  if (block === null || !isTextual(block.node)) return null
  const { $from } = selection
  for (let depth = 1; depth < $from.depth; depth += 1) {
    const node = $from.node(depth)
    if (isTextual(node) && !node.isTextblock) return { node, pos: $from.before(depth) }
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
  const blocks = transformBlock(node, name)
  if (blocks === null || blocks[0] === node) return
  const tr = state.tr.replaceWith(pos, pos + node.nodeSize, blocks)
  const isSelected = state.selection instanceof NodeSelection
  const offset = Math.min(tr.doc.content.size, state.selection.head)
  tr.setSelection(isSelected ? NodeSelection.create(tr.doc, pos) : TextSelection.near(tr.doc.resolve(offset), -1))
  rich.apply(tr.scrollIntoView())
}
