// Paste and drop: word processors, Markdown, block markup, addresses and files.
import { Extension } from '@tiptap/core'
import { Fragment, Slice } from '@tiptap/pm/model'
import { Plugin } from '@tiptap/pm/state'
import { insertBlocks } from './block-list.js'
import { cleanHtml } from './clean-html.js'
import { embedOf } from './embeds.js'
import { readDocument } from './model/index.js'

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
          handlePaste(view, event) {
            const data = event.clipboardData
            if (data === null || rich.isReadOnly()) return false
            const html = data.getData('text/html')
            const text = data.getData('text/plain').trim()
            const files = [...data.files]
            // Word adds a picture of the text to the clipboard.
            if (files.length > 0 && html === '' && text === '') return rich.media?.addFiles(files) ?? false
            if (isAddress(text)) return pasteAddress(rich, text)
            const { parent } = view.state.selection.$from
            if (parent.type.spec.code === true) return false
            if (text.includes(`<!-- ${rich.data.mark}:`)) return pasteBlocks(rich, text)
            if (html !== '' || !MARKDOWN.test(text)) return false
            void pasteMarkdown(rich, text)
            return true
          },
          handleDrop(view, event) {
            const files = [...(event.dataTransfer?.files ?? [])]
            if (files.length === 0 || rich.isReadOnly()) return false
            event.preventDefault()
            const pos = view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos
            return rich.media?.addFiles(files, pos) ?? false
          },
        },
      }),
    ],
  })
}

/** @param {string} text */
const isAddress = (text) => /^https?:\/\/[^\s<>"]+$/i.test(text)

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
function pasteBlocks(rich, source) {
  const doc = readDocument(source, rich.tiptap.schema, rich.options)
  const { state } = rich.view
  const { parent } = state.selection.$from
  if (parent.type.name === 'paragraph' && parent.content.size === 0)
    return rich.apply(insertBlocks(state, [...doc.children]))
  return rich.apply(state.tr.replaceSelection(new Slice(Fragment.from(doc.content), 0, 0)).scrollIntoView())
}

/** @param {RichEditor} rich @param {string} text */
async function pasteMarkdown(rich, text) {
  try {
    pasteBlocks(rich, await blocksOfMarkdown(rich.form, text))
  } catch {
    // The server is unreachable: the text is not lost.
    rich.apply(rich.view.state.tr.insertText(text))
  }
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
