// Media. The text of a figure is its caption.
import { Node } from '@tiptap/core'
import { blockAttributes, dataOf, nodeAttribute, shownAttributes } from './attributes.js'

/** @param {HTMLElement} element @returns {null | false} */
function isCopied(element) {
  return dataOf(element) === null ? false : null
}

/** @param {HTMLElement} element */
function captionOf(element) {
  return element.querySelector('figcaption') ?? document.createElement('figcaption')
}

const image = Node.create({
  name: 'image',
  group: 'block classicPart',
  content: 'inline*',
  draggable: true,
  isolating: true,
  addAttributes: () => ({
    ...blockAttributes(),
    attributes: {
      ...nodeAttribute('attributes', {}),
      /** @param {HTMLElement} element */
      parseHTML: (element) => dataOf(element)?.['attributes'] ?? pastedImage(element),
    },
  }),
  parseHTML: () => [
    {
      tag: 'figure',
      getAttrs: (element) =>
        element.querySelector('img[src]') === null || element.querySelector('table, figure') ? false : null,
      contentElement: captionOf,
    },
    { tag: 'img[src]' },
  ],
  renderHTML: ({ node }) => {
    const { url, alt } = node.attrs['attributes']
    return [
      'figure',
      shownAttributes(node, '<figure class="wp-block-image">'),
      ['img', { ...shownAttributes(node, '<img/>', 'img'), src: String(url ?? ''), alt: String(alt ?? '') }],
      ['figcaption', {}, 0],
    ]
  },
})

/** @param {HTMLElement} element */
function pastedImage(element) {
  const img = element.matches('img') ? element : element.querySelector('img')
  const url = img?.getAttribute('src') ?? ''
  const href = img?.closest('a')?.getAttribute('href') ?? ''
  return {
    url: /^(?:https?:|blob:|data:image\/|\/)/i.test(url) ? url : '',
    alt: img?.getAttribute('alt') ?? '',
    ...(/^(?:https?:|\/)/i.test(href) && { href, linkDestination: 'custom' }),
  }
}

const gallery = Node.create({
  name: 'gallery',
  group: 'block',
  content: 'image* caption?',
  isolating: true,
  addAttributes: blockAttributes,
  parseHTML: () => [{ tag: 'figure.wp-block-gallery', priority: 60, getAttrs: isCopied }],
  renderHTML: ({ node }) => [
    'figure',
    shownAttributes(node, '<figure class="wp-block-gallery has-nested-images columns-default is-cropped">'),
    0,
  ],
})

/**
 * A figure whose medium is shown by its URL; the editor can replace it by a node view.
 * @param {string} name
 * @param {string} source attribute with the URL
 */
function figureNode(name, source) {
  return Node.create({
    name,
    group: 'block',
    content: 'inline*',
    draggable: true,
    isolating: true,
    addAttributes: blockAttributes,
    parseHTML: () => [{ tag: `figure.wp-block-${name}`, priority: 60, getAttrs: isCopied, contentElement: captionOf }],
    renderHTML: ({ node }) => [
      'figure',
      shownAttributes(node, `<figure class="wp-block-${name}">`),
      ['div', { class: 'editor-medium' }, String(node.attrs['attributes'][source] ?? '')],
      ['figcaption', {}, 0],
    ],
  })
}

const file = Node.create({
  name: 'file',
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes: blockAttributes,
  parseHTML: () => [{ tag: 'div.wp-block-file', getAttrs: isCopied }],
  renderHTML: ({ node }) => [
    'div',
    shownAttributes(node, '<div class="wp-block-file">'),
    String(node.attrs['attributes'].fileName ?? node.attrs['attributes'].href ?? ''),
  ],
})

export const mediaNodes = [
  image,
  gallery,
  figureNode('embed', 'url'),
  figureNode('audio', 'src'),
  figureNode('video', 'src'),
  file,
]
