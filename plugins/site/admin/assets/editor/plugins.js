// Modules of plugins: blocks, marks and panels.
import { addCodec, addMark, createMark } from './model/index.js'

/**
 * A group of settings next to the text.
 * @typedef {object} EditorPanel
 * @property {string} name
 * @property {string} title
 * @property {(block: import('./block-list.js').FoundBlock | null, rich: import('./editor.js').RichEditor) => HTMLElement | null} show
 *   returns the content for the block of the selection, or null
 */

/**
 * A mark for a part of a text: an element whose only attribute is its class.
 * @typedef {object} EditorMark
 * @property {string} name of the mark in the document: `plant`
 * @property {string} tag
 * @property {string} className
 * @property {string} [shortcut] that sets and removes it: `Mod-Alt-p`
 */

/**
 * What `register(editor)` of a module returns.
 * @typedef {object} EditorParts
 * @property {import('@tiptap/core').Extensions} [extensions] nodes, marks and other extensions of Tiptap
 * @property {import('./model/index.js').InsertableBlock[]} [blocks] for the menu of blocks
 * @property {import('./model/codecs.js').Codec[]} [codecs] how the markup of the added blocks is read and written
 * @property {EditorMark[]} [marks]
 * @property {EditorPanel[]} [panels]
 */

/**
 * Imports the modules. A module that fails is reported in the console and left out.
 * @param {import('./editor.js').RichEditor} rich
 */
export async function loadPlugins(rich) {
  /** @type {import('@tiptap/core').Extensions} */
  const extensions = []
  for (const name of rich.data.modules) {
    try {
      /** @type {{ register: (rich: import('./editor.js').RichEditor) => EditorParts }} */
      const module = await import(name)
      const parts = module.register(rich)
      extensions.push(...(parts.extensions ?? []))
      for (const codec of parts.codecs ?? []) addCodec(codec)
      for (const mark of parts.marks ?? []) extensions.push(markOf(mark))
      rich.blocks.push(...(parts.blocks ?? []))
      rich.panels.push(...(parts.panels ?? []))
    } catch (error) {
      console.error(`The module ${name} of the editor failed.`, error)
    }
  }
  return { extensions }
}

/** @param {EditorMark} mark */
function markOf({ name, tag, className, shortcut }) {
  addMark(name, tag, className)
  const options = { attributes: { class: className }, ...(shortcut === undefined ? {} : { shortcut }) }
  return createMark(name, [tag], options).extend({ parseHTML: () => [{ tag: `${tag}.${className}`, priority: 60 }] })
}
