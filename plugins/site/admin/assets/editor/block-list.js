// Blocks as users see them: the block of the selection, and commands that move, copy and remove it.
import { NodeSelection, TextSelection } from '@tiptap/pm/state'

/** @typedef {import('@tiptap/pm/state').EditorState} EditorState */
/** @typedef {import('@tiptap/pm/state').Transaction} Transaction */
/** @typedef {import('@tiptap/pm/model').Node} Node */
/** @typedef {import('@tiptap/pm/model').ResolvedPos} ResolvedPos */

/**
 * @typedef {object} FoundBlock
 * @property {Node} node
 * @property {number} pos
 * @property {Node} parent
 * @property {number} index position in the parent
 */

/** @param {Node} node */
export const isBlock = (node) => node.type.isInGroup('block') && 'attributes' in (node.type.spec.attrs ?? node.attrs)

/**
 * Returns the innermost block of the selection.
 * @param {EditorState} state
 * @returns {FoundBlock | null}
 */
export function currentBlock({ selection }) {
  const { $from } = selection
  if (selection instanceof NodeSelection && selection.node.isBlock)
    return { node: selection.node, pos: selection.from, parent: $from.parent, index: $from.index() }
  const block = blocksAround($from).at(-1) ?? null
  // The text of a list item is not a separate block.
  if (block?.parent.type.name !== 'listItem' || block.index > 0 || block.node !== $from.parent) return block
  return { node: block.parent, pos: $from.before(-1), parent: $from.node(-2), index: $from.index(-2) }
}

/**
 * Returns the blocks around a position, outermost first.
 * @param {ResolvedPos} position
 * @returns {FoundBlock[]}
 */
export function blocksAround(position) {
  const found = []
  for (let depth = 1; depth <= position.depth; depth += 1) {
    const node = position.node(depth)
    const parent = position.node(depth - 1)
    if (isBlock(node)) found.push({ node, pos: position.before(depth), parent, index: position.index(depth - 1) })
  }
  return found
}

/**
 * Returns the block at a position of the document.
 * @param {EditorState} state
 * @param {number} pos
 * @returns {FoundBlock | null}
 */
export function blockAt({ doc }, pos) {
  const node = doc.nodeAt(pos)
  const around = doc.resolve(pos)
  return node === null ? null : { node, pos, parent: around.parent, index: around.index() }
}

/**
 * Moves the block of the selection up (-1) or down (1) in its parent. At the start or end of an inner block, it leaves
 * the inner block.
 * @param {EditorState} state
 * @param {-1 | 1} step
 * @returns {Transaction | null}
 */
export function moveBlock(state, step) {
  const block = currentBlock(state)
  if (block === null) return null
  const { node, pos, parent, index } = block
  const neighbor = index + step < 0 ? null : parent.maybeChild(index + step)
  if (neighbor === null) return null
  const target = step > 0 ? pos + neighbor.nodeSize : pos - neighbor.nodeSize
  const tr = state.tr.delete(pos, pos + node.nodeSize).insert(target, node)
  return select(tr, state, pos, target).scrollIntoView()
}

/**
 * Moves the block at a position before the block at another position of the same document.
 * @param {EditorState} state
 * @param {number} from @param {number} to
 */
export function moveBlockTo(state, from, to) {
  const node = state.doc.nodeAt(from)
  if (node === null || (to >= from && to <= from + node.nodeSize)) return null
  const tr = state.tr.delete(from, from + node.nodeSize)
  const target = tr.mapping.map(to)
  tr.insert(target, node)
  return tr.setSelection(NodeSelection.create(tr.doc, target)).scrollIntoView()
}

/**
 * Copies the block of the selection below it, and selects the copy.
 * @param {EditorState} state
 * @returns {Transaction | null}
 */
export function duplicateBlock(state) {
  const block = currentBlock(state)
  if (block === null) return null
  const target = block.pos + block.node.nodeSize
  return select(state.tr.insert(target, block.node), state, block.pos, target).scrollIntoView()
}

/**
 * Removes the block of the selection. A parent that needs content keeps an empty paragraph.
 * @param {EditorState} state
 * @returns {Transaction | null}
 */
export function removeBlock(state) {
  let block = currentBlock(state)
  if (block === null) return null
  const paragraph = state.schema.nodes['paragraph']
  // The last item of a list takes the list with it.
  const outer = blocksAround(state.doc.resolve(block.pos)).reverse()
  for (const one of outer) {
    const canBeEmpty =
      block.parent.childCount > 1 || (paragraph !== undefined && block.parent.contentMatchAt(0).matchType(paragraph))
    if (!canBeEmpty && block.parent === one.node) block = one
  }
  const { node, pos, parent } = block
  const end = pos + node.nodeSize
  const tr =
    parent.childCount === 1 && paragraph !== undefined
      ? state.tr.replaceWith(pos, end, paragraph.create())
      : state.tr.delete(pos, end)
  return tr.setSelection(TextSelection.near(tr.doc.resolve(Math.min(pos, tr.doc.content.size)), -1)).scrollIntoView()
}

/**
 * Changes attributes of the block at a position; undefined removes an attribute.
 * @param {EditorState} state
 * @param {number} pos
 * @param {Record<string, unknown>} changes
 */
export function changeAttributes(state, pos, changes) {
  const node = state.doc.nodeAt(pos)
  if (node === null) return state.tr
  const attributes = { ...node.attrs['attributes'], ...changes }
  for (const [name, value] of Object.entries(changes)) if (value === undefined) delete attributes[name]
  const tr = state.tr.setNodeMarkup(pos, undefined, { ...node.attrs, attributes })
  return state.selection instanceof NodeSelection && state.selection.from === pos
    ? tr.setSelection(NodeSelection.create(tr.doc, pos))
    : tr
}

/**
 * Inserts blocks: in place of the block of the selection if that is an empty paragraph, otherwise after it.
 * @param {EditorState} state
 * @param {readonly Node[]} nodes
 * @param {FoundBlock | null} [at]
 */
export function insertBlocks(state, nodes, at = currentBlock(state)) {
  // Classic content is split around a block that it cannot contain.
  const fits = (/** @type {FoundBlock} */ { parent, index }) =>
    parent.type.name === 'classic' || nodes.every(({ type }) => parent.canReplaceWith(index + 1, index + 1, type))
  // Below a list or a row of buttons, if it cannot contain the block.
  if (at !== null && !fits(at)) at = blocksAround(state.doc.resolve(at.pos)).findLast(fits) ?? null
  if (at?.parent.type.name === 'classic' && nodes.some(({ type }) => !type.isInGroup('classicPart')))
    return insertInClassic(state, nodes, at)
  const isEmpty = at !== null && at.node.type.name === 'paragraph' && at.node.content.size === 0
  const start = at === null ? state.doc.content.size : isEmpty ? at.pos : at.pos + at.node.nodeSize
  const end = at !== null && isEmpty ? at.pos + at.node.nodeSize : start
  const tr = state.tr.replaceWith(start, end, [...nodes])
  return selectInserted(tr, nodes, start)
}

/** @param {Transaction} tr @param {readonly Node[]} nodes @param {number} start */
function selectInserted(tr, [first], start) {
  if (first === undefined) return tr
  const isText = first.isTextblock || (first.firstChild !== null && !first.isAtom)
  tr.setSelection(isText ? TextSelection.near(tr.doc.resolve(start + 1)) : NodeSelection.create(tr.doc, start))
  return tr.scrollIntoView()
}

/**
 * Inserts blocks that classic content cannot contain: between its pieces.
 * @param {EditorState} state
 * @param {readonly Node[]} nodes
 * @param {FoundBlock} at a piece of classic content
 */
function insertInClassic(state, nodes, { node, pos, parent, index }) {
  const { tr } = state
  const isEmpty = node.type.name === 'paragraph' && node.content.size === 0
  const isReplaced = isEmpty && parent.childCount > 1
  if (isReplaced) tr.delete(pos, pos + node.nodeSize)
  const between = isReplaced ? pos : pos + node.nodeSize
  const count = parent.childCount - (isReplaced ? 1 : 0)
  const before = isReplaced ? index : index + 1
  if (before > 0 && before < count) tr.split(between)
  const start = before === 0 ? between - 1 : between + 1
  tr.insert(start, [...nodes])
  return selectInserted(tr, nodes, start)
}

/**
 * Moves the cursor to an empty paragraph at the end; adds one if the last block is another one. Classic content continues.
 * @param {EditorState} state
 */
export function appendParagraph({ doc, schema, tr }) {
  const isClassic = doc.lastChild?.type.name === 'classic'
  const last = isClassic ? doc.lastChild?.lastChild : doc.lastChild
  const paragraph = schema.nodes['paragraph']
  const isEmpty = last?.type === paragraph && last?.content.size === 0
  const end = isClassic ? doc.content.size - 1 : doc.content.size
  if (!isEmpty && paragraph !== undefined) tr.insert(end, paragraph.create())
  return tr.setSelection(TextSelection.atEnd(tr.doc)).scrollIntoView()
}

/** @param {Transaction} tr @param {EditorState} state @param {number} from @param {number} to */
function select(tr, { selection }, from, to) {
  if (selection instanceof NodeSelection) return tr.setSelection(NodeSelection.create(tr.doc, to))
  const at = (/** @type {number} */ position) => Math.min(tr.doc.content.size, position - from + to)
  return tr.setSelection(TextSelection.create(tr.doc, at(selection.anchor), at(selection.head)))
}
