// Commands for rows and columns of the table of the selection.
import {
  addColumnAfter,
  addRowAfter,
  CellSelection,
  deleteColumn,
  deleteRow,
  mergeCells,
  splitCell,
} from '@tiptap/pm/tables'
import { TextSelection } from '@tiptap/pm/state'
import { element, labeled, textButton } from './parts.js'

/** @typedef {import('./editor.js').RichEditor} RichEditor */

/** @param {RichEditor} rich */
export function tableTools(rich) {
  const { words } = rich
  const { view } = rich
  const run = (/** @type {typeof addRowAfter} */ command) => () => {
    command(view.state, view.dispatch)
    view.focus()
  }
  const header = element('input', { type: 'checkbox', checked: hasHeader(rich) })
  header.addEventListener('change', () => toggleHeader(rich, header.checked))
  return element(
    'div',
    {},
    labeled(words('headerRow'), header),
    element(
      'p',
      { class: 'actions' },
      textButton(words('addRow'), run(addRowAfter)),
      textButton(words('addColumn'), run(addColumnAfter)),
      textButton(words('deleteRow'), run(deleteRow)),
      textButton(words('deleteColumn'), run(deleteColumn)),
      textButton(words('mergeCells'), run(mergeLines)),
      textButton(words('splitCell'), run(splitCell)),
    ),
  )
}

/**
 * Merges the selected cells, whose texts become lines.
 * @param {import('@tiptap/pm/state').EditorState} state
 * @param {(tr: import('@tiptap/pm/state').Transaction) => void} [dispatch]
 */
function mergeLines(state, dispatch) {
  const { selection, schema, tr } = state
  if (!(selection instanceof CellSelection) || dispatch === undefined) return mergeCells(state, dispatch)
  let hasText = false
  selection.forEachCell((cell, pos) => {
    if (cell.content.size === 0) return
    if (hasText) tr.insert(tr.mapping.map(pos) + 1, schema.node('hardBreak'))
    hasText = true
  })
  return mergeCells(state.apply(tr), (merged) => {
    for (const step of merged.steps) tr.step(step)
    const cell = tr.doc.resolve(tr.mapping.map(selection.$anchorCell.pos))
    dispatch(tr.setSelection(cell.nodeAfter === null ? tr.selection : new CellSelection(cell)).scrollIntoView())
  })
}

/** @param {RichEditor} rich @returns {{ node: import('@tiptap/pm/model').Node, pos: number } | null} the table of the selection */
function tableOf({ view }) {
  const { $from } = view.state.selection
  for (let depth = $from.depth; depth > 0; depth -= 1)
    if ($from.node(depth).type.name === 'table') return { node: $from.node(depth), pos: $from.before(depth) }
  const selected = view.state.doc.nodeAt(view.state.selection.from)
  return selected?.firstChild?.type.name === 'table'
    ? { node: selected.firstChild, pos: view.state.selection.from + 1 }
    : null
}

/** @param {RichEditor} rich */
function hasHeader(rich) {
  return tableOf(rich)?.node.firstChild?.attrs['section'] === 'head'
}

/** Makes the first row the head of the table, or a row of its body. @param {RichEditor} rich @param {boolean} isHead */
function toggleHeader(rich, isHead) {
  const table = tableOf(rich)
  const row = table?.node.firstChild
  const { schema } = rich.tiptap
  const type = schema.nodes[isHead ? 'tableHeader' : 'tableCell']
  if (table === null || !row || type === undefined) return
  const cells = row.children.map((cell) => type.create(cell.attrs, cell.content))
  const changed = row.type.create({ ...row.attrs, section: isHead ? 'head' : 'body' }, cells)
  const { tr } = rich.view.state
  tr.replaceWith(table.pos + 1, table.pos + 1 + row.nodeSize, changed)
  rich.apply(tr.setSelection(TextSelection.near(tr.doc.resolve(table.pos + 2))))
}
