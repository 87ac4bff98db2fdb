// Find and replace.
import { Plugin, PluginKey, TextSelection } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'
import { announce } from '../announce.js'
import { element, iconButton, labeled, textButton } from './parts.js'

/** @typedef {import('./editor.js').RichEditor} RichEditor */
/** @typedef {{ from: number, to: number }} Range */

/** @type {PluginKey<{ text: string, isCased: boolean, at: number, found: Range[] }>} */
const key = new PluginKey('find')
/** @type {{ text: string, isCased: boolean, at: number, found: Range[] }} */
const NOTHING = { text: '', isCased: false, at: 0, found: [] }

/** @param {import('@tiptap/pm/model').Node} doc @param {string} text @param {boolean} isCased @returns {Range[]} */
function matches(doc, text, isCased) {
  /** @type {Range[]} */
  const found = []
  const wanted = isCased ? text : text.toLowerCase()
  if (wanted === '') return found
  doc.descendants((node, pos) => {
    if (!node.isTextblock) return true
    const content = node.textBetween(0, node.content.size, undefined, '\ufffc')
    const searched = isCased ? content : content.toLowerCase()
    for (let at = searched.indexOf(wanted); at >= 0; at = searched.indexOf(wanted, at + wanted.length))
      found.push({ from: pos + 1 + at, to: pos + 1 + at + text.length })
    return false
  })
  return found
}

/** Marks the found texts. */
const marker = () =>
  new Plugin({
    key,
    state: {
      init: () => NOTHING,
      apply(tr, before) {
        const next = { ...before, ...tr.getMeta(key) }
        const isNew = next.text !== before.text || next.isCased !== before.isCased
        if (!tr.docChanged && !isNew) return next
        return { ...next, found: matches(tr.doc, next.text, next.isCased) }
      },
    },
    props: {
      decorations(state) {
        const { found, at } = key.getState(state) ?? NOTHING
        if (found.length === 0) return null
        const all = found.map(({ from, to }, index) =>
          Decoration.inline(from, to, { class: index === at ? 'editor-found-now' : 'editor-found-text' }),
        )
        return DecorationSet.create(state.doc, all)
      },
    },
  })

/** Adds the panel to the editor. @param {RichEditor} rich */
export function addFind(rich) {
  rich.tiptap.registerPlugin(marker())
  return new FindPanel(rich)
}

export class FindPanel {
  /** @param {RichEditor} rich */
  constructor(rich) {
    this.rich = rich
    const { words } = rich
    this.text = element('input', { type: 'search' })
    this.other = element('input', { type: 'text' })
    this.cased = element('input', { type: 'checkbox' })
    this.state = element('span', { class: 'hint', role: 'status' })
    this.root = element(
      'div',
      { class: 'editor-find', role: 'search', 'aria-label': words('find'), hidden: true },
      labeled(words('findText'), this.text),
      labeled(words('replaceWith'), this.other),
      element(
        'div',
        { class: 'actions' },
        iconButton('arrow-up', words('previous'), () => this.#go(-1)),
        iconButton('arrow-down', words('next'), () => this.#go(1)),
        textButton(words('replace'), () => this.#replace()),
        textButton(words('replaceAll'), () => this.#replaceAll()),
        iconButton('x', words('close'), () => this.close()),
      ),
      labeled(words('matchCase'), this.cased),
      this.state,
    )
    rich.root.prepend(this.root)
    this.root.addEventListener('input', (event) => {
      event.stopPropagation()
      this.#search()
    })
    this.root.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close()
      else if (event.key === 'Enter' && event.target === this.text) this.#go(event.shiftKey ? -1 : 1)
      else if (event.key === 'Enter' && event.target === this.other) this.#replace()
      else return
      event.preventDefault()
    })
  }

  get #found() {
    return key.getState(this.rich.view.state) ?? NOTHING
  }

  open() {
    const { state } = this.rich.view
    const selected = state.doc.textBetween(state.selection.from, state.selection.to, ' ')
    if (selected !== '' && selected.length < 100) this.text.value = selected
    this.root.hidden = false
    this.text.focus()
    this.text.select()
    this.#search()
    return true
  }

  close() {
    this.root.hidden = true
    this.rich.view.dispatch(this.rich.view.state.tr.setMeta(key, { text: '' }))
    this.rich.view.focus()
  }

  #search() {
    const { view } = this.rich
    view.dispatch(view.state.tr.setMeta(key, { text: this.text.value, isCased: this.cased.checked, at: 0 }))
    this.#show()
  }

  #show() {
    const { found, at } = this.#found
    this.state.textContent = found.length === 0 ? this.rich.words('none') : `${at + 1} / ${found.length}`
    const now = found[at]
    if (now === undefined) return
    const { node } = this.rich.view.domAtPos(now.from)
    const shown = node instanceof Element ? node : node.parentElement
    shown?.scrollIntoView({ block: 'nearest' })
  }

  /** @param {1 | -1} step */
  #go(step) {
    const { view } = this.rich
    const { found, at } = this.#found
    if (found.length > 0) view.dispatch(view.state.tr.setMeta(key, { at: (at + step + found.length) % found.length }))
    this.#show()
  }

  #replace() {
    const { rich } = this
    const { found, at } = this.#found
    const now = found[at]
    if (now === undefined) return
    const { state } = rich.view
    const tr = state.tr.insertText(this.other.value, now.from, now.to)
    const isLast = at === found.length - 1
    rich.apply(tr.setSelection(TextSelection.near(tr.doc.resolve(now.from))).setMeta(key, { at: isLast ? 0 : at }))
    this.#show()
  }

  #replaceAll() {
    const { rich } = this
    const { found } = this.#found
    const { tr } = rich.view.state
    for (const { from, to } of found.toReversed()) tr.insertText(this.other.value, from, to)
    rich.apply(tr)
    announce(rich.words('replaced', { count: found.length }))
    this.#show()
  }
}
