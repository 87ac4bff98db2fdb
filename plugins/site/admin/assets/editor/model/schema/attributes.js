// The attributes that all block nodes share.
import { codecOfNode } from '../codecs.js'
import { startTag } from '../html.js'
import { BlockWriter } from '../write.js'

/** @typedef {import('@tiptap/pm/model').Node} Node */

/** Attribute of elements on the clipboard with the attributes of the node as JSON. */
export const NODE_DATA = 'data-editor-node'

/**
 * - `attributes`: the attributes of the block type, without texts that are content of the node
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

/** Name of the item of the local storage with the key of the last copy. */
const COPY_KEY = 'svc-editor-copy'
let copyKey = ''

/**
 * Creates the key of a copy, which begins the data of its nodes. Only pages of this site know it, so that the HTML of
 * other sites cannot bring hidden markup.
 */
export function startCopy() {
  // Pages without HTTPS have no randomUUID().
  copyKey = crypto.getRandomValues(new Uint32Array(4)).join('-')
  try {
    localStorage.setItem(COPY_KEY, copyKey)
  } catch {
    // Without a storage, only this page knows the key.
  }
}

/** Returns the key of the last copy; '' if there was none. */
function lastKey() {
  try {
    return localStorage.getItem(COPY_KEY) ?? copyKey
  } catch {
    return copyKey
  }
}

/** Whether HTML was copied in an editor of this site. @param {string} html */
export function isCopiedHere(html) {
  const key = lastKey()
  return key !== '' && html.includes(`${NODE_DATA}="${key} `)
}

/**
 * Returns the attributes of a copied node or mark for its element on the clipboard.
 * @param {Record<string, unknown>} attributes
 */
export function copiedData(attributes) {
  return `${copyKey} ${JSON.stringify(attributes)}`
}

/**
 * Returns the attributes of the node or mark that an element was copied from in an editor of this site, or null.
 * @param {HTMLElement} element
 * @returns {Record<string, unknown> | null}
 */
export function dataOf(element) {
  const data = element.getAttribute(NODE_DATA)
  if (data === null) return null
  const key = lastKey()
  return key !== '' && data.startsWith(`${key} `) ? JSON.parse(data.slice(key.length + 1)) : null
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
