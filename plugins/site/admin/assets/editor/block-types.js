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
  if (block === null || !(isTextual(block.node) || block.node.type.name === 'listItem')) return null
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
  const { selection } = state
  const at = (/** @type {number} */ one) => tr.doc.resolve(positionIn(blocks, pos, textOffset(node, pos, one)))
  tr.setSelection(
    selection instanceof NodeSelection
      ? NodeSelection.create(tr.doc, pos)
      : TextSelection.between(at(selection.anchor), at(selection.head)),
  )
  rich.apply(tr.scrollIntoView())
}

/**
 * Returns the offset of a position in the lines of a block, each of which ends with one character.
 * @param {Node} node @param {number} start position of the block @param {number} pos
 */
function textOffset(node, start, pos) {
  let offset = 0
  let before = 0
  eachLine([node], start, (line, first) => {
    if (pos >= first) offset = before + Math.min(pos - first, line.content.size)
    before += line.content.size + 1
  })
  return offset
}

/** @param {readonly Node[]} blocks @param {number} start @param {number} offset as of textOffset */
function positionIn(blocks, start, offset) {
  let position = start + 1
  let before = 0
  eachLine(blocks, start, (line, first) => {
    if (offset >= before) position = first + Math.min(offset - before, line.content.size)
    before += line.content.size + 1
  })
  return position
}

/** @param {readonly Node[]} blocks @param {number} start @param {(line: Node, first: number) => void} visit */
function eachLine(blocks, start, visit) {
  let at = start
  for (const block of blocks) {
    if (block.isTextblock) visit(block, at + 1)
    else eachLine(block.children, at + 1, visit)
    at += block.nodeSize
  }
}
