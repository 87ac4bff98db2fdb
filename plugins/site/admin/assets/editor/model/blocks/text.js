// Blocks that consist of one text.
import { joined, onlyElement } from './parts.js'

/** @typedef {import('../codecs.js').Codec} Codec */

/** @type {Codec} */
const paragraph = {
  block: 'core/paragraph',
  nodes: ['paragraph'],
  textAlign: 'align',
  classes: ({ dropCap }, role) => (role === 'main' && dropCap === true ? ['has-drop-cap'] : []),
  read(reader) {
    const element = onlyElement(reader.parts, 'p')
    const content = element === null ? null : reader.text(element.children)
    return element === null || content === null ? null : { tags: { main: element.open }, content }
  },
  write: (writer) => `${writer.tag('main', '<p>')}${writer.text()}</p>`,
}

/** @type {Codec} */
const heading = {
  block: 'core/heading',
  nodes: ['heading'],
  textAlign: 'textAlign',
  defaults: { level: 2 },
  read(reader) {
    const element = onlyElement(reader.parts, 'h1', 'h2', 'h3', 'h4', 'h5', 'h6')
    const content = element === null ? null : reader.text(element.children)
    if (element === null || content === null) return null
    return { attributes: { level: Number(element.tag.slice(1)) }, tags: { main: element.open }, content }
  },
  write(writer) {
    const tag = `h${Number(writer.attributes['level'] ?? 2)}`
    return `${writer.tag('main', `<${tag} class="wp-block-heading">`)}${writer.text()}</${tag}>`
  },
}

/**
 * Text in a `<pre>`, which keeps its spaces.
 * @param {string} block
 * @param {string} node
 * @returns {Codec}
 */
function preCodec(block, node) {
  return {
    block,
    nodes: [node],
    textAlign: 'textAlign',
    read(reader) {
      const element = onlyElement(reader.parts, 'pre')
      const content = element === null ? null : reader.text(element.children, true)
      return element === null || content === null ? null : { tags: { main: element.open }, content }
    },
    write: (writer) =>
      `${writer.tag('main', `<pre class="wp-block-${block.slice('core/'.length)}">`)}${writer.text()}</pre>`,
  }
}

/** @type {Codec} */
const code = {
  block: 'core/code',
  nodes: ['codeBlock'],
  read(reader) {
    const pre = onlyElement(reader.parts, 'pre')
    const element = pre === null ? null : onlyElement(pre.children, 'code')
    const content = element === null ? null : reader.text(element.children, true)
    if (pre === null || element === null || content === null) return null
    return { tags: { main: pre.open, code: element.open }, content }
  },
  write(writer) {
    const text = withoutShortcodes(writer.text())
    return `${writer.tag('main', '<pre class="wp-block-code">')}${writer.tag('code', '<code>')}${text}</code></pre>`
  },
}

/**
 * Escapes shortcodes in code, and URLs on a line alone, which would become embeds.
 * @param {string} html
 */
function withoutShortcodes(html) {
  return html
    .split(/(<[^>]*>)/)
    .map((part, index) => (index % 2 === 0 ? part.replaceAll('[', '&#91;') : part))
    .join('')
    .replace(/^(\s*https?:)\/\/([^\s<>"]+\s*)$/gm, '$1&#47;&#47;$2')
}

/**
 * A block whose content is edited as its source.
 * @param {string} block
 * @param {string} node
 * @returns {Codec}
 */
function sourceCodec(block, node) {
  return {
    block,
    nodes: [node],
    isVerbatim: true,
    read(reader) {
      const { inner } = reader.block
      if (inner.some((part) => typeof part !== 'string')) return null
      const text = joined(inner).replace(/^\r?\n|\r?\n$/g, '')
      return { content: text === '' ? [] : [reader.schema.text(text)] }
    },
    write: (writer) => writer.node.textContent,
  }
}

/** @type {readonly Codec[]} */
export const textCodecs = [
  paragraph,
  heading,
  code,
  preCodec('core/preformatted', 'preformatted'),
  preCodec('core/verse', 'verse'),
  sourceCodec('core/html', 'html'),
  sourceCodec('core/shortcode', 'shortcode'),
]
