// Hints in the document: the text of an empty paragraph, and the frame of the current block.
import { Extension } from '@tiptap/core'
import { Plugin } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'

/** @param {import('./editor.js').RichEditor} rich */
export function hintPlugin(rich) {
  return Extension.create({
    name: 'hints',
    addProseMirrorPlugins: () => [
      new Plugin({
        props: {
          decorations({ doc, selection }) {
            const { $from } = selection
            const node = $from.parent
            const isEmptyDoc = doc.childCount === 1 && doc.firstChild?.content.size === 0 && doc.firstChild.isTextblock
            if (isEmptyDoc) return hint(doc, 0, doc.content.size, rich.words('writeHint'))
            if (!selection.empty || !node.isTextblock || node.content.size > 0) return null
            if (node.type.name !== 'paragraph') return null
            return hint(doc, $from.before(), $from.after(), rich.words('slashHint'))
          },
        },
      }),
    ],
  })
}

/** @param {import('@tiptap/pm/model').Node} doc @param {number} from @param {number} to @param {string} text */
function hint(doc, from, to, text) {
  return DecorationSet.create(doc, [Decoration.node(from, to, { class: 'editor-hint', 'data-hint': text })])
}
