// Blocks with inner blocks.
import { Node, wrappingInputRule } from '@tiptap/core'
import { blockAttributes, dataOf, nodeAttribute, shownAttributes } from './attributes.js'

/**
 * @param {string} name
 * @param {{ content: string, group?: string, tag: string, className: string, isPasted?: boolean, isolating?: boolean }} options
 */
function containerNode(name, { content, group = 'block', tag, className, isPasted = false, isolating = false }) {
  const start = `<${tag} class="${className}">`
  return Node.create({
    name,
    group,
    content,
    defining: true,
    isolating,
    addAttributes: blockAttributes,
    parseHTML: () => [
      isPasted
        ? { tag }
        : { tag: `${tag}.${className}`, getAttrs: (element) => (dataOf(element) === null ? false : null) },
    ],
    renderHTML: ({ node }) => [tag, shownAttributes(node, start), 0],
  })
}

const quote = containerNode('quote', {
  group: 'block classicPart',
  content: 'block+ citation?',
  tag: 'blockquote',
  className: 'wp-block-quote',
  isPasted: true,
}).extend({
  addInputRules() {
    return [wrappingInputRule({ find: /^\s*>\s$/, type: this.type })]
  },
})

/**
 * @param {string} name
 * @param {string} tag
 * @param {RegExp} rule what begins a list when it is typed
 */
function listNode(name, tag, rule) {
  return Node.create({
    name,
    group: 'block classicPart list',
    content: 'listItem+',
    addAttributes: () => ({
      ...blockAttributes(),
      attributes: {
        ...nodeAttribute('attributes', {}),
        /** @param {HTMLElement} element */
        parseHTML: (element) => dataOf(element)?.['attributes'] ?? pastedList(element),
      },
    }),
    parseHTML: () => [{ tag }],
    renderHTML: ({ node }) => {
      const { start } = node.attrs['attributes']
      const shown = shownAttributes(node, `<${tag} class="wp-block-list">`)
      return [tag, typeof start === 'number' ? { ...shown, start: String(start) } : shown, 0]
    },
    addInputRules() {
      return [
        wrappingInputRule({
          find: rule,
          type: this.type,
          getAttributes: (match) => {
            const start = Number(match[1] ?? 1)
            return start > 1 ? { attributes: { start } } : {}
          },
        }),
      ]
    },
  })
}

/** @param {HTMLElement} element */
function pastedList(element) {
  const start = Number(element.getAttribute('start') ?? 1)
  return {
    ...(Number.isInteger(start) && start !== 1 && { start }),
    ...(element.hasAttribute('reversed') && { reversed: true }),
  }
}

const listItem = Node.create({
  name: 'listItem',
  content: 'paragraph (bulletList | orderedList | unknownBlock)*',
  defining: true,
  addAttributes: blockAttributes,
  parseHTML: () => [{ tag: 'li' }],
  renderHTML: ({ node }) => ['li', shownAttributes(node, '<li>'), 0],
  addKeyboardShortcuts() {
    const { editor, name } = this
    return {
      Enter: () => editor.commands.splitListItem(name),
      Tab: () => editor.commands.sinkListItem(name),
      'Shift-Tab': () => editor.commands.liftListItem(name),
      Backspace: () => {
        const { $from, empty } = editor.state.selection
        const isAtStart = empty && $from.parentOffset === 0 && $from.index(-1) === 0
        return isAtStart && $from.node(-1)?.type.name === name && editor.commands.liftListItem(name)
      },
    }
  },
})

const button = Node.create({
  name: 'button',
  group: 'block',
  content: 'inline*',
  isolating: true,
  addAttributes: blockAttributes,
  parseHTML: () => [{ tag: 'div.wp-block-button', getAttrs: (element) => (dataOf(element) === null ? false : null) }],
  renderHTML: ({ node }) => [
    'div',
    shownAttributes(node, '<div class="wp-block-button">'),
    ['span', shownAttributes(node, '<a class="wp-block-button__link wp-element-button">', 'link'), 0],
  ],
})

const details = containerNode('details', {
  content: 'summary block+',
  tag: 'details',
  className: 'wp-block-details',
  isPasted: true,
}).extend({
  // Open, so that its content can be edited.
  renderHTML: ({ node }) => [
    'details',
    { ...shownAttributes(node, '<details class="wp-block-details">'), open: '' },
    0,
  ],
})

export const containerNodes = [
  quote,
  listNode('bulletList', 'ul', /^\s*[-+*]\s$/),
  listNode('orderedList', 'ol', /^\s*(\d{1,9})\.\s$/),
  listItem,
  containerNode('group', { content: 'block+', tag: 'div', className: 'wp-block-group' }),
  containerNode('columns', { content: 'column+', tag: 'div', className: 'wp-block-columns', isolating: true }),
  containerNode('column', { content: 'block+', group: '', tag: 'div', className: 'wp-block-column', isolating: true }),
  containerNode('buttons', { content: 'button+', tag: 'div', className: 'wp-block-buttons' }),
  button,
  details,
]
