// Tables: a figure with the grid and a caption.
import { Node } from '@tiptap/core'
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

/** The roles by which prosemirror-tables finds the nodes of a table. @type {Readonly<Record<string, string>>} */
const ROLES = { table: 'table', tableRow: 'row', tableCell: 'cell', tableHeader: 'header_cell' }

const table = Node.create({
  name: 'table',
  group: 'grid',
  content: 'tableRow+',
  isolating: true,
  parseHTML: () => [{ tag: 'table' }],
  renderHTML: () => ['table', {}, ['tbody', 0]],
  extendNodeSchema: ({ name }) => (ROLES[name] === undefined ? {} : { tableRole: ROLES[name] }),
})

const tableRow = Node.create({
  name: 'tableRow',
  content: '(tableCell | tableHeader)*',
  addAttributes: () => ({
    attributes: nodeAttribute('attributes', {}),
    section: {
      default: 'body',
      rendered: false,
      parseHTML: (element) => ({ THEAD: 'head', TFOOT: 'foot' })[element.parentElement?.tagName ?? ''] ?? 'body',
    },
  }),
  parseHTML: () => [{ tag: 'tr' }],
  renderHTML: ({ node }) => ['tr', { class: `editor-${String(node.attrs['section'])}-row` }, 0],
})

/** @param {string} name */
const spanAttribute = (name) => ({
  default: 1,
  parseHTML: (/** @type {HTMLElement} */ element) =>
    Math.max(1, Number.parseInt(element.getAttribute(name) ?? '1') || 1),
})

/** @param {string} name @param {string} tag */
function cellNode(name, tag) {
  return Node.create({
    name,
    content: 'inline*',
    isolating: true,
    addAttributes: () => ({
      colspan: spanAttribute('colspan'),
      rowspan: spanAttribute('rowspan'),
      // Column widths, which prosemirror-tables expects.
      colwidth: { default: null, rendered: false },
      attributes: nodeAttribute('attributes', {}),
    }),
    parseHTML: () => [{ tag }],
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

export const tableNodes = [tableBlock, table, tableRow, cellNode('tableCell', 'td'), cellNode('tableHeader', 'th')]
