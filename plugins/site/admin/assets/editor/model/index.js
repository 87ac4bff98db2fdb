// The document model of the rich editor: content with block comments ↔ a ProseMirror document.
//
// Every block node has the attributes `attributes` (those of the block type), `form` and `origin`; to change a block, set
// `attributes` and keep the other two. Content that is not changed is written with the same bytes.
import { loadClassic } from './classic/part.js'
import { parseBlocks } from './grammar.js'
import { readBlock, readPieces } from './read.js'
import { atomNodes } from './schema/atoms.js'
import { clipboard } from './schema/clipboard.js'
import { containerNodes } from './schema/containers.js'
import { marks } from './schema/marks.js'
import { mediaNodes } from './schema/media.js'
import { tableNodes } from './schema/table.js'
import { textNodes } from './schema/text.js'
import { writeContent } from './write.js'

export { loadClassic } from './classic/part.js'
export { addCodec, codecOfNode } from './codecs.js'
export { addMark } from './inline.js'
export { blockAttributes, isCopiedHere } from './schema/attributes.js'
export { createMark, isScript } from './schema/marks.js'
export { footnotePlugin, insertFootnote, Notes, referencePosition, selectionOfNote, withNotes } from './footnotes.js'
export { insertableBlocks } from './insertable.js'
export { readDocument } from './read.js'
export { isTextual, transformBlock, typeOf, typesOf } from './transforms.js'

/** @typedef {import('@tiptap/pm/model').Node} Node */
/** @typedef {import('./insertable.js').InsertableBlock} InsertableBlock */

/**
 * @typedef {object} ModelOptions
 * @property {string} [mark] prefix of block comments; `wp` by default
 * @property {readonly { name: string, title?: string, attributes?: object }[]} [blockTypes] block types of the REST API
 */

/**
 * Returns the nodes and marks of the document, and their keyboard behavior.
 * @param {ModelOptions} [_options]
 * @returns {import('@tiptap/core').Extensions}
 */
export function createExtensions(_options = {}) {
  return [...textNodes, ...containerNodes, ...mediaNodes, ...tableNodes, ...atomNodes, ...marks, clipboard]
}

/**
 * Loads what a content needs to be read: classic content is read by a part that is loaded on first use.
 * @param {string} source
 * @param {ModelOptions} [options]
 */
export async function prepareContent(source, { mark = 'wp' } = {}) {
  const isClassic = (/** @type {unknown} */ part) => typeof part === 'string' && part.trim() !== ''
  if (parseBlocks(source, mark).some(isClassic)) await loadClassic()
}

/**
 * Returns the content of a document. Blocks that are unchanged since readDocument keep their bytes.
 * @param {Node} doc
 * @param {ModelOptions} [options]
 */
export function writeDocument(doc, { mark = 'wp' } = {}) {
  return writeContent(doc, {
    mark,
    readAgain: (source, schema, isClassic) =>
      isClassic ? (readPieces(source, schema, mark)[0] ?? null) : readBlock(source, schema, mark),
  })
}
