// What several codecs share.
/** @typedef {import('../html.js').HtmlPart} HtmlPart */
/** @typedef {import('../html.js').ElementPart} ElementPart */
/** @typedef {import('../read.js').BlockReader} BlockReader */
/** @typedef {import('../write.js').BlockWriter} BlockWriter */
/** @typedef {import('@tiptap/pm/model').Node} Node */

/**
 * Returns the element if it is the only part.
 * @param {readonly HtmlPart[]} parts
 * @param {...string} tags
 * @returns {ElementPart | null}
 */
export function onlyElement(parts, ...tags) {
  const elements = withoutSpaces(parts)
  const [element] = elements
  return elements.length === 1 && isElement(element, ...tags) ? element : null
}

/**
 * @param {HtmlPart | undefined} part
 * @param {...string} tags
 * @returns {part is ElementPart}
 */
export function isElement(part, ...tags) {
  return part?.type === 'element' && tags.includes(part.tag)
}

/** @param {readonly HtmlPart[]} parts */
export function withoutSpaces(parts) {
  return parts.filter((part) => part.type !== 'text' || part.raw.trim() !== '')
}

/**
 * The parts of a figure: everything but the caption, and the text of the caption.
 * @typedef {object} Figure
 * @property {HtmlPart[]} parts
 * @property {Node[]} caption
 * @property {Record<string, string>} tags
 */

/**
 * @param {BlockReader} reader
 * @param {ElementPart} figure
 * @returns {Figure | null}
 */
export function readFigure(reader, figure) {
  const parts = withoutSpaces(figure.children)
  const last = parts[parts.length - 1]
  if (!isElement(last, 'figcaption')) return { parts, caption: [], tags: { main: figure.open } }
  const caption = reader.text(last.children)
  if (caption === null) return null
  return { parts: parts.slice(0, -1), caption, tags: { main: figure.open, caption: last.open } }
}

/**
 * Returns the caption of a figure, or '' if it is empty.
 * @param {BlockWriter} writer
 * @param {Node} [node] the text block; by default the block itself
 */
export function writeCaption(writer, node) {
  const text = writer.text(node)
  return text === '' ? '' : `${writer.tag('caption', '<figcaption class="wp-element-caption">')}${text}</figcaption>`
}

/**
 * Returns the source of HTML and inner blocks.
 * @param {readonly (string | import('../grammar.js').BlockSource)[]} parts
 */
export function joined(parts) {
  return parts.map((part) => (typeof part === 'string' ? part : part.source)).join('')
}
