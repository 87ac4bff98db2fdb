// Editing of tables: the selection of cells, and the keys Tab, Backspace and Delete. Loaded for the first table.
import { keymap } from '@tiptap/pm/keymap'
import { addRowAfter, CellSelection, goToNextCell, tableEditing } from '@tiptap/pm/tables'
import { removeBlock } from './block-list.js'

/** @typedef {import('@tiptap/pm/state').Command} Command */

/** Goes to the next cell, and adds a row below the last one. @type {Command} */
const goOn = (state, dispatch, view) => {
  if (goToNextCell(1)(state, dispatch)) return true
  if (!addRowAfter(state, dispatch)) return false
  return view === undefined || goToNextCell(1)(view.state, dispatch)
}

/** Removes a table whose cells are all selected. @type {Command} */
const removeTable = (state, dispatch) => {
  const { selection } = state
  if (!(selection instanceof CellSelection) || !selection.isRowSelection() || !selection.isColSelection()) return false
  const tr = removeBlock(state)
  if (tr !== null) dispatch?.(tr)
  return tr !== null
}

/** @param {import('@tiptap/core').Editor} editor */
export function addTables(editor) {
  const keys = { Backspace: removeTable, 'Mod-Backspace': removeTable, Delete: removeTable, 'Mod-Delete': removeTable }
  // Before the keys of text.
  editor.registerPlugin(keymap({ Tab: goOn, 'Shift-Tab': goToNextCell(-1), ...keys }), (added, plugins) => [
    added,
    ...plugins,
  ])
  editor.registerPlugin(tableEditing())
}
