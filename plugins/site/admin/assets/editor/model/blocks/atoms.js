// Blocks without text.
import { decode } from '../html.js'
import { presetValue } from '../supports.js'
import { plain } from '../values.js'
import { onlyElement } from './parts.js'

/** @typedef {import('../codecs.js').Codec} Codec */

/** @type {Codec} */
const separator = {
  block: 'core/separator',
  nodes: ['separator'],
  defaults: { opacity: 'alpha-channel', tagName: 'hr' },
  read(reader) {
    const element = onlyElement(reader.parts, 'hr')
    return element === null ? null : { tags: { main: element.open } }
  },
  write: (writer) => writer.tag('main', '<hr class="wp-block-separator has-alpha-channel-opacity"/>'),
}

/** @type {Codec} */
const spacer = {
  block: 'core/spacer',
  nodes: ['spacer'],
  defaults: { height: '100px' },
  style: ({ height }, role) => (role === 'main' ? { height: heightOf(height) } : {}),
  read(reader) {
    const element = onlyElement(reader.parts, 'div')
    return element === null || element.children.length > 0 ? null : { tags: { main: element.open } }
  },
  write: (writer) =>
    `${writer.tag('main', '<div style="height:100px" aria-hidden="true" class="wp-block-spacer">')}</div>`,
}

/** @param {unknown} height */
function heightOf(height) {
  return typeof height === 'number' ? `${height}px` : presetValue(plain(height) || '100px')
}

/** @type {Codec} */
const more = {
  block: 'core/more',
  nodes: ['more'],
  defaults: { noTeaser: false },
  read(reader) {
    const [more, noTeaser, ...others] = reader.parts
    if (more?.type !== 'comment' || others.length > 0) return null
    const text = /^<!--more(?:\s([^]*?))?-->$/.exec(more.raw)
    const isOfBlock = decode(text?.[1]?.trim() ?? '') === plain(reader.block.attributes['customText'])
    const hasTeaser = noTeaser === undefined
    if (text === null || !isOfBlock || hasTeaser === (reader.block.attributes['noTeaser'] === true)) return null
    return hasTeaser || (noTeaser.type === 'comment' && noTeaser.raw === '<!--noteaser-->') ? {} : null
  },
  write({ attributes: { customText, noTeaser } }) {
    const text = plain(customText).replaceAll('--', '')
    return `<!--more${text === '' ? '' : ` ${text}`}-->${noTeaser === true ? '\n<!--noteaser-->' : ''}`
  },
}

/** @type {Codec} */
const pageBreak = {
  block: 'core/nextpage',
  nodes: ['pageBreak'],
  read({ parts: [part, ...others] }) {
    return part?.type === 'comment' && part.raw === '<!--nextpage-->' && others.length === 0 ? {} : null
  },
  write: () => '<!--nextpage-->',
}

/**
 * A block that the server renders.
 * @param {string} block
 * @param {string} node
 * @returns {Codec}
 */
function dynamicCodec(block, node) {
  return { block, nodes: [node], isVoid: true, read: () => ({}), write: () => '' }
}

/** @type {readonly Codec[]} */
export const atomCodecs = [
  separator,
  spacer,
  more,
  pageBreak,
  dynamicCodec('core/footnotes', 'footnotes'),
  dynamicCodec('core/block', 'pattern'),
]
