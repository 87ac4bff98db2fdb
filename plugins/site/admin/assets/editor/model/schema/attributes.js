// The attributes that all block nodes share.
import { startTag } from '../html.js'
import { BlockWriter } from '../write.js'
import { codecOfNode } from '../codecs.js'

/** @typedef {import('@tiptap/pm/model').Node} Node */

/** Attribute of elements on the clipboard with the attributes of the node as JSON. */
export const NODE_DATA = 'data-editor-node'

/**
 * - `attributes`: those of the block type, as in `wp.blocks`, without texts that are content of the node
 * - `form`: how the block was written, see BlockForm
 * - `origin`: where it comes from, see Origin
 */
export function blockAttributes() {
  return {
    attributes: nodeAttribute('attributes', {}),
    form: nodeAttribute('form', null),
    origin: nodeAttribute('origin', null),
  }
}

/**
 * Returns an attribute that is not in the HTML of the editor, but on the clipboard.
 * @param {string} name @param {unknown} initial
 */
export function nodeAttribute(name, initial) {
  return {
    default: initial,
    rendered: false,
    keepOnSplit: false,
    /** @param {HTMLElement} element @returns {unknown} */
    parseHTML: (element) => dataOf(element)?.[name] ?? initial,
  }
}

/**
 * @param {HTMLElement} element
 * @returns {Record<string, unknown> | null}
 */
function dataOf(element) {
  try {
    return JSON.parse(element.getAttribute(NODE_DATA) ?? 'null')
  } catch {
    return null
  }
}

/**
 * Returns class and style of the main element of a block, for the editor.
 * @param {Node} node
 * @param {string} initial start tag in a new block
 * @param {string} [role]
 * @returns {Record<string, string>}
 */
export function shownAttributes(node, initial, role = 'main') {
  const codec = codecOfNode(node.type.name)
  const tag = codec === undefined ? initial : new BlockWriter(node, codec, { mark: '' }).tag(role, initial)
  const { class: className, style } = startTag(tag)?.attributes ?? {}
  return { ...(className ? { class: className } : {}), ...(style ? { style } : {}) }
}
