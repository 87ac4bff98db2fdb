// The form for the address of a link, with a search for posts.
import { getMarkRange } from '@tiptap/core'
import { TextSelection } from '@tiptap/pm/state'
import { request } from '../api.js'
import { element, labeled, place, textButton } from './parts.js'

/** @typedef {import('./editor.js').RichEditor} RichEditor */

/** Milliseconds without typing before a search starts. */
const SEARCH_DELAY_MS = 250

export class LinkForm {
  #searchCount = 0
  /** Range of the text that becomes the link. @type {{ from: number, to: number }} */
  #range = { from: 0, to: 0 }

  /** @param {RichEditor} rich */
  constructor(rich) {
    this.rich = rich
    const { words } = rich
    this.url = element('input', { type: 'text', inputmode: 'url', autocomplete: 'off', placeholder: words('linkHint') })
    this.newTab = element('input', { type: 'checkbox' })
    this.found = element('ul', { class: 'editor-found' })
    this.remove = textButton(words('unlink'), () => this.#unlink())
    this.root = element(
      'div',
      { class: 'editor-menu editor-link', role: 'dialog', 'aria-label': words('link'), hidden: true },
      labeled(words('linkTo'), this.url),
      this.found,
      labeled(words('newTab'), this.newTab),
      element(
        'p',
        { class: 'actions' },
        textButton(words('apply'), () => this.#apply(this.url.value), 'primary'),
        this.remove,
      ),
    )
    let timer = 0
    this.root.addEventListener('input', (event) => event.stopPropagation())
    this.url.addEventListener('input', () => {
      clearTimeout(timer)
      timer = window.setTimeout(() => void this.#search(), SEARCH_DELAY_MS)
    })
    this.root.addEventListener('keydown', (event) => this.#key(event))
    this.root.addEventListener('focusout', ({ relatedTarget }) => {
      if (relatedTarget instanceof Node && !this.root.contains(relatedTarget)) this.root.hidden = true
    })
  }

  open() {
    const { view } = this.rich
    const { selection, schema } = view.state
    const type = schema.marks['link']
    const range = type === undefined ? undefined : getMarkRange(selection.$from, type)
    this.#range = selection.empty && range ? range : withoutSpaces(view.state)
    const mark =
      selection.$from.marksAcross(selection.$to)?.find((one) => one.type === type) ??
      selection.$from.marks().find((one) => one.type === type)
    const { href = '', target } = mark?.attrs['attributes'] ?? {}
    this.url.value = href
    this.newTab.checked = target === '_blank'
    this.remove.hidden = mark === undefined
    this.found.replaceChildren()
    this.root.hidden = false
    this.rich.toolbar?.hide()
    place(this.root, view.coordsAtPos(this.#range.from), 'below')
    this.url.select()
    this.url.focus()
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const options = [...this.found.querySelectorAll('button')]
    const at = options.findIndex((one) => one === document.activeElement)
    if (event.key === 'Escape') this.#close()
    else if (event.key === 'ArrowDown') (options[at + 1] ?? options[0])?.focus()
    else if (event.key === 'ArrowUp') (at > 0 ? options[at - 1] : this.url)?.focus()
    else if (event.key === 'Enter' && event.target === this.url) this.#apply(this.url.value)
    else return
    event.preventDefault()
  }

  async #search() {
    this.#searchCount += 1
    const count = this.#searchCount
    const text = this.url.value.trim()
    if (text.length < 2 || /^(?:https?:|mailto:|tel:|[#/])/i.test(text)) return this.found.replaceChildren()
    const query = new URLSearchParams({ search: text, per_page: '6', _fields: 'title,url' })
    const { data } = await request(`search?${query}`)
    if (count !== this.#searchCount) return
    this.found.replaceChildren(
      ...data.map((/** @type {{ title: string, url: string }} */ { title, url }) => {
        const button = textButton('', () => this.#apply(url), 'plain')
        button.append(element('span', {}, decode(title) || url))
        return element('li', {}, button)
      }),
    )
  }

  /** @param {string} typed */
  #apply(typed) {
    const { rich } = this
    const href = addressOf(typed)
    if (href === '') return this.#unlink()
    const { state } = rich.view
    const type = state.schema.marks['link']
    if (type === undefined) return
    const { from, to } = this.#range
    const attributes = { href, ...(this.newTab.checked ? { target: '_blank', rel: 'noreferrer noopener' } : {}) }
    const mark = type.create({ attributes })
    const tr = from === to ? state.tr.insert(from, state.schema.text(href, [mark])) : state.tr.addMark(from, to, mark)
    const end = from === to ? from + href.length : to
    rich.apply(tr.setSelection(TextSelection.create(tr.doc, end)).removeStoredMark(type))
    this.#close()
  }

  #unlink() {
    const { state } = this.rich.view
    const type = state.schema.marks['link']
    if (type !== undefined) this.rich.apply(state.tr.removeMark(this.#range.from, this.#range.to, type))
    this.#close()
  }

  #close() {
    this.root.hidden = true
    this.rich.view.focus()
  }
}

/** The selection without spaces around its text. @param {import('@tiptap/pm/state').EditorState} state */
function withoutSpaces({ doc, selection: { from, to } }) {
  const text = doc.textBetween(from, to, '\n', '\ufffc')
  const start = text.length - text.trimStart().length
  return text.trim() === '' ? { from, to } : { from: from + start, to: to - (text.length - text.trimEnd().length) }
}

/** @param {string} typed an address, a domain or a path */
function addressOf(typed) {
  const text = typed.trim()
  if (text === '' || /^(?:javascript|vbscript|data):/i.test(text)) return ''
  if (/^(?:[a-z][a-z0-9+.-]*:|[/#?])/i.test(text)) return text
  if (/^\S+@\S+\.\S+$/.test(text)) return `mailto:${text}`
  return `https://${text}`
}

/** Decodes the entities of a stored title. @param {string} title */
function decode(title) {
  const names = /** @type {Record<string, string>} */ ({ amp: '&', lt: '<', gt: '>', quot: '"' })
  return title.replace(/&(?:#(\d{1,6})|(\w+));/g, (whole, code, name) =>
    code === undefined ? (names[name] ?? whole) : String.fromCodePoint(Number(code)),
  )
}
