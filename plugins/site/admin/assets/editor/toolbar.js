// The floating toolbar: marks of the selected text, and commands for the selected block.
import { NodeSelection, TextSelection } from '@tiptap/pm/state'
import { load } from '../load.js'
import { currentBlock, changeAttributes, duplicateBlock, moveBlock, removeBlock } from './block-list.js'
import { arrowKeys, element, icon, iconButton, place } from './parts.js'
import { typeChoices } from './block-types.js'

/** @typedef {import('./editor.js').RichEditor} RichEditor */

/** Marks with their icon, the key of their label, and their shortcut. @type {readonly [string, string, string, string][]} */
const MARKS = [
  ['bold', 'bold', 'bold', 'Ctrl+B'],
  ['italic', 'italic', 'italic', 'Ctrl+I'],
  ['code', 'code', 'code', 'Ctrl+E'],
  ['strike', 'strikethrough', 'strike', 'Ctrl+Shift+S'],
]
/** @type {readonly [string, string, string, string][]} */
const MORE_MARKS = [
  ['subscript', 'subscript', 'subscript', ''],
  ['superscript', 'superscript', 'superscript', ''],
  ['highlight', 'highlighter', 'highlight', ''],
]
/** @type {readonly [string, string, string][]} */
const ALIGNMENTS = [
  ['left', 'text-align-start', 'alignLeft'],
  ['center', 'text-align-center', 'alignCenter'],
  ['right', 'text-align-end', 'alignRight'],
]
/** Background of a mark whose color is only that of its text. */
const NO_BACKGROUND = 'background-color:rgba(0, 0, 0, 0)'

export class Toolbar {
  /** @type {Map<string, HTMLButtonElement>} */
  #marks = new Map()
  /** @type {Map<string, HTMLButtonElement>} */
  #alignments = new Map()
  /** @type {import('./link-form.js').LinkForm | null} */
  #linkForm = null
  /** Whether the user has opened the toolbar without a selection. */
  #isAsked = false

  /** @param {RichEditor} rich */
  constructor(rich) {
    this.rich = rich
    const { words } = rich
    this.types = element('select', { 'aria-label': words('turnInto'), class: 'tool-select' })
    this.types.addEventListener('change', () => this.#turnInto(Number(this.types.value)))
    const marks = MARKS.map((mark) => this.#markButton(mark))
    const link = iconButton('link', words('link'), () => this.editLink(), 'Ctrl+K')
    this.#marks.set('link', link)
    const more = MORE_MARKS.map((mark) => this.#markButton(mark))
    this.text = element(
      'span',
      { class: 'tool-group' },
      ...marks.slice(0, 2),
      link,
      ...marks.slice(2),
      ...more,
      ...(rich.footnotes === null
        ? []
        : [iconButton('list-ordered', words('footnote'), () => rich.addFootnote(), 'Ctrl+Alt+F')]),
      this.#colors(),
    )
    this.block = element('span', { class: 'tool-group' }, ...this.#blockButtons())
    this.root = element(
      'div',
      { class: 'editor-toolbar', role: 'toolbar', 'aria-label': words('toolbar'), hidden: true },
      this.types,
      this.text,
      this.block,
    )
    rich.root.append(this.root)
    arrowKeys(this.root)
    this.root.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      this.hide()
      rich.view.focus()
    })
    const { tiptap } = rich
    tiptap.on('transaction', () => this.update())
    tiptap.on('focus', () => this.update())
    tiptap.on('blur', ({ event }) => {
      const to = event.relatedTarget
      if (!(to instanceof Node) || !rich.root.contains(to)) this.hide()
    })
    this.root.addEventListener('focusout', ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node) || !rich.root.contains(relatedTarget)) this.hide()
    })
  }

  /** Moves the focus to the toolbar; opens it if it is closed. */
  focus() {
    this.#isAsked = true
    this.update()
    const [first] = this.root.querySelectorAll('select, button')
    if (first instanceof HTMLElement) first.focus()
    return true
  }

  hide() {
    this.#isAsked = false
    this.root.hidden = true
  }

  /** Opens the form for the link of the selection. */
  editLink() {
    const { state } = this.rich.view
    const isText = state.selection instanceof TextSelection && state.selection.$from.parent.inlineContent
    if (!isText || this.rich.isReadOnly()) return false
    void this.#openLinkForm()
    return true
  }

  async #openLinkForm() {
    const part = await load(() => import('./link-form.js'))
    if (part === null) return
    if (this.#linkForm === null) {
      this.#linkForm = new part.LinkForm(this.rich)
      this.rich.root.append(this.#linkForm.root)
    }
    this.#linkForm.open()
  }

  update() {
    const { view, tiptap } = this.rich
    const { selection } = view.state
    const block = currentBlock(view.state)
    const isText = selection instanceof TextSelection && selection.$from.parent.inlineContent
    const isShown = !selection.empty || selection instanceof NodeSelection || this.#isAsked
    if (block === null || !isShown || this.rich.isReadOnly() || !tiptap.isEditable) return this.hide()
    if (selection.empty && this.root.hidden && !this.#isAsked) return
    this.root.hidden = false
    const bold = view.state.schema.marks['bold']
    const hasMarks = isText && bold !== undefined && selection.$from.parent.type.allowsMarkType(bold)
    this.text.hidden = !hasMarks
    for (const [name, button] of this.#marks) button.setAttribute('aria-pressed', String(tiptap.isActive(name)))
    this.#showTypes()
    this.#showAlignments(block.node)
    const start = view.coordsAtPos(selection.from)
    const rectangle =
      selection instanceof NodeSelection ? elementAt(view, selection.from).getBoundingClientRect() : start
    place(
      this.root,
      { left: rectangle.left, top: rectangle.top, bottom: view.coordsAtPos(selection.to).bottom },
      'above',
    )
  }

  #showTypes() {
    const choices = typeChoices(this.rich)
    const at = choices.findIndex(({ isCurrent }) => isCurrent)
    this.types.hidden = choices.length < 2
    this.types.replaceChildren(
      ...choices.map(({ title }, index) => new Option(title, String(index), false, index === at)),
    )
  }

  /** @param {number} index */
  #turnInto(index) {
    typeChoices(this.rich)[index]?.apply()
    this.rich.view.focus()
  }

  /** @param {import('@tiptap/pm/model').Node} node */
  #showAlignments(node) {
    const name = alignmentOf(node)
    for (const [value, button] of this.#alignments) {
      button.hidden = name === null
      button.setAttribute('aria-pressed', String(name !== null && node.attrs['attributes']?.[name] === value))
    }
  }

  /** @param {string} value */
  #align(value) {
    const { state } = this.rich.view
    const block = currentBlock(state)
    const name = block === null ? null : alignmentOf(block.node)
    if (block === null || name === null) return
    const isSet = block.node.attrs['attributes'][name] === value
    this.rich.apply(changeAttributes(state, block.pos, { [name]: isSet ? undefined : value }))
  }

  /** @param {readonly [string, string, string, string]} mark */
  #markButton([name, image, label, shortcut]) {
    const button = iconButton(
      image,
      this.rich.words(label),
      () => this.rich.tiptap.chain().focus().toggleMark(name).run(),
      shortcut,
    )
    this.#marks.set(name, button)
    return button
  }

  #blockButtons() {
    const { rich } = this
    const { words } = rich
    /** @param {(state: import('@tiptap/pm/state').EditorState) => import('@tiptap/pm/state').Transaction | null} command */
    const run = (command) => () => void rich.apply(command(rich.view.state))
    const alignments = ALIGNMENTS.map(([value, image, label]) => {
      const button = iconButton(image, words(label), () => this.#align(value))
      this.#alignments.set(value, button)
      return button
    })
    return [
      ...alignments,
      iconButton(
        'arrow-up',
        words('moveUp'),
        run((state) => moveBlock(state, -1)),
        'Alt+Shift+↑',
      ),
      iconButton(
        'arrow-down',
        words('moveDown'),
        run((state) => moveBlock(state, 1)),
        'Alt+Shift+↓',
      ),
      iconButton('copy', words('duplicate'), run(duplicateBlock), 'Ctrl+Shift+D'),
      iconButton(
        'trash-2',
        words('delete'),
        () => {
          rich.apply(removeBlock(rich.view.state))
          rich.view.focus()
        },
        'Alt+Shift+⌫',
      ),
    ]
  }

  /** The menu with the colors of the theme. */
  #colors() {
    const { rich } = this
    const summary = element(
      'summary',
      { class: 'tool', 'aria-label': rich.words('color'), title: rich.words('color') },
      icon('palette'),
    )
    const list = element('div', { class: 'tool-colors' })
    const details = element('details', { class: 'tool-menu' }, summary, list)
    const choose = (/** @type {string | null} */ slug) => {
      details.open = false
      const chain = rich.tiptap.chain().focus()
      if (slug === null) chain.unsetMark('highlight').run()
      else
        chain
          .setMark('highlight', { attributes: { style: NO_BACKGROUND, class: `has-inline-color has-${slug}-color` } })
          .run()
    }
    for (const { name, slug, color } of rich.data.colors) {
      const button = iconButton('circle', name, () => choose(slug))
      button.classList.add('swatch')
      button.replaceChildren()
      button.style.backgroundColor = color
      list.append(button)
    }
    list.append(iconButton('x', rich.words('noColor'), () => choose(null)))
    summary.addEventListener('mousedown', (event) => event.preventDefault())
    details.hidden = rich.data.colors.length === 0
    return details
  }
}

/** Returns the name of the attribute with the alignment of the text of a block. @param {import('@tiptap/pm/model').Node} node */
function alignmentOf(node) {
  if (node.type.name === 'paragraph') return 'align'
  if (node.type.name === 'heading') return 'textAlign'
  return ['image', 'table', 'quote', 'embed', 'gallery', 'video'].includes(node.type.name) ? 'align' : null
}

/** @param {import('@tiptap/pm/view').EditorView} view @param {number} pos */
function elementAt(view, pos) {
  const found = view.nodeDOM(pos)
  return found instanceof HTMLElement ? found : view.dom
}
