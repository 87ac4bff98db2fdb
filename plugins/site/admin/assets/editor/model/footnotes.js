// Footnotes: the numbers of their references, the order of their notes, and the block that shows the notes. The texts of the
// notes are in the meta `footnotes` of the post, a JSON list of `{ content, id }`.
import { Fragment } from '@tiptap/pm/model'
import { Plugin, TextSelection } from '@tiptap/pm/state'
import { parseHtml } from './html.js'
import { readInline, writeInline } from './inline.js'

/** @typedef {import('@tiptap/pm/model').Node} Node */
/** @typedef {import('@tiptap/pm/model').Schema} Schema */
/** @typedef {import('@tiptap/pm/state').EditorState} EditorState */
/** @typedef {import('@tiptap/pm/state').Transaction} Transaction */
/** @typedef {{ content: string, id: string }} Note */

/** The notes of a post by the ID of their reference; a removed note stays, because an undo restores its reference. */
export class Notes {
  /** @type {Map<string, string>} */
  #contents = new Map()
  #source

  /** @param {string} source the meta of the post */
  constructor(source = '') {
    this.#source = source
    for (const { id, content } of notesIn(source)) this.#contents.set(id, content)
  }

  /** @param {string} id */
  contentOf(id) {
    return this.#contents.get(id) ?? ''
  }

  /** Keeps the notes that a document shows. @param {Node} doc */
  remember(doc) {
    for (const note of shownNotes(doc)) this.#contents.set(String(note.attrs['id']), noteHtml(note))
  }

  /**
   * Returns the meta for a document: the notes in the order of their references. The former meta if nothing changed.
   * @param {Node} doc
   */
  write(doc) {
    this.remember(doc)
    const notes = footnoteIds(doc).map((id) => ({ content: this.contentOf(id), id }))
    const before = notesIn(this.#source).map(({ id, content }) => ({ content, id }))
    if (JSON.stringify(notes) !== JSON.stringify(before)) this.#source = JSON.stringify(notes)
    return this.#source
  }
}

/** @param {string} source @returns {Note[]} */
function notesIn(source) {
  try {
    const list = /** @type {unknown} */ (JSON.parse(source))
    return Array.isArray(list)
      ? list.filter((note) => typeof note?.id === 'string' && typeof note.content === 'string')
      : []
  } catch {
    return []
  }
}

/** References in the source of blocks that are edited as a whole. */
const IN_SOURCE = /<sup\b[^<>]*\sdata-fn="([^"]{1,200})"/g

/** Returns the IDs of the footnotes in the order of their first reference. @param {Node} doc @returns {string[]} */
export function footnoteIds(doc) {
  /** @type {Set<string>} */
  const ids = new Set()
  doc.descendants((node) => {
    if (node.type.name === 'footnote') ids.add(String(node.attrs['id']))
    if (node.type.name === 'unknownBlock')
      for (const [, id = ''] of String(node.attrs['source']).matchAll(IN_SOURCE)) ids.add(id)
  })
  return [...ids]
}

/** Returns the block with the notes, and its position. @param {Node} doc */
function findBlock(doc) {
  /** @type {{ node: Node, pos: number } | null} */
  let found = null
  doc.descendants((node, pos) => {
    if (found === null && node.type.name === 'footnotes') found = { node, pos }
    return found === null && !node.isTextblock
  })
  return /** @type {{ node: Node, pos: number } | null} */ (found)
}

/** @param {Node} doc @returns {readonly Node[]} */
function shownNotes(doc) {
  return findBlock(doc)?.node.children ?? []
}

/** Returns a note as HTML: as it was read if it is unchanged. @param {Node} note */
function noteHtml(note) {
  const { id, html } = note.attrs
  return createNote(note.type.schema, String(id), String(html)).eq(note) ? String(html) : writeInline(note)
}

/** @param {Schema} schema @param {string} id @param {string} html @returns {Node} */
function createNote(schema, id, html) {
  const parts = parseHtml([html])
  const content = parts === null ? null : readInline(parts, schema)
  const nodes = content?.nodes ?? [schema.node('inlineHtml', { html })]
  return schema.node('footnoteText', { id, html }, nodes)
}

/**
 * Shows the notes in the block for them.
 * @param {Node} doc
 * @param {Notes} notes
 * @returns {Node}
 */
export function withNotes(doc, notes) {
  const { schema } = doc.type
  const texts = footnoteIds(doc).map((id) => createNote(schema, id, notes.contentOf(id)))
  let isDone = false
  /** @param {Node} node @returns {Node} */
  const fill = (node) => {
    if (node.type.name === 'footnotes' && !isDone) {
      isDone = true
      return node.copy(Fragment.fromArray(texts))
    }
    if (node.isTextblock || isDone) return node
    const children = node.children.map(fill)
    return children.every((child, index) => child === node.child(index))
      ? node
      : node.copy(Fragment.fromArray(children))
  }
  return fill(doc)
}

/**
 * Keeps numbers and notes in order after each change: a removed reference removes its note, and the first reference adds the
 * block with the notes.
 * @param {() => Notes} notesOf
 */
export function footnotePlugin(notesOf) {
  return new Plugin({
    appendTransaction(transactions, before, after) {
      if (!transactions.some(({ docChanged }) => docChanged)) return null
      if (transactions.some((tr) => tr.getMeta('load') === true)) return null
      return arrangeFootnotes(before.doc, after, notesOf())
    },
  })
}

/**
 * Returns the change of numbers and notes that follows from a change of the document; null if there is none.
 * @param {Node} before @param {EditorState} state @param {Notes} notes
 * @returns {Transaction | null}
 */
export function arrangeFootnotes(before, state, notes) {
  const { doc, schema, tr } = state
  const ids = footnoteIds(doc)
  const oldIds = footnoteIds(before)
  if (ids.length === 0 && oldIds.length === 0) return null
  notes.remember(before)
  renumber(tr, ids)
  const old = new Set(shownNotes(before).map(({ attrs }) => attrs['id']))
  const block = findBlock(doc)
  /** @type {Map<string, Node>} */
  const shown = new Map()
  for (const note of block?.node.children ?? [])
    if (!shown.has(note.attrs['id'])) shown.set(String(note.attrs['id']), note)
  const texts = ids.map((id) => {
    // A note that was emptied together with its neighbor stays empty.
    const isEmptied = block !== null && old.has(id) && oldIds.includes(id)
    return shown.get(id) ?? createNote(schema, id, isEmptied ? '' : notes.contentOf(id))
  })
  if (block !== null) {
    const isSame =
      texts.length === block.node.childCount && texts.every((text, index) => text === block.node.child(index))
    if (!isSame) tr.replaceWith(block.pos + 1, block.pos + block.node.nodeSize - 1, texts)
  } else if (ids.some((id) => !oldIds.includes(id))) {
    tr.insert(doc.content.size, schema.node('footnotes', null, texts))
  }
  return tr.docChanged ? tr : null
}

/** @param {Transaction} tr @param {readonly string[]} ids */
function renumber(tr, ids) {
  const numbers = new Map(ids.map((id, index) => [id, index + 1]))
  tr.doc.descendants((node, pos) => {
    const { attrs } = node
    if (node.type.name === 'footnote') {
      const number = numbers.get(String(attrs['id'])) ?? 1
      if (number === attrs['number']) return
      const html = String(attrs['html']).replace(/>\s*\d+\s*</, `>${number}<`)
      tr.setNodeMarkup(pos, undefined, { ...attrs, number, html }, node.marks)
    } else if (node.type.name === 'unknownBlock') {
      const source = String(attrs['source']).replace(
        /(<sup\b[^<>]*\sdata-fn="([^"]{1,200})"[^<>]*>(?:<a\b[^<>]*>)?)\d{1,4}(?=<)/g,
        (_whole, start, id) => `${start}${numbers.get(id) ?? 1}`,
      )
      if (source !== attrs['source']) tr.setNodeMarkup(pos, undefined, { ...attrs, source })
    }
  })
}

/**
 * Inserts a footnote after the selection; null where there is no text, or in a note.
 * @param {EditorState} state
 */
export function insertFootnote({ selection, schema, tr }) {
  const { $to } = selection
  const type = schema.nodes['footnote']
  const isText = $to.parent.inlineContent && $to.parent.type.name !== 'footnoteText'
  if (type === undefined || !isText || $to.parent.type.contentMatch.matchType(type) === null) return null
  const id = newId()
  return { tr: tr.insert($to.pos, type.create({ id, number: 0 })), id }
}

/** Returns the selection of the text of a note, or null. @param {Node} doc @param {string} id */
export function selectionOfNote(doc, id) {
  const block = findBlock(doc)
  let pos = (block?.pos ?? 0) + 1
  for (const note of block?.node.children ?? []) {
    if (note.attrs['id'] === id) return TextSelection.create(doc, pos + 1, pos + note.nodeSize - 1)
    pos += note.nodeSize
  }
  return null
}

/** Returns the position after the reference of a note; -1 if there is none. @param {Node} doc @param {string} id */
export function referencePosition(doc, id) {
  let found = -1
  doc.descendants((node, pos) => {
    if (found < 0 && node.type.name === 'footnote' && node.attrs['id'] === id) found = pos + 1
  })
  return found
}

/** Returns a UUID; pages without HTTPS have no randomUUID(). */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
