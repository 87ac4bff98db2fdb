// Converts classic content, which has no block comments, to blocks.
import { DOMParser } from '@tiptap/pm/model'
import { parseDocument } from './clean-html.js'

/** Elements that start a block. */
const BLOCK =
  /^<\/?(?:address|article|aside|blockquote|details|div|dl|figure|footer|form|h[1-6]|header|hr|ol|p|pre|section|table|ul)\b/i

/**
 * @param {string} html
 * @param {import('@tiptap/pm/model').Schema} schema
 */
export function classicBlocks(html, schema) {
  // Classic content marks paragraphs with empty lines.
  const paragraphs = html
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => (BLOCK.test(part) ? part : `<p>${part.replaceAll('\n', '<br>')}</p>`))
  return DOMParser.fromSchema(schema).parse(parseDocument(paragraphs.join('\n')).body).content
}
