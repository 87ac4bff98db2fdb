// Copies nodes with all their attributes.
import { Extension } from '@tiptap/core'
import { DOMSerializer } from '@tiptap/pm/model'
import { Plugin } from '@tiptap/pm/state'
import { copiedData, NODE_DATA, startCopy } from './attributes.js'

/** @typedef {import('@tiptap/pm/model').DOMOutputSpec} DOMOutputSpec */

export const clipboard = Extension.create({
  name: 'modelClipboard',
  addProseMirrorPlugins() {
    const { nodes, marks } = DOMSerializer.fromSchema(this.editor.schema)
    const serializer = new DOMSerializer(
      Object.fromEntries(
        Object.entries(nodes).map(([name, render]) => [name, (node) => withData(render(node), node.attrs)]),
      ),
      Object.fromEntries(
        Object.entries(marks).map(([name, render]) => [
          name,
          (mark, isInline) => withData(render(mark, isInline), mark.attrs),
        ]),
      ),
    )
    const handleDOMEvents = { copy: startCopy, cut: startCopy }
    return [new Plugin({ props: { clipboardSerializer: serializer, handleDOMEvents } })]
  },
})

/** @param {DOMOutputSpec} spec @param {Record<string, unknown>} attributes @returns {DOMOutputSpec} */
function withData(spec, attributes) {
  if (!Array.isArray(spec) || Object.keys(attributes).length === 0) return spec
  const [tag, shown, ...rest] = /** @type {[string, ...unknown[]]} */ (spec)
  const data = { [NODE_DATA]: copiedData(attributes) }
  const hasAttributes = typeof shown === 'object' && shown !== null && !Array.isArray(shown)
  return hasAttributes
    ? [tag, { ...shown, ...data }, ...rest]
    : [tag, data, ...(shown === undefined ? rest : [shown, ...rest])]
}
