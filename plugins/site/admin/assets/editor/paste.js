// Paste and drop: word processors, Markdown, block markup, addresses and files.
import { Extension } from '@tiptap/core'
import { Fragment, Slice } from '@tiptap/pm/model'
import { Plugin } from '@tiptap/pm/state'
import { load } from '../load.js'
import { insertBlocks } from './block-list.js'
import { blockMarkupOf, cleanHtml, containsOnlyImages, parseDocument } from './clean-html.js'
import { embedOf } from './embeds.js'
import { fitSlice } from './fit-slice.js'
import { isCopiedHere, prepareContent, readDocument } from './model/index.js'

/** @typedef {import('./editor.js').RichEditor} RichEditor */

/** Lines and words that only Markdown has. */
const MARKDOWN = /^(?:#{1,6} |[-*+] |\d{1,3}[.)] |> |```|~~~|\|.*\|$)|\*\*[^*\n]+\*\*|\[[^\]\n]+\]\([^)\s]+\)/m

/** @param {RichEditor} rich */
export function pasteRules(rich) {
  return Extension.create({
    name: 'pastedContent',
    addProseMirrorPlugins: () => [
      new Plugin({
        props: {
          transformPastedHTML: cleanHtml,
          clipboardTextParser: (text, position) => plainSlice(text, position.doc.type.schema),
          handlePaste(view, event, slice) {
            const data = event.clipboardData
            if (data === null || rich.isReadOnly()) return false
            const { parent } = view.state.selection.$from
            if (parent.type.spec.code === true) return false
            const html = data.getData('text/html')
            const text = data.getData('text/plain')
            const files = [...data.files]
            // Word adds a picture of the text to the clipboard; browsers add the address of a copied picture.
            if (files.length > 0 && text.trim() === '' && (html === '' || containsOnlyImages(parseDocument(html).body)))
              return rich.addFiles(files)
            if (isAddress(text.trim())) return pasteAddress(rich, text.trim())
            if (parent.type.whitespace === 'pre')
              return rich.apply(view.state.tr.insertText(text.replace(/\r\n?/g, '\n')).scrollIntoView())
            const isOwn = isCopiedHere(html)
            const { mark } = rich.data
            const markup = isOwn ? null : (blockMarkupOf(html, mark) ?? blockMarkupOf(text, mark))
            if (markup !== null) {
              void load(() => pasteBlocks(rich, markup))
              return true
            }
            // Editors of code copy the colors of the source of Markdown.
            const isText = html === '' || data.types.includes('vscode-editor-data')
            if (!isText || !MARKDOWN.test(text)) return pasteSlice(rich, slice)
            void pasteMarkdown(rich, text)
            return true
          },
          handleDrop(view, event) {
            const files = [...(event.dataTransfer?.files ?? [])]
            // An image of the document that is dragged has a file, too.
            if (files.length === 0 || view.dragging !== null || rich.isReadOnly()) return false
            event.preventDefault()
            const pos = view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos
            return rich.addFiles(files, pos)
          },
        },
      }),
    ],
  })
}

/** @param {string} text */
const isAddress = (text) => /^https?:\/\/[^\s<>"]+$/i.test(text) && URL.canParse(text)

/**
 * The address of a known provider in an empty paragraph becomes an embed, any other a link.
 * @param {RichEditor} rich
 * @param {string} url
 */
function pasteAddress(rich, url) {
  const { view, schema } = { view: rich.view, schema: rich.tiptap.schema }
  const { state } = view
  const { selection } = state
  const link = schema.marks['link']
  const { parent } = selection.$from
  if (link === undefined || parent.type.spec.code === true || !parent.inlineContent) return false
  const mark = link.create({ attributes: { href: url } })
  if (!selection.empty) return rich.apply(state.tr.addMark(selection.from, selection.to, mark))
  const embed = parent.type.name === 'paragraph' && parent.content.size === 0 ? embedOf(url, rich.data.mark) : null
  if (embed !== null && schema.nodes['embed'] !== undefined)
    return rich.apply(insertBlocks(state, [schema.nodeFromJSON(embed)]))
  return rich.apply(
    state.tr
      .replaceSelectionWith(schema.text(url, [mark]), false)
      .removeStoredMark(link)
      .scrollIntoView(),
  )
}

/** @param {RichEditor} rich @param {string} source */
async function pasteBlocks(rich, source) {
  await prepareContent(source, rich.options)
  const doc = readDocument(source, rich.tiptap.schema, rich.options)
  const { state } = rich.view
  const { parent, depth } = state.selection.$from
  const slice = new Slice(doc.content, 0, 0)
  const isWhole = depth === 1 && parent.type.name === 'paragraph' && parent.content.size === 0
  return isWhole ? rich.apply(insertBlocks(state, [...doc.children])) : pasteSlice(rich, slice)
}

/**
 * Pastes a slice as a step of the history. Cells of tables are left to the tables.
 * @param {RichEditor} rich
 * @param {Slice} slice
 */
function pasteSlice(rich, slice) {
  const { state } = rich.view
  const fitted = fitSlice(slice, state)
  if (fitted === null) return false
  const { openStart, openEnd, content } = fitted
  const only = openStart === 0 && openEnd === 0 && content.childCount === 1 ? content.firstChild : null
  const tr = only === null ? state.tr.replaceSelection(fitted) : state.tr.replaceSelectionWith(only, false)
  return rich.apply(tr.scrollIntoView().setMeta('paste', true).setMeta('uiEvent', 'paste'))
}

/** @param {RichEditor} rich @param {string} text */
async function pasteMarkdown(rich, text) {
  const { schema } = rich.tiptap
  try {
    const source = await blocksOfMarkdown(rich.form, text)
    await prepareContent(source, rich.options)
    const doc = readDocument(source, schema, rich.options)
    const isLine = doc.childCount === 1 && doc.firstChild?.type.name === 'paragraph'
    pasteSlice(rich, isLine ? new Slice(doc.content, 1, 1) : new Slice(doc.content, 0, 0))
  } catch {
    // The server is unreachable: the text is not lost.
    pasteSlice(rich, plainSlice(text, schema))
  }
}

/**
 * Returns paragraphs for text with blank lines.
 * @param {string} text
 * @param {import('@tiptap/pm/model').Schema} schema
 */
function plainSlice(text, schema) {
  const paragraphs = text.trim().split(/(?:[^\S\n]*\n){2,}/)
  const nodes = paragraphs.map((paragraph) => {
    const lines = paragraph.split(/\r?\n/).map((line) => (line === '' ? [] : [schema.text(line)]))
    return schema.node(
      'paragraph',
      null,
      lines.flatMap((line, index) => [...(index > 0 ? [schema.node('hardBreak')] : []), ...line]),
    )
  })
  return new Slice(Fragment.from(nodes), 1, 1)
}

/**
 * Converts Markdown to block markup on the server.
 * @param {HTMLFormElement} form
 * @param {string} text
 * @returns {Promise<string>}
 */
export async function blocksOfMarkdown(form, text) {
  const data = new FormData(form)
  data.set('do', 'as-blocks')
  data.set('mode', 'markdown')
  data.set('content', text)
  const response = await fetch(form.action, { method: 'POST', body: data, redirect: 'manual' })
  if (!response.ok) throw new Error(String(response.status))
  return (await response.json()).content
}
