// Tables: a figure with the grid and a caption.
import { Node } from '@tiptap/core'
import { Table, TableCell, TableHeader, TableRow } from '@tiptap/extension-table'
import { blockAttributes, dataOf, nodeAttribute, shownAttributes } from './attributes.js'

const tableBlock = Node.create({
  name: 'tableBlock',
  group: 'block classicPart',
  content: 'table caption?',
  isolating: true,
  addAttributes: blockAttributes,
  parseHTML: () => [
    { tag: 'figure.wp-block-table', priority: 60, getAttrs: (element) => (dataOf(element) === null ? false : null) },
    { tag: 'figure', getAttrs: (element) => (element.querySelector(':scope > table') === null ? false : null) },
  ],
  renderHTML: ({ node }) => ['figure', shownAttributes(node, '<figure class="wp-block-table">'), 0],
})

const table = Table.extend({
  group: 'grid',
  renderHTML: () => ['table', {}, ['tbody', 0]],
}).configure({ resizable: false, renderWrapper: false })

const tableRow = TableRow.extend({
  content: '(tableCell | tableHeader)+',
  addAttributes: () => ({
    attributes: nodeAttribute('attributes', {}),
    section: {
      default: 'body',
      rendered: false,
      parseHTML: (/** @type {HTMLElement} */ element) =>
        ({ THEAD: 'head', TFOOT: 'foot' })[element.parentElement?.tagName ?? ''] ?? 'body',
    },
  }),
  renderHTML: ({ node }) => ['tr', { class: `editor-${String(node.attrs['section'])}-row` }, 0],
})

/** @param {typeof TableCell} cell @param {string} tag */
function cellNode(cell, tag) {
  return cell.extend({
    content: 'inline*',
    addAttributes() {
      return { ...this.parent?.(), attributes: nodeAttribute('attributes', {}) }
    },
    renderHTML: ({ node }) => {
      const { colspan, rowspan, attributes } = node.attrs
      return [
        tag,
        {
          ...(colspan > 1 ? { colspan: String(colspan) } : {}),
          ...(rowspan > 1 ? { rowspan: String(rowspan) } : {}),
          ...(attributes.class ? { class: attributes.class } : {}),
        },
        0,
      ]
    },
  })
}

export const tableNodes = [tableBlock, table, tableRow, cellNode(TableCell, 'td'), cellNode(TableHeader, 'th')]
