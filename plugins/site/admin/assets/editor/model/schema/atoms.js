// Blocks that are edited as a whole.
import { Node } from '@tiptap/core'
import { nodeAttribute } from './attributes.js'

/** A block of an unknown type, or one with markup that the editor cannot write. Its attributes can be changed if it is sound. */
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
  parseHTML: () => [{ tag: 'div[data-block]' }],
  renderHTML: ({ node }) => {
    const name = String(node.attrs['name'])
    return ['div', { 'data-block': name, class: 'editor-unknown-block' }, name]
  },
})

/** Content without block comments. */
const classic = Node.create({
  name: 'classic',
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes: () => ({ html: nodeAttribute('html', ''), origin: nodeAttribute('origin', null) }),
  parseHTML: () => [{ tag: 'div[data-classic]' }],
  renderHTML: ({ node }) => [
    'div',
    { 'data-classic': '', class: 'editor-classic' },
    ['pre', {}, String(node.attrs['html'])],
  ],
})

export const atomNodes = [unknownBlock, classic]
