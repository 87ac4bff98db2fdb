// Fits pasted content to the place of the cursor: cells and captions contain lines, lists contain items.
import { Fragment, Slice } from '@tiptap/pm/model'

/** @typedef {import('@tiptap/pm/model').Node} Node */
/** @typedef {import('@tiptap/pm/state').EditorState} EditorState */

/**
 * Returns the slice as it fits to the selection; null for cells that are pasted in a table.
 * @param {Slice} slice
 * @param {EditorState} state
 */
export function fitSlice(slice, { selection, schema }) {
  const { $from } = selection
  const { parent } = $from
  const isInTable = parent.type.spec['tableRole'] !== undefined || 'isColSelection' in selection
  if (isInTable && hasTable(slice.content)) return null
  if (!parent.inlineContent) return slice
  if (isInTable || parent.type.spec.isolating === true) return lineOf(slice.content, schema)
  const item = $from.depth > 1 ? $from.node(-1) : null
  return item?.type.name === 'listItem' ? itemsOf(slice, $from.node(-2).type) : slice
}

/** @param {Fragment} content */
function hasTable(content) {
  let found = false
  content.descendants((node) => {
    found ||= node.type.spec['tableRole'] !== undefined
    return !found
  })
  return found
}

/** The texts of a slice as lines. @param {Fragment} content @param {import('@tiptap/pm/model').Schema} schema */
function lineOf(content, schema) {
  /** @type {Node[]} */
  const nodes = []
  content.descendants((node) => {
    if (node.isInline) nodes.push(node)
    else if (node.isTextblock && node.content.size > 0) {
      if (nodes.length > 0) nodes.push(schema.node('hardBreak'))
      nodes.push(...node.children)
    }
    return !node.isTextblock
  })
  return new Slice(Fragment.from(nodes), 0, 0)
}

/**
 * Returns paragraphs and lists as items of one list, and other content as it is.
 * @param {Slice} slice
 * @param {import('@tiptap/pm/model').NodeType} list
 */
function itemsOf(slice, list) {
  const { content } = slice
  const { schema } = list
  const isOfTexts = content.content.every(({ type }) => type.name === 'paragraph' || type.isInGroup('list'))
  if (!isOfTexts || (content.childCount === 1 && slice.openStart > 0)) return slice
  const items = content.content.flatMap((node) =>
    node.type.name === 'paragraph' ? [schema.node('listItem', null, node)] : node.children,
  )
  return Slice.maxOpen(Fragment.from(list.create(null, items)))
}
