// Text blocks and the inline nodes in them.
import { Node, textblockTypeInputRule } from '@tiptap/core'
import { blockAttributes, dataOf, nodeAttribute, shownAttributes } from './attributes.js'

const LEVELS = [1, 2, 3, 4, 5, 6]

const doc = Node.create({ name: 'doc', topNode: true, content: '(block | classic)+' })
const text = Node.create({ name: 'text', group: 'inline' })

const paragraph = Node.create({
  name: 'paragraph',
  priority: 1000,
  group: 'block classicPart',
  content: 'inline*',
  addAttributes: blockAttributes,
  parseHTML: () => [{ tag: 'p' }],
  renderHTML: ({ node }) => ['p', shownAttributes(node, '<p>'), 0],
})

const heading = Node.create({
  name: 'heading',
  group: 'block classicPart',
  content: 'inline*',
  defining: true,
  addAttributes: () => ({
    ...blockAttributes(),
    attributes: {
      ...nodeAttribute('attributes', { level: 2 }),
      /** @param {HTMLElement} element */
      parseHTML: (element) => dataOf(element)?.['attributes'] ?? { level: Number(element.tagName.slice(1)) },
    },
  }),
  parseHTML: () => LEVELS.map((level) => ({ tag: `h${level}` })),
  renderHTML({ node }) {
    const tag = `h${Number(node.attrs['attributes'].level ?? 2)}`
    return [tag, shownAttributes(node, `<${tag} class="wp-block-heading">`), 0]
  },
  addInputRules() {
    return LEVELS.map((level) =>
      textblockTypeInputRule({
        find: new RegExp(`^(#{${level}})\\s$`),
        type: this.type,
        getAttributes: { attributes: { level }, form: null },
      }),
    )
  },
})

/**
 * Text that keeps its spaces.
 * @param {string} name
 * @param {string} className
 */
function preNode(name, className) {
  return Node.create({
    name,
    group: name === 'verse' ? 'block' : 'block classicPart',
    content: 'inline*',
    whitespace: 'pre',
    defining: true,
    addAttributes: blockAttributes,
    parseHTML: () => [{ tag: `pre.${className}`, preserveWhitespace: 'full', priority: 60 }],
    renderHTML: ({ node }) => ['pre', shownAttributes(node, `<pre class="${className}">`), 0],
    addKeyboardShortcuts() {
      return {
        // A line break; a second one at the end leaves the block.
        Enter: () => {
          const { $from, empty } = this.editor.state.selection
          if ($from.parent.type !== this.type) return false
          const isAtEnd = empty && $from.parentOffset === $from.parent.content.size
          if (!isAtEnd || !$from.parent.textContent.endsWith('\n')) return this.editor.commands.insertContent('\n')
          return this.editor
            .chain()
            .deleteRange({ from: $from.pos - 1, to: $from.pos })
            .insertContentAt($from.after() - 1, { type: 'paragraph' })
            .run()
        },
      }
    },
  })
}

/** @param {HTMLElement} element */
function pastedCode(element) {
  return /^language-\S+$/.test(element.className) ? { className: element.className } : {}
}

const codeBlock = preNode('codeBlock', 'wp-block-code').extend({
  code: true,
  addAttributes: () => ({
    ...blockAttributes(),
    attributes: {
      ...nodeAttribute('attributes', {}),
      /** @param {HTMLElement} element */
      parseHTML: (element) => dataOf(element)?.['attributes'] ?? pastedCode(element),
    },
  }),
  parseHTML: () => [
    {
      tag: 'pre',
      preserveWhitespace: 'full',
      contentElement: (/** @type {HTMLElement} */ pre) => pre.querySelector('code') ?? pre,
    },
  ],
  renderHTML: ({ node }) => ['pre', shownAttributes(node, '<pre class="wp-block-code">'), ['code', 0]],
  addInputRules() {
    const languageOf = (/** @type {string | undefined} */ name) =>
      name ? { attributes: { className: `language-${name}` } } : {}
    return [
      textblockTypeInputRule({
        find: /^```([\w+#-]{0,30})\s$/,
        type: this.type,
        getAttributes: ([, name]) => languageOf(name),
      }),
    ]
  },
})

/**
 * Text that is the source of a block.
 * @param {string} name
 */
function sourceNode(name) {
  return preNode(name, `editor-${name}`).extend({ content: 'text*', marks: '', code: true })
}

/**
 * A text that is a part of another block.
 * @param {string} name
 * @param {string} tag
 */
function partNode(name, tag) {
  return Node.create({
    name,
    content: 'inline*',
    defining: true,
    isolating: true,
    parseHTML: () => [{ tag }],
    renderHTML: () => [tag, {}, 0],
  })
}

const hardBreak = Node.create({
  name: 'hardBreak',
  group: 'inline',
  inline: true,
  selectable: false,
  linebreakReplacement: true,
  addAttributes: () => ({ html: { default: '<br>', rendered: false } }),
  parseHTML: () => [{ tag: 'br' }],
  renderHTML: () => ['br'],
  renderText: () => '\n',
  addKeyboardShortcuts() {
    const insert = () => this.editor.commands.insertContent({ type: this.name })
    return { 'Shift-Enter': insert }
  },
})

/** HTML in a line that the editor shows as its source. */
const inlineHtml = Node.create({
  name: 'inlineHtml',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({ html: nodeAttribute('html', '') }),
  parseHTML: () => [{ tag: 'span.editor-inline-html', priority: 60, getAttrs: isCopied }],
  renderHTML: ({ node }) => {
    const html = String(node.attrs['html'])
    return ['span', { class: 'editor-inline-html', title: html }, html]
  },
})

const inlineImage = Node.create({
  name: 'inlineImage',
  group: 'inline',
  inline: true,
  atom: true,
  draggable: true,
  addAttributes: () => ({ attributes: nodeAttribute('attributes', {}), html: nodeAttribute('html', '') }),
  parseHTML: () => [{ tag: 'img.editor-inline-image', priority: 60, getAttrs: isCopied }],
  renderHTML: ({ node }) => {
    const { src, alt, style } = node.attrs['attributes']
    return ['img', { src: src ?? '', alt: alt ?? '', class: 'editor-inline-image', ...(style ? { style } : {}) }]
  },
})

/** The number of a footnote; its text is in the meta `footnotes`. */
const footnote = Node.create({
  name: 'footnote',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({
    id: nodeAttribute('id', ''),
    number: nodeAttribute('number', 1),
    html: nodeAttribute('html', ''),
  }),
  parseHTML: () => [{ tag: 'sup[data-fn]', priority: 60, getAttrs: isCopied }],
  renderHTML: ({ node }) => ['sup', { class: 'fn', 'data-fn': String(node.attrs['id']) }, String(node.attrs['number'])],
})

/** @param {HTMLElement} element @returns {null | false} */
function isCopied(element) {
  return dataOf(element) === null ? false : null
}

export const textNodes = [
  doc,
  text,
  paragraph,
  heading,
  preNode('preformatted', 'wp-block-preformatted'),
  preNode('verse', 'wp-block-verse'),
  codeBlock,
  sourceNode('html'),
  sourceNode('shortcode'),
  partNode('citation', 'cite').extend({
    // Before the mark of the same element.
    parseHTML: () => [{ tag: 'cite', context: 'quote/', priority: 60 }],
  }),
  partNode('summary', 'summary'),
  partNode('caption', 'figcaption'),
  hardBreak,
  inlineHtml,
  inlineImage,
  footnote,
]
