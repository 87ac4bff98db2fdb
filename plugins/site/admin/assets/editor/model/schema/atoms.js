// Blocks that are edited as a whole.
import { InputRule, Node } from '@tiptap/core'
import { referencePosition } from '../footnotes.js'
import { blockAttributes, dataOf, nodeAttribute, shownAttributes } from './attributes.js'

/**
 * @param {string} name
 * @param {string} start start tag in the editor
 * @param {string} [label]
 * @param {string} [group]
 */
function atomNode(name, start, label, group = 'block') {
  const tag = /^<(\w+)/.exec(start)?.[1] ?? 'div'
  const className = `editor-${name}`
  return Node.create({
    name,
    group,
    atom: true,
    draggable: true,
    addAttributes: blockAttributes,
    parseHTML: () => [
      { tag: `${tag}.${className}`, priority: 60, getAttrs: (element) => (dataOf(element) === null ? false : null) },
    ],
    renderHTML: ({ node }) => {
      const shown = shownAttributes(node, start)
      const attributes = { ...shown, class: `${shown['class'] ?? ''} ${className}`.trim() }
      return label === undefined ? [tag, attributes] : [tag, attributes, label]
    },
  })
}

const separator = atomNode('separator', '<hr class="wp-block-separator has-alpha-channel-opacity"/>').extend({
  group: 'block classicPart',
  parseHTML: () => [{ tag: 'hr' }],
  addInputRules() {
    return [
      new InputRule({
        find: /^(?:---|—-|\*\*\*)\s?$/,
        handler: ({ state: { tr }, range }) => {
          const $start = tr.doc.resolve(range.from)
          const index = $start.index(-1)
          if ($start.depth === 0 || !$start.node(-1).canReplaceWith(index, index, this.type)) return null
          tr.delete(range.from, range.to).insert($start.before(), this.type.create())
        },
      }),
    ]
  },
})

/** A block of an unknown type, or one with markup that the editor cannot write. Its attributes can change if it is sound. */
const unknownBlock = Node.create({
  name: 'unknownBlock',
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes: () => ({
    name: nodeAttribute('name', ''),
    attributes: nodeAttribute('attributes', {}),
    source: nodeAttribute('source', ''),
    isSound: nodeAttribute('isSound', true),
    origin: nodeAttribute('origin', null),
  }),
  parseHTML: () => [
    { tag: 'div.editor-unknown-block', getAttrs: (element) => (dataOf(element) === null ? false : null) },
  ],
  renderHTML: ({ node }) => {
    const name = String(node.attrs['name'])
    return ['div', { 'data-block': name, class: 'editor-unknown-block' }, name]
  },
})

/** Content without block comments. Only the document can contain it. */
const classic = Node.create({
  name: 'classic',
  content: 'classicPart+',
  draggable: true,
  defining: true,
  addAttributes: () => ({ origin: nodeAttribute('origin', null) }),
  parseHTML: () => [{ tag: 'div.editor-classic', getAttrs: (element) => (dataOf(element) === null ? false : null) }],
  renderHTML: () => ['div', { class: 'editor-classic' }, 0],
})

/** The notes of the post, whose texts are in its meta. */
const footnotes = Node.create({
  name: 'footnotes',
  group: 'block',
  content: 'footnoteText*',
  isolating: true,
  draggable: true,
  addAttributes: blockAttributes,
  parseHTML: () => [
    { tag: 'ol.editor-footnotes', priority: 60, getAttrs: (element) => (dataOf(element) === null ? false : null) },
  ],
  renderHTML: () => ['ol', { class: 'editor-footnotes' }, 0],
})

/** The text of a note; `html` is the text as it was read. */
const footnoteText = Node.create({
  name: 'footnoteText',
  content: 'inline*',
  isolating: true,
  defining: true,
  addAttributes: () => ({ id: nodeAttribute('id', ''), html: nodeAttribute('html', '') }),
  parseHTML: () => [
    { tag: 'li.editor-note', priority: 60, getAttrs: (element) => (dataOf(element) === null ? false : null) },
  ],
  renderHTML: () => ['li', { class: 'editor-note' }, 0],
  addKeyboardShortcuts() {
    return {
      // Back to the reference.
      Enter: () => {
        const { $from } = this.editor.state.selection
        if ($from.parent.type !== this.type) return false
        const position = referencePosition(this.editor.state.doc, String($from.parent.attrs['id']))
        return position < 0 || this.editor.commands.setTextSelection(position)
      },
    }
  },
})

export const atomNodes = [
  separator,
  atomNode('spacer', '<div style="height:100px" aria-hidden="true" class="wp-block-spacer">'),
  atomNode('more', '<div>', '<!--more-->', 'block classicPart'),
  atomNode('pageBreak', '<div>', '<!--nextpage-->', 'block classicPart'),
  footnotes,
  footnoteText,
  atomNode('pattern', '<div>', 'core/block'),
  unknownBlock,
  classic,
]
