// Text blocks and the inline nodes in them.
import { mergeAttributes, Node, textblockTypeInputRule } from '@tiptap/core'
import { blockAttributes, nodeAttribute, shownAttributes } from './attributes.js'

const LEVELS = [1, 2, 3, 4, 5, 6]

const doc = Node.create({ name: 'doc', topNode: true, content: 'block+' })
const text = Node.create({ name: 'text', group: 'inline' })

const paragraph = Node.create({
  name: 'paragraph',
  priority: 1000,
  group: 'block',
  content: 'inline*',
  addAttributes: blockAttributes,
  parseHTML: () => [{ tag: 'p' }],
  renderHTML: ({ node }) => ['p', shownAttributes(node, '<p>'), 0],
})

const heading = Node.create({
  name: 'heading',
  group: 'block',
  content: 'inline*',
  defining: true,
  addAttributes: () => ({
    ...blockAttributes(),
    attributes: {
      ...nodeAttribute('attributes', { level: 2 }),
      /** @param {HTMLElement} element */
      parseHTML: (element) =>
        nodeAttribute('attributes', null).parseHTML(element) ?? { level: Number(element.tagName.slice(1)) },
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
        getAttributes: { attributes: { level } },
      }),
    )
  },
})

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
    return { 'Shift-Enter': insert, 'Mod-Enter': insert }
  },
})

/** HTML in a line that the editor shows as its source. */
const inlineHtml = Node.create({
  name: 'inlineHtml',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({
    html: { default: '', parseHTML: (element) => element.getAttribute('data-html') ?? '', rendered: false },
  }),
  parseHTML: () => [{ tag: 'span[data-html]' }],
  renderHTML: ({ node }) => {
    const html = String(node.attrs['html'])
    return ['span', { class: 'editor-inline-html', 'data-html': html, title: html }, html]
  },
})

const inlineImage = Node.create({
  name: 'inlineImage',
  group: 'inline',
  inline: true,
  atom: true,
  draggable: true,
  addAttributes: () => ({ attributes: nodeAttribute('attributes', {}), html: nodeAttribute('html', '') }),
  parseHTML: () => [{ tag: 'img[data-editor-node]' }],
  renderHTML: ({ node }) => {
    const { src, alt, class: className, style } = node.attrs['attributes']
    return ['img', mergeAttributes({ src: src ?? '', alt: alt ?? '', class: className ?? '', style: style ?? '' })]
  },
})

/** The number of a footnote; its text is in the meta `footnotes`. */
const footnote = Node.create({
  name: 'footnote',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({
    id: { default: '', rendered: false, parseHTML: (element) => element.getAttribute('data-fn') ?? '' },
    number: { default: 1, rendered: false, parseHTML: (element) => Number(/\d+/.exec(element.textContent)?.[0] ?? 1) },
    html: nodeAttribute('html', ''),
  }),
  parseHTML: () => [{ tag: 'sup[data-fn]', priority: 60 }],
  renderHTML: ({ node }) => ['sup', { class: 'fn', 'data-fn': String(node.attrs['id']) }, String(node.attrs['number'])],
})

export const textNodes = [doc, text, paragraph, heading, hardBreak, inlineHtml, inlineImage, footnote]
