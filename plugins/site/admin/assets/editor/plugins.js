// Modules of plugins: blocks, marks and panels.

/**
 * A group of settings next to the text.
 * @typedef {object} EditorPanel
 * @property {string} name
 * @property {string} title
 * @property {(block: import('./block-list.js').FoundBlock | null, rich: import('./editor.js').RichEditor) => HTMLElement | null} show
 *   returns the content for the block of the selection, or null
 */

/**
 * What `register(editor)` of a module returns.
 * @typedef {object} EditorParts
 * @property {import('@tiptap/core').Extensions} [extensions] nodes, marks and other extensions of Tiptap
 * @property {import('./model/index.js').InsertableBlock[]} [blocks] for the menu of blocks
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
      rich.blocks.push(...(parts.blocks ?? []))
      rich.panels.push(...(parts.panels ?? []))
    } catch (error) {
      console.error(`The module ${name} of the editor failed.`, error)
    }
  }
  return { extensions }
}
