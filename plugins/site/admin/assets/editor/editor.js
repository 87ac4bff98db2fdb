// The rich editor: a document of blocks in place of the source of the content.
import { Editor, Extension } from '@tiptap/core'
import { dropCursor } from '@tiptap/pm/dropcursor'
import { gapCursor } from '@tiptap/pm/gapcursor'
import { closeHistory, history, redo, undo } from '@tiptap/pm/history'
import { EditorState, NodeSelection, Selection, TextSelection } from '@tiptap/pm/state'
import { load } from '../load.js'
import {
  blockAttributes,
  codecOfNode,
  createExtensions,
  footnotePlugin,
  insertableBlocks,
  insertFootnote,
  Notes,
  prepareContent,
  readDocument,
  selectionOfNote,
  withNotes,
  writeDocument,
} from './model/index.js'
import { appendParagraph, duplicateBlock, moveBlock, removeBlock } from './block-list.js'
import { BlockMenu, slashMenu } from './block-menu.js'
import { BlockPanel } from './block-panel.js'
import { colorStyles } from './colors.js'
import { leaveBlock } from './enter.js'
import { Gutter } from './gutter.js'
import { pasteRules } from './paste.js'
import { loadPlugins } from './plugins.js'
import { element } from './parts.js'
import { hintPlugin } from './hints.js'
import { Toolbar } from './toolbar.js'
import { addTools } from './tools.js'
import { previewExtension } from './unknown-block.js'

/** @typedef {import('@tiptap/pm/model').Node} Node */
/** @typedef {import('@tiptap/pm/state').Transaction} Transaction */

/**
 * Data of the page for the editor.
 * @typedef {object} EditorData
 * @property {string} mark prefix of block comments
 * @property {Record<string, string>} titles titles of blocks by name
 * @property {{ name: string, slug: string, color: string }[]} colors of the theme
 * @property {boolean} canUpload
 * @property {number} maxUploadBytes
 * @property {string[]} modules names of the modules of plugins
 * @property {string} route of the content type: `/svc/v2/posts`
 */

/** What parts of the editor, and modules of plugins, work with. */
export class RichEditor {
  /** @type {import('./model/index.js').InsertableBlock[]} */
  blocks = []
  /** @type {import('./plugins.js').EditorPanel[]} */
  panels = []
  /** @type {BlockMenu | undefined} */
  menu
  /** @type {Toolbar | undefined} */
  toolbar
  /** @type {BlockPanel | undefined} */
  panel
  /** @type {HTMLElement | undefined} */
  tools
  /** @type {Editor | undefined} */
  editor
  /** Loaded on first use. @type {import('./media.js').MediaInserter | null} */
  media = null
  #hasTables = false

  /**
   * @param {HTMLFormElement} form
   * @param {HTMLTextAreaElement} source
   * @param {{ words: (name: string, values?: Record<string, string | number>) => string, onChange: () => void,
   *   isReadOnly: () => boolean }} page
   */
  constructor(form, source, { words, onChange, isReadOnly }) {
    this.form = form
    this.source = source
    this.words = words
    this.onChange = onChange
    this.isReadOnly = isReadOnly
    /** @type {EditorData} */
    this.data = JSON.parse(form.dataset['editor'] ?? '{}')
    this.options = { mark: this.data.mark }
    this.blocks = insertableBlocks.map((block) => ({ ...block, title: this.titleOf(block) }))
    this.root = element('div', { class: 'editor' })
    this.canvas = element('div', { class: 'editor-canvas' })
    this.root.append(this.canvas)
    this.isDirty = false
    this.notes = new Notes()
  }

  /** The field with the footnotes; null if posts of the type have none. */
  get footnotes() {
    const field = this.form.elements.namedItem('footnotes')
    return field instanceof HTMLInputElement ? field : null
  }

  /** Opens the source of the form. */
  async open() {
    const { extensions } = await loadPlugins(this)
    colorStyles(this.data.colors)
    this.menu = new BlockMenu(this)
    this.editor = new Editor({
      element: this.canvas,
      injectCSS: false,
      // Not a text, which Tiptap would parse without a policy.
      content: { type: 'doc', content: [{ type: 'paragraph' }] },
      extensions: [
        ...createExtensions(this.options),
        ...extensions,
        keys(this),
        pasteRules(this),
        slashMenu(this),
        hintPlugin(this),
        previewExtension(this),
      ],
      editable: !this.isReadOnly(),
      editorProps: {
        attributes: {
          'aria-label': this.words('content'),
          'aria-multiline': 'true',
          role: 'textbox',
          spellcheck: 'true',
          class: 'entry-content',
        },
      },
      onTransaction: ({ transaction }) => {
        if (!transaction.docChanged || transaction.getMeta('load') === true) return
        this.isDirty = true
        this.onChange()
        this.#prepareTables()
      },
    })
    await this.load()
    // A click below the last block continues there.
    this.canvas.addEventListener('mousedown', (event) => {
      const last = this.view.dom.lastElementChild
      if (last === null || event.clientY < last.getBoundingClientRect().bottom || this.isReadOnly()) return
      event.preventDefault()
      this.apply(appendParagraph(this.view.state))
      this.view.focus()
    })
    this.toolbar = new Toolbar(this)
    this.gutter = new Gutter(this)
    this.panel = new BlockPanel(this)
    addTools(this)
  }

  /** Attributes that every node of a block has, for `addAttributes` of a plugin's node. */
  blockAttributes = blockAttributes

  /** The editor of Tiptap. @returns {Editor} */
  get tiptap() {
    if (this.editor === undefined) throw new Error('The editor is not open.')
    return this.editor
  }

  get view() {
    return this.tiptap.view
  }

  /** Reads the source of the form. The history of changes starts anew. */
  async load() {
    const { editor, source, options } = this
    if (editor === undefined) return
    await prepareContent(source.value, options)
    this.notes = new Notes(this.footnotes?.value ?? '')
    const doc = withNotes(readDocument(source.value, editor.schema, options), this.notes)
    const { plugins } = editor.state
    editor.view.updateState(EditorState.create({ doc, plugins }))
    editor.view.dispatch(editor.state.tr.setMeta('load', true))
    this.isDirty = false
    this.#prepareTables()
  }

  /** Loads the editing of tables once the document contains one. */
  #prepareTables() {
    if (this.#hasTables || !containsTable(this.view.state.doc)) return
    this.#hasTables = true
    void load(() => import('./tables.js')).then((part) => part?.addTables(this.tiptap))
  }

  async #loadMedia() {
    const part = await load(() => import('./media.js'))
    if (part !== null) this.media ??= new part.MediaInserter(this)
    return part === null ? null : this.media
  }

  /**
   * Uploads files and inserts a block for each.
   * @param {File[]} files
   * @param {number} [pos] position in the document; the selection by default
   */
  addFiles(files, pos) {
    void this.#loadMedia().then((media) => media?.addFiles(files, pos))
    return true
  }

  /**
   * Returns the nodes of a block of the menu, after the user has selected its file; an empty list if the user cancels.
   * @param {import('./model/index.js').InsertableBlock} block
   */
  async nodesOf(block) {
    if (!WITH_FILES.has(block.name)) return [block.create()]
    const media = await this.#loadMedia()
    return media === null ? [] : ((await media.create(block)) ?? [block.create()])
  }

  /** Writes the document to the source of the form. */
  flush() {
    if (!this.isDirty || this.editor === undefined || this.root.hidden) return
    const { doc } = this.editor.state
    this.source.value = writeDocument(doc, this.options)
    if (this.footnotes !== null) this.footnotes.value = this.notes.write(doc)
    this.isDirty = false
  }

  /** @param {boolean} isShown */
  show(isShown) {
    this.root.hidden = !isShown
    if (this.tools !== undefined) this.tools.hidden = !isShown
    this.panel?.show(isShown)
  }

  focusStart() {
    const { view } = this
    view.dispatch(view.state.tr.setSelection(Selection.atStart(view.state.doc)))
    view.focus()
  }

  /** Selects the block at a position. @param {number} pos */
  selectBlock(pos) {
    const { state } = this.view
    this.apply(state.tr.setSelection(NodeSelection.create(state.doc, pos)).scrollIntoView())
    this.view.focus()
  }

  /** Returns the name of the type of a block. @param {Node} node */
  nameOf(node) {
    if (node.type.name === 'unknownBlock') return String(node.attrs['name'])
    return BLOCK_NAMES[node.type.name] ?? codecOfNode(node.type.name)?.block ?? `core/${node.type.name}`
  }

  /** Returns the source of a block. @param {Node} node */
  sourceOf(node) {
    const { schema } = this.tiptap
    return writeDocument(schema.topNodeType.create(null, [node]), this.options)
  }

  /** Returns the label of a value. @param {string} setting @param {string | number} value */
  choiceText(setting, value) {
    const key = `${setting}-${value}`
    const text = this.words(key)
    return text === key ? String(value) : text
  }

  /** @param {{ name: string, title?: string }} block */
  titleOf({ name, title = '' }) {
    const level = /^Heading (\d)$/.exec(title)?.[1]
    if (level !== undefined) return `${this.data.titles['core/heading'] ?? 'Heading'} ${level}`
    if (title === 'Numbered list') return this.words('orderedList')
    return this.data.titles[name] ?? (title || name.replace(/^core\//, ''))
  }

  /** Applies a change of `block-list.js`. @param {Transaction | null} tr */
  apply(tr) {
    if (tr === null || this.isReadOnly()) return false
    // Each command is a step of its history.
    this.view.dispatch(closeHistory(tr))
    return true
  }

  /** Inserts a footnote after the selection, and moves to its note. */
  addFootnote() {
    const inserted = this.footnotes === null ? null : insertFootnote(this.view.state)
    if (inserted === null || !this.apply(inserted.tr)) return false
    const { doc, tr } = this.view.state
    const selection = selectionOfNote(doc, inserted.id)
    if (selection !== null) this.view.dispatch(tr.setSelection(selection).scrollIntoView())
    this.view.focus()
    return true
  }

  /** Changes a block of classic content to blocks. @param {number} pos */
  async convert(pos) {
    const part = await load(() => import('./model/classic/convert.js'))
    const node = this.view.state.doc.nodeAt(pos)
    if (part === null || node?.type.name !== 'classic') return
    this.apply(this.view.state.tr.replaceWith(pos, pos + node.nodeSize, part.convertClassic(node, this.options)))
  }
}

/** Block types that start with a file or an address. */
const WITH_FILES = new Set(['image', 'gallery', 'audio', 'video', 'file', 'embed'].map((name) => `core/${name}`))

/** @param {Node} doc */
function containsTable(doc) {
  let isFound = false
  doc.descendants((node) => {
    isFound ||= node.type.name === 'table'
    return !isFound && !node.isTextblock
  })
  return isFound
}

/** Names of block types whose nodes have other names. @type {Readonly<Record<string, string>>} */
const BLOCK_NAMES = {
  bulletList: 'core/list',
  orderedList: 'core/list',
  listItem: 'core/list-item',
  codeBlock: 'core/code',
  tableBlock: 'core/table',
  pageBreak: 'core/nextpage',
  pattern: 'core/block',
  classic: 'core/freeform',
}

/** Whether only the last position of the document follows. @param {Selection} selection @param {Node} doc */
function isAtEnd({ $to }, doc) {
  return doc.textBetween($to.pos, doc.content.size, '', '\ufffc') === '' && $to.parentOffset === $to.parent.content.size
}

/** Keyboard commands and the history of changes. @param {RichEditor} rich */
function keys(rich) {
  return Extension.create({
    name: 'blockKeys',
    // Before the keys of the blocks.
    priority: 200,
    addProseMirrorPlugins: () => [
      history({ depth: 200 }),
      dropCursor({ class: 'editor-drop', width: 3, color: false }),
      gapCursor(),
      footnotePlugin(() => rich.notes),
    ],
    addKeyboardShortcuts() {
      /** @param {(state: EditorState) => Transaction | null} command */
      const run = (command) => () => rich.apply(command(this.editor.state))
      const { view } = this.editor
      return {
        'Mod-z': () => undo(view.state, view.dispatch),
        'Mod-Shift-z': () => redo(view.state, view.dispatch),
        'Mod-y': () => redo(view.state, view.dispatch),
        'Alt-Shift-ArrowUp': run((state) => moveBlock(state, -1)),
        'Alt-Shift-ArrowDown': run((state) => moveBlock(state, 1)),
        'Mod-Shift-d': run(duplicateBlock),
        'Shift-Alt-Backspace': run(removeBlock),
        // Below the last block, unless that is a text in which the key moves the cursor.
        ArrowDown: () => {
          const { selection, doc } = view.state
          const isLast =
            selection.$to.depth === 0 ? selection.to === doc.content.size : selection.$to.after(1) === doc.content.size
          const isText = doc.lastChild?.isTextblock === true
          if (!isLast || isText || (selection instanceof TextSelection && !isAtEnd(selection, doc))) return false
          return rich.apply(appendParagraph(view.state))
        },
        Enter: run(leaveBlock),
        'Alt-F10': () => rich.toolbar?.focus() ?? false,
        'Mod-Alt-f': () => rich.addFootnote(),
        'Mod-k': () => rich.toolbar?.editLink() ?? false,
        Escape: () => {
          const { state } = this.editor
          if (state.selection instanceof NodeSelection) return rich.toolbar?.focus() ?? false
          const depth = state.selection.$from.depth
          if (depth === 0) return false
          const pos = state.selection.$from.before(1)
          return rich.apply(state.tr.setSelection(NodeSelection.create(state.doc, pos)))
        },
      }
    },
  })
}
