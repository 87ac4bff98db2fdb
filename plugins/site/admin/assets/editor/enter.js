// The key Enter at the end of blocks that contain others.
import { TextSelection } from '@tiptap/pm/state'

/** @typedef {import('@tiptap/pm/state').EditorState} EditorState */
/** @typedef {import('@tiptap/pm/state').Transaction} Transaction */

/** Texts at the end of a block. */
const CAPTIONS = new Set(['citation', 'caption'])
/** Blocks that an empty paragraph at the end leaves. */
const LEFT = new Set(['quote', 'details', 'group'])

/**
 * Continues below the block: after a caption, or in place of an empty paragraph at the end of a quote or group.
 * @param {EditorState} state
 * @returns {Transaction | null}
 */
export function leaveBlock(state) {
  const { $from, empty } = state.selection
  const paragraph = state.schema.nodes['paragraph']
  const { parent, depth } = $from
  if (!empty || depth < 2 || paragraph === undefined) return null
  const container = $from.node(depth - 1)
  const { tr } = state
  if (CAPTIONS.has(parent.type.name)) {
    // The caption of a table is next to the table; both are in its block.
    const after = $from.after(depth - 1)
    tr.insert(after, paragraph.create())
    return tr.setSelection(TextSelection.create(tr.doc, after + 1)).scrollIntoView()
  }
  const index = $from.index(depth - 1)
  const isLast = index === container.childCount - 1 || CAPTIONS.has(container.child(index + 1).type.name)
  const isEmpty = parent.type === paragraph && parent.content.size === 0
  if (!isEmpty || !isLast || index === 0 || !LEFT.has(container.type.name)) return null
  const after = $from.after(depth - 1)
  tr.insert(after, paragraph.create())
  tr.delete($from.before(), $from.after())
  return tr.setSelection(TextSelection.near(tr.doc.resolve(tr.mapping.map(after) + 1))).scrollIntoView()
}
