// The buttons next to a block: one adds a block below, the other one selects the block and drags it.
import { NodeSelection } from '@tiptap/pm/state'
import { blockAt, insertBlocks, moveBlockTo } from './block-list.js'
import { element, iconButton } from './parts.js'

/** @typedef {import('./editor.js').RichEditor} RichEditor */

/** Width of the margin with the buttons in pixels. */
const MARGIN = 80

export class Gutter {
  /** Position of the block next to the buttons. */
  #pos = 0
  /** Position of the dragged block, or null. @type {number | null} */
  #dragged = null

  /** @param {RichEditor} rich */
  constructor(rich) {
    this.rich = rich
    const { words } = rich
    const add = iconButton('plus', words('addBlock'), () => this.#add())
    this.handle = iconButton('grip-vertical', words('dragHint'), () => this.#select())
    this.handle.draggable = true
    this.handle.classList.add('editor-handle')
    this.root = element('div', { class: 'editor-gutter', hidden: true }, add, this.handle)
    rich.root.append(this.root)
    // The buttons are in the margin next to the editor.
    document.addEventListener('mousemove', (event) => {
      // Not while a button is pressed, or a fast mouse would leave the handle before the browser starts to drag it.
      if (event.buttons === 0 && this.#isNear(event)) this.#follow(event)
    })
    rich.tiptap.on('selectionUpdate', () => this.#showAt(rich.view.state.selection.$from))
    rich.tiptap.on('update', () => this.#showAt(rich.view.state.selection.$from))
    this.handle.addEventListener('mousedown', (event) => event.stopImmediatePropagation(), { capture: true })
    this.handle.addEventListener('dragstart', (event) => {
      this.#dragged = this.#pos
      const image = rich.view.nodeDOM(this.#pos)
      if (event.dataTransfer === null) return
      event.dataTransfer.effectAllowed = 'move'
      event.dataTransfer.setData('text/plain', '')
      if (image instanceof Element) event.dataTransfer.setDragImage(image, 0, 0)
      rich.root.classList.add('is-dragging')
    })
    this.handle.addEventListener('dragend', () => this.#endDrag())
    document.addEventListener('dragover', (event) => {
      if (this.#dragged !== null && this.#isNear(event)) event.preventDefault()
    })
    // Before ProseMirror, which would insert the dragged text.
    document.addEventListener('drop', (event) => this.#drop(event), { capture: true })
  }

  /** Whether the mouse is over the text or the margin next to it. @param {MouseEvent} event */
  #isNear({ clientX: x, clientY: y }) {
    const { left, right, top, bottom } = this.rich.view.dom.getBoundingClientRect()
    return x > left - MARGIN && x < right + MARGIN && y > top && y < bottom
  }

  /** @param {MouseEvent} event */
  #follow(event) {
    const { view } = this.rich
    const { left, right } = view.dom.getBoundingClientRect()
    const found = view.posAtCoords({ left: Math.min(Math.max(event.clientX, left + 5), right - 5), top: event.clientY })
    if (found === null || this.root.contains(/** @type {Node} */ (event.target))) return
    const inside = found.inside >= 0 ? found.inside : found.pos
    this.#showAt(view.state.doc.resolve(inside), inside)
  }

  /** @param {import('@tiptap/pm/model').ResolvedPos} position @param {number} [inside] */
  #showAt(position, inside = position.pos) {
    const { view } = this.rich
    const pos = blockPosition(position, inside)
    const block = view.state.doc.nodeAt(pos) === null ? null : view.nodeDOM(pos)
    this.root.hidden = !(block instanceof HTMLElement) || this.rich.isReadOnly()
    if (!(block instanceof HTMLElement)) return
    this.#pos = pos
    const frame = this.rich.root.getBoundingClientRect()
    const { top } = block.getBoundingClientRect()
    const line = Number.parseFloat(getComputedStyle(block).lineHeight) || 28
    this.root.style.top = `${top - frame.top + Math.min(line, 48) / 2 - 14}px`
  }

  #select() {
    const { view } = this.rich
    const { doc } = view.state
    if (doc.nodeAt(this.#pos) === null) return
    this.rich.apply(view.state.tr.setSelection(NodeSelection.create(doc, this.#pos)))
    view.focus()
  }

  /** Adds a paragraph below the block and opens the menu of blocks for it. */
  #add() {
    const { rich } = this
    const { state } = rich.view
    const block = blockAt(state, this.#pos)
    const paragraph = state.schema.nodes['paragraph']?.create()
    if (block === null || paragraph === undefined) return
    rich.apply(insertBlocks(state, [paragraph], block))
    rich.view.focus()
    rich.menu?.open(rich.view.coordsAtPos(rich.view.state.selection.from), { hasSearch: true })
  }

  /** @param {DragEvent} event */
  #drop(event) {
    const from = this.#dragged
    if (from === null) return
    event.preventDefault()
    event.stopPropagation()
    this.#endDrag()
    const { view } = this.rich
    const { left, right } = view.dom.getBoundingClientRect()
    const found = view.posAtCoords({ left: Math.min(Math.max(event.clientX, left + 5), right - 5), top: event.clientY })
    if (found === null) return
    const position = view.state.doc.resolve(found.pos)
    const dragged = view.state.doc.nodeAt(from)
    const isPiece = dragged?.type.isInGroup('classicPart') === true
    const before = isPiece ? blockPosition(position, found.pos) : position.depth === 0 ? found.pos : position.before(1)
    const target = view.nodeDOM(before)
    const size = view.state.doc.nodeAt(before)?.nodeSize ?? 0
    const middle = target instanceof HTMLElement ? target.getBoundingClientRect() : null
    const isBelow = middle !== null && event.clientY > middle.top + middle.height / 2
    this.rich.apply(moveBlockTo(view.state, from, isBelow ? before + size : before))
    view.focus()
  }

  #endDrag() {
    this.#dragged = null
    this.rich.root.classList.remove('is-dragging')
  }
}

/**
 * Returns the position of the block, or of the piece of classic content, around a position.
 * @param {import('@tiptap/pm/model').ResolvedPos} position
 * @param {number} inside position of the node at a position that is between blocks
 */
function blockPosition(position, inside) {
  const isClassic = position.depth > 0 && position.node(1).type.name === 'classic'
  const depth = isClassic ? 2 : 1
  return position.depth < depth ? inside : position.before(depth)
}
